// The page over all pipelines of an outputs folder: what ran, how it ended, where its report is.
// Does not look at the folder itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headway {

struct IndexEntry {
  std::string pipeline;
  std::string variant;  // or a sweep's name; may be empty
  bool is_sweep = false;
  std::string file;                  // of the pipeline; may be gone
  std::size_t stages = 0;            // that have a result
  std::size_t failed = 0;            // whose last attempt failed
  std::size_t unfinished = 0;        // that were interrupted, or run now
  std::int64_t finished = 0;         // unix seconds of the newest result
  double seconds = 0;                // of all stages together
  std::vector<std::string> reports;  // links, relative to the page; may be empty
  std::vector<std::string> figures;  // links to pictures, relative to the page
  std::vector<std::pair<std::string, std::string>> metrics;  // a few: name, value
};

// The index.html of the outputs folder. Entries in any order: shown by pipeline, then variant.
// Pictures are linked, not shown: a page that fetches nothing can be given away without fear.
std::string index_page(const std::vector<IndexEntry>& entries);

}  // namespace headway
