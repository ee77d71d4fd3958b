// outputs/index.html: a page about all pipelines that ran with these outputs.
#pragma once

#include <functional>

#include "lib/base/file_system.h"
#include "lib/store/pipeline_state.h"

namespace headway {

// Writes the page from the store and returns its path. Leaves out what cannot be read. `is_sweep`
// tells sweeps from other variants.
Path write_outputs_index(FileSystem& files, const Path& outputs,
                         const std::function<bool(const KnownPipeline&)>& is_sweep);

}  // namespace headway
