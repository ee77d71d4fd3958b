// The sections of a pipeline file after `include`, variants and --set, before stages are looked at.
// A file is read once (PipelineFile) and varied any number of times (Document).
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
  Value extra;                   // a map: further sections by key, each a map (see FileSection)
  Diagnostics diagnostics = {};  // mistakes so far; thrown together with those of the stages

  // A further section that the file was read with.
  const Value& section(std::string_view key) const { return *extra.find(key); }
};

// A section of the file that a client of the engine reads: a map whose keys are names of folders
// beside those of variants and stages.
struct FileSection {
  std::string key;    // of the section in the file
  std::string entry;  // what one entry is called in messages
};

// The folder that a pipeline's relative paths mean.
Path folder_of(const Path& pipeline_file);

// Throws PipelineError where it is not a pipeline at all. Sections that are neither ours nor in
// `sections` are mistakes.
PipelineFile read_pipeline_file(const Path& file, const Path& parse_cache, FileSystem& files,
                                const std::vector<FileSection>& sections = {});

struct Document {
  Value params;         // overridden and resolved
  const Value* stages;  // of the file, which must outlive this
  StageChanges changes;
};

Document vary(const PipelineFile& file, const LoadOptions& options, InterpolationBudget& budget,
              Diagnostics& diagnostics);

// Whether a pipeline, a variant or an entry of a further section may have this name: it is the name
// of a folder in outputs/, so a plain word.
bool is_pipeline_name(const std::string& name);

// Complains about every key of the map that is not in `known`.
void check_keys(const Value& map, const std::vector<std::string>& known, const std::string& subject,
                Diagnostics& diagnostics);

}  // namespace headway
