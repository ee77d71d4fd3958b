// Large JSON, part by part, so that millions of records are never held as values at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/json.h"

namespace headway {

struct JsonPart {
  std::string key;                   // in the map at the root; "": the root is no map
  std::optional<std::size_t> index;  // in the list at the root, or under the key
  Json value;
  // The key, if the map at the root had it before, or one that a map in the value has twice (the
  // value has the last); "": none.
  std::string repeated = {};
  bool repeats_at_root = false;  // and not in the part
};

enum class JsonParts {
  // Of a list at the root or in a map there, every element, or the list itself if it is empty; of
  // the rest, every value.
  kElements,
  kWhole,  // the root is the only part
};

// Gives `each` the parts in the order of the text, which must be JSON (json_mistake says so).
// Throws Error if the map at the root has a key twice; what `each` throws passes through.
void read_json_parts(std::string_view text, JsonParts parts,
                     const std::function<void(JsonPart&&)>& each);

}  // namespace headway
