// `print`: which of a stage's outputs a run shows at its end.
//   print: table     print: [table, failures]     print: {table: [label, drop, class]}
#pragma once

#include <string>
#include <vector>

#include "lib/base/value.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct Printing {
  std::string file;                  // of the output, inside the stage's folder
  std::vector<std::string> columns;  // of a table; empty: all
};

// Reads a stage's `print`. Mistakes go to `diagnostics`, introduced by `subject` ("stage 'train'").
std::vector<Printing> parse_printings(const Value& print, const std::vector<Output>& outputs,
                                      const std::string& subject, Diagnostics& diagnostics);

}  // namespace headway
