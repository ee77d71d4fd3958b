// The HTML of outputs/index.html: which pipelines ran, how they ended, where their reports are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headway {

struct IndexEntry {
  std::string pipeline;
  std::string variant;  // or the name of a sweep; may be empty
  bool is_sweep = false;
  std::string file;                  // the pipeline's file; may be gone
  std::size_t stages = 0;            // with a result
  std::size_t failed = 0;            // the last attempt failed
  std::size_t unfinished = 0;        // interrupted or running
  std::int64_t finished = 0;         // unix seconds of the newest result
  double seconds = 0;                // of all stages together
  std::vector<std::string> reports;  // links, relative to the page; may be empty
  std::vector<std::string> figures;  // links to pictures, relative to the page
  std::vector<std::pair<std::string, std::string>> metrics;  // a few: name, value
};

// Sorts the entries by pipeline and variant. Links to pictures instead of embedding them, because
// the page fetches nothing.
std::string index_page(const std::vector<IndexEntry>& entries);

}  // namespace headway
