// Parsed YAML kept by the digest of its text. yaml-cpp reads about 4 MB a second: for a file of
// thousands of stages that is most of what a run with nothing to do would cost. Small files are
// simply parsed.
#pragma once

#include <optional>
#include <string_view>

#include "lib/base/file_system.h"
#include "lib/base/value.h"

namespace headway {

class ParseCache {
 public:
  // An empty folder, or one that is not there: nothing is kept.
  ParseCache(FileSystem& files, Path folder) : files_(files), folder_(std::move(folder)) {}

  // As parse_yaml; only what had no mistakes is kept.
  std::optional<Value> parse(std::string_view text, const std::string* source,
                             Diagnostics& diagnostics);

 private:
  FileSystem& files_;
  const Path folder_;
};

// The two halves of what is kept: compact bytes, with every location; nothing where the bytes are
// damaged.
std::string encode(const Value& value);
std::optional<Value> decode(std::string_view bytes, const std::string* source);

}  // namespace headway
