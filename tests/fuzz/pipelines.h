// Pipelines in memory, loaded with the real stage types.
#pragma once

#include "lib/spec/document.h"
#include "lib/spec/load.h"
#include "stages/registry.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file_system.h"

namespace headway::fuzz {

inline const Path kPipeline = "/fuzz/p.yaml";

inline const StageRegistry& stages() {
  static const StageRegistry kStages = all_stages();
  return kStages;
}

// A folder with the pipeline and a file that it may include.
class Folder {
 public:
  explicit Folder(std::string_view pipeline, std::string_view included = "") {
    files.put(kPipeline, pipeline);
    files.put("/fuzz/included.yaml", included);
  }

  testing::MemoryFileSystem files;
};

}  // namespace headway::fuzz
