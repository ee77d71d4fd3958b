// A pipeline file -> PipelineSpec: read, include, vary, interpolate, expand, check, connect. Finds
// every mistake before anything runs, and throws one PipelineError with all of them.
#pragma once

#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/spec/overrides.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

struct LoadOptions {
  std::string variant;                   // empty: none
  std::vector<std::string> sets;         // `--set` arguments, applied after the variant
  std::vector<Override> overrides = {};  // after all others
};

struct PipelineFile;

// What a pipeline is before its stages are read. Its `params` are empty too.
PipelineSpec pipeline_without_stages(const PipelineFile& file, const LoadOptions& options);

// A pipeline from a file that was read. Throws PipelineError.
PipelineSpec load_variation(const PipelineFile& file, const LoadOptions& options,
                            const StageRegistry& registry, FileSystem& files);

// Appends stages, which may refer to the pipeline's own. Mistakes go to `diagnostics`; if there are
// any, the pipeline must not be used.
void append_stages(const Value& stages, const StageRegistry& registry, FileSystem& files,
                   PipelineSpec& pipeline, Diagnostics& diagnostics);

// The stages that a name on the command line means: "train", "ablate@zero",
// "ablate@*". Throws UsageError, with a suggestion, if there is none.
std::vector<StageId> select_stages(PipelineSpec& pipeline, const std::string& name);

}  // namespace headway
