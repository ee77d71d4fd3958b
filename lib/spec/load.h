// A pipeline file -> PipelineSpec: read, include, vary, interpolate, expand, check, connect.
// Every mistake is found here, before anything runs, and all of them are told at once (as
// PipelineError).
#pragma once

#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/spec/overrides.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

struct LoadOptions {
  std::string variant;                   // empty: the pipeline as it stands
  std::vector<std::string> sets;         // `--set` arguments, after the variant
  Path parse_cache = {};                 // where parsed files are kept; empty: nowhere
  std::vector<Override> overrides = {};  // of a trial, after all others
};

// The same, as one would type it: --variant wide --set seed=2.
std::vector<std::string> arguments_of(const LoadOptions& options);

struct PipelineFile;

// The file as one of its variants, or as a trial of a sweep.
PipelineSpec load_variation(const PipelineFile& file, const LoadOptions& options,
                            const StageRegistry& registry, FileSystem& files);

// Reads the file, and loads it so.
PipelineSpec load_pipeline(const Path& file, const LoadOptions& options,
                           const StageRegistry& registry, FileSystem& files);

// Reads further stages, which may refer to those that are there, behind them.
void append_stages(const Value& stages, const StageRegistry& registry, FileSystem& files,
                   PipelineSpec& pipeline, Diagnostics& diagnostics);

// The stages that a name on the command line means; Error with a suggestion where there is none.
std::vector<StageId> select_stages(PipelineSpec& pipeline, const std::string& name);

}  // namespace headway
