// outputs/index.html: the page over all that ran with these outputs.
#pragma once

#include "lib/base/file_system.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

// Writes it anew, from what the store knows; its path. What cannot be read is left out.
Path write_outputs_index(FileSystem& files, const Path& outputs);

// After a run of the pipeline: where it has a report, or the page is there. A run does not fail by
// it; why the page is as it was goes to standard error.
void refresh_outputs_index(FileSystem& files, const Path& outputs, const PipelineSpec& pipeline);

}  // namespace headway
