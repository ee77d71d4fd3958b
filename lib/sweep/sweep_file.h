// A pipeline file with a section `sweeps:`.
#pragma once

#include "lib/spec/document.h"

namespace headway {

// The stage that collects the trials' metrics; its name is reserved.
inline constexpr const char* kTrialsStage = "trials";

// Reports a mistake if the file declares a stage with that name.
void refuse_trials_stage(const PipelineFile& file, Diagnostics& diagnostics);

// Like read_pipeline_file(): throws PipelineError if the file is not a pipeline.
PipelineFile read_file_with_sweeps(const Path& file, FileSystem& files);

// Sweep declarations by name. The file must come from read_file_with_sweeps().
const Value& sweeps_of(const PipelineFile& file);

}  // namespace headway
