// The sections of a pipeline file after `include`, variants and --set, before stages are looked at.
// A file is read once (PipelineFile) and varied as often as there are trials (Document).
#pragma once

#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/spec/interpolate.h"
#include "lib/spec/load.h"
#include "lib/spec/overrides.h"

namespace headway {

// A pipeline file with what it includes, as it stands.
struct PipelineFile {
  Path file;
  std::string name;
  Value params;                  // with the included ones, not yet resolved
  Value stages;                  // a map, checked to be one
  Value variants;                // a map
  Value sweeps;                  // a map
  Diagnostics diagnostics = {};  // mistakes found so far; told together with those of the stages
};

// The folder that a pipeline's relative paths mean.
Path folder_of(const Path& pipeline_file);

// Throws PipelineError where it is not a pipeline at all.
PipelineFile read_pipeline_file(const Path& file, FileSystem& files);

struct Document {
  Value params;         // overridden and resolved
  const Value* stages;  // of the file, which must outlive this
  StageChanges changes;
};

Document vary(const PipelineFile& file, const LoadOptions& options, InterpolationBudget& budget,
              Diagnostics& diagnostics);

// The stage that gathers the metrics of a sweep's trials, so that no other may be called so.
inline constexpr const char* kTrialsStage = "trials";
void refuse_trials_stage(const Value& stages, Diagnostics& diagnostics);

// Of a pipeline, a variant or a sweep: folders in outputs/ are called so, so they are plain words.
bool is_pipeline_name(const std::string& name);

// Complains about every key of the map that is not in `known`.
void check_keys(const Value& map, const std::vector<std::string>& known, const std::string& subject,
                Diagnostics& diagnostics);

}  // namespace headway
