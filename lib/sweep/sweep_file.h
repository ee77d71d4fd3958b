// A pipeline file with its section `sweeps:`.
#pragma once

#include "lib/spec/document.h"

namespace headway {

// The stage that collects the metrics of a sweep's trials; no other stage may have its name.
inline constexpr const char* kTrialsStage = "trials";

// Adds a mistake where the file has a stage of that name.
void refuse_trials_stage(const PipelineFile& file, Diagnostics& diagnostics);

// As read_pipeline_file(): throws PipelineError where it is not a pipeline at all.
PipelineFile read_file_with_sweeps(const Path& file, FileSystem& files);

// The declarations by name; the file must have been read by read_file_with_sweeps().
const Value& sweeps_of(const PipelineFile& file);

}  // namespace headway
