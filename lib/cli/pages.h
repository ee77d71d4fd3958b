// Pages that verbs write and open: outputs/index.html (lib/report/outputs_index.h) and reports.
#pragma once

#include "lib/base/file_system.h"
#include "lib/cli/verbs.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

// Writes outputs/index.html and returns its path.
Path write_outputs_page(const Path& outputs, CommandLine& line);

// After a run of the pipeline: writes that page if the pipeline has a report or the page exists. On
// failure the run still counts; a message on standard error says why the page is old.
void refresh_outputs_page(const Path& outputs, const PipelineSpec& pipeline, CommandLine& line);

// Starts $BROWSER or, if that is not set, xdg-open; the browser outlives this process. Throws
// Error, with advice, if it cannot be started or fails within two seconds.
void open_page(const Path& page);

}  // namespace headway
