// What `print` asks for, shown at the end of a run.
#pragma once

#include <string>

#include "lib/base/file_system.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

// A stage's outputs that it prints, from where the run left them; a table with its columns aligned,
// anything else as it is, both cut where they are too long to read. "" where it prints nothing.
std::string printed_outputs(FileSystem& files, const StageSpec& stage, const Path& folder);

}  // namespace headway
