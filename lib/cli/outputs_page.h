// outputs/index.html, as verbs write it (lib/report/outputs_index.h).
#pragma once

#include "lib/base/file_system.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

// Writes the page and returns its path.
Path write_outputs_page(FileSystem& files, const Path& outputs);

// After a run of the pipeline: writes the page if the pipeline has a report or the page exists. On
// failure the run still counts; a message on standard error says why the page is old.
void refresh_outputs_page(FileSystem& files, const Path& outputs, const PipelineSpec& pipeline);

}  // namespace headway
