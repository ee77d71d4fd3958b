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

// The command-line arguments for variant and sets: --variant wide --set seed=2.
std::vector<std::string> arguments_of(const LoadOptions& options);

struct PipelineFile;

// The names in all further sections of the file.
std::vector<std::string> other_folders_of(const PipelineFile& file);

// A pipeline from a file that was read. Throws PipelineError.
PipelineSpec load_variation(const PipelineFile& file, const LoadOptions& options,
                            const StageRegistry& registry, FileSystem& files);

// Reads a file and loads it. Throws PipelineError.
PipelineSpec load_pipeline(const Path& file, const LoadOptions& options,
                           const StageRegistry& registry, FileSystem& files);

// Appends stages, which may refer to the pipeline's own. Mistakes go to `diagnostics`; if there are
// any, the pipeline must not be used.
void append_stages(const Value& stages, const StageRegistry& registry, FileSystem& files,
                   PipelineSpec& pipeline, Diagnostics& diagnostics);

// The stages (their indices) that a name on the command line means: "train", "ablate@zero",
// "ablate@*". Throws UsageError, with a suggestion, if there is none.
std::vector<int> select_stages(PipelineSpec& pipeline, const std::string& name);

}  // namespace headway
