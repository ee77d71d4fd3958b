// outputs/index.html: one page about every pipeline that ran with these outputs.
#pragma once

#include <functional>

#include "lib/base/file_system.h"
#include "lib/store/pipeline_state.h"

namespace headway {

// Writes the page from what the store knows, and returns its path. What cannot be read is left out.
// `is_sweep` says which of the variants are sweeps.
Path write_outputs_index(FileSystem& files, const Path& outputs,
                         const std::function<bool(const KnownPipeline&)>& is_sweep);

}  // namespace headway
