// A pipeline file: its sections, with `include` resolved. Stages are not read yet.
#pragma once

#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/spec/load.h"

namespace headway {

// A pipeline file with the files it includes.
struct PipelineFile {
  Path file;
  std::string name;
  Value params;    // including those of included files; ${} not resolved
  Value stages;    // a map
  Value variants;  // a map
  // Stage types that the file and those it includes declare under `types`, and those that stages
  // use by the path of their own file.
  std::shared_ptr<const StageRegistry> types = std::make_shared<StageRegistry>();
  FileDigests digests;           // of all files that were read
  Value extra;                   // a map: further sections by key, each a map (see FileSection)
  Diagnostics diagnostics = {};  // mistakes so far, to be reported with those of the stages

  // A further section that the file was read with.
  const Value& section(std::string_view key) const { return *extra.find(key); }
};

// A section that a client of the engine reads: a map whose keys name folders in outputs/, as those
// of `variants` do.
struct FileSection {
  std::string key;    // of the section in the file
  std::string entry;  // what one entry is called in messages
};

// The folder that relative paths in a pipeline file start from; absolute.
Path folder_of(const Path& pipeline_file);

// Reads a file and those it includes. Throws PipelineError if the file cannot be read as a
// pipeline; other mistakes are in `diagnostics`. A section that is neither the engine's nor one of
// `sections` is a mistake.
PipelineFile read_pipeline_file(const Path& file, FileSystem& files,
                                const std::vector<FileSection>& sections = {});

// The stage types that a file declares: one, or those under `types` of a pipeline. Throws
// PipelineError if it has mistakes.
StageRegistry read_declared_types(const Path& file, FileSystem& files,
                                  const std::vector<FileSection>& sections = {});

// Whether a stage, an input, an output or a type may have this name.
bool is_stage_name(const std::string& name);
// Whether a pipeline or variant may have this name: it becomes the name of a folder in outputs/.
bool is_pipeline_name(const std::string& name);

// Adds a mistake for each key of the map that is not in `known`; does nothing if it is not a map.
void check_keys(const Value& map, const std::vector<std::string>& known, const std::string& subject,
                Diagnostics& diagnostics);

}  // namespace headway
