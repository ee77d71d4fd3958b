// YAML text -> Value, with the place of every value. The only file that knows yaml-cpp.
// Hostile text (alias bombs, huge files, deep nesting, bad bytes) costs bounded time and memory.
#pragma once

#include <optional>
#include <string_view>

#include "lib/base/value.h"

namespace headway {

struct YamlLimits {
  std::size_t bytes = 8 << 20;
  std::size_t nodes = 1'000'000;  // after aliases are expanded
  std::size_t depth = 64;
};

// Nothing where the text is not YAML at all; every mistake goes to `diagnostics`.
// Plain scalars are typed as in YAML 1.2 (true, 12, 1e-3, null), quoted ones are text. `<<: *base`
// merges maps.
std::optional<Value> parse_yaml(std::string_view text, const std::string* source,
                                Diagnostics& diagnostics, const YamlLimits& limits = {});

// The type that a plain (unquoted) scalar has.
Value plain_scalar(const std::string& text, const SourceLocation& location);

}  // namespace headway
