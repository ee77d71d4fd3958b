// YAML text -> Value, with the place of every value. Only its implementation knows yaml-cpp.
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

// Plain scalars are typed as in YAML 1.2 (true, 12, 1e-3, null), quoted ones are text. `<<: *base`
// merges maps. Mistakes go to `diagnostics`; nothing if the text is not YAML, or too long. Throws
// PipelineError if it has too many values or levels.
std::optional<Value> parse_yaml(std::string_view text, const std::string* source,
                                Diagnostics& diagnostics, const YamlLimits& limits = {});

// The value of a plain (unquoted) scalar.
Value plain_scalar(const std::string& text, const SourceLocation& location);

}  // namespace headway
