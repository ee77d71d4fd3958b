// outputs/index.html: which pipelines ran with these outputs, how they ended, where their reports
// are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/store/pipeline_state.h"

namespace headway {

struct IndexEntry {
  std::string pipeline;
  std::string variant;                 // or the name of a sweep; may be empty
  std::vector<std::string> arguments;  // of a variant: --variant wide --set steps=50
  bool is_sweep = false;
  std::string file;            // the pipeline's file; may be gone
  std::size_t stages = 0;      // with a result
  std::size_t failed = 0;      // the last attempt failed
  std::size_t unfinished = 0;  // interrupted
  std::size_t running = 0;     // at this moment
  std::size_t queued = 0;      // a run will come to them
  std::size_t stale = 0;       // their results are not those of the file as it is now
  std::size_t never_run = 0;
  std::size_t warnings = 0;          // miss an expectation that warns
  std::string unknown = {};          // why all this is not compared with the file; "": it is
  std::int64_t finished = 0;         // unix seconds of the newest result
  double seconds = 0;                // of all stages together
  std::vector<std::string> reports;  // links, relative to the page; may be empty
  std::vector<std::string> figures;  // links to pictures, relative to the page
  std::vector<std::pair<std::string, std::string>> metrics;  // a few: name, value
};

// Sorts the entries by pipeline and variant. Links to pictures instead of embedding them, because
// the page fetches nothing. `now`: unix seconds, shown if something runs.
std::string index_page(const std::vector<IndexEntry>& entries, std::int64_t now = 0);

// What the store alone does not tell about a pipeline or variant.
struct IndexNotes {
  bool is_sweep = false;
  std::vector<std::pair<std::string, std::string>> results = {};  // name, value; shown first
  // Each stage's state, as `headway status` calls it; nullopt: the file cannot be loaded.
  std::optional<std::map<std::string, std::string>> states = {};
  std::string problem = {};  // why it cannot
};

// Writes the page from the store and returns its path. Leaves out what cannot be read.
Path write_outputs_index(FileSystem& files, const Path& outputs,
                         const std::function<IndexNotes(const KnownPipeline&)>& notes_of);

}  // namespace headway
