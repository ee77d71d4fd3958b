// The outputs that `print` names, for the end of a run.
#pragma once

#include <string>

#include "lib/base/file_system.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

// The outputs that a stage prints, read from its results in `folder`: tables with aligned columns,
// other files as they are, cut after 60 lines. "" if it prints nothing.
std::string printed_outputs(FileSystem& files, const StageSpec& stage, const Path& folder);

}  // namespace headway
