// `outs`: the outputs that a stage or a type declares.
#pragma once

#include <string>
#include <vector>

#include "lib/stage/stage_type.h"

namespace headway {

// Adds an output, `file` being the name of its file. Mistakes go to `diagnostics`, introduced by
// `subject` ("stage 'fit'"), and add nothing.
void add_output(const std::string& name, const SourceLocation& location, const Value& file,
                const std::string& subject, std::vector<Output>& outputs, Diagnostics& diagnostics);

}  // namespace headway
