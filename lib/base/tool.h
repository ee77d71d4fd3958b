// A program of the machine's (gnuplot, dot), run in a scratch folder of its own: files in, files
// out. Knows nothing of what it draws.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/base/process.h"

namespace headway {

struct ToolSpec {
  std::string program;  // looked for in PATH
  std::string package;  // Debian's, for who lacks it
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> files;  // name and contents
  std::vector<std::string> outputs;                        // names of files that it writes
  double time_limit = 60;                                  // seconds
};

struct ToolResult {
  ProcessExit exit;
  std::string said;                  // on both of its streams
  std::vector<std::string> outputs;  // contents, in the order asked for; "" where it wrote none
};

// Throws Error where the program is not installed or does not end in time. That it fails is told in
// the result.
ToolResult run_tool(const ToolSpec& tool);

}  // namespace headway
