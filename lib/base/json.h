// JSON as plain data: metrics, records, events, requests. Keys are sorted, so dump() is canonical.
// All JSON is parsed here, so that no text, however hostile, becomes a value that is nested too
// deeply to be copied or printed.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headway {

using Json = nlohmann::json;

// Copying and printing recurse. Nothing that we write is nearly as deep: pipelines may have 64
// levels.
inline constexpr std::size_t kDeepestJson = 200;

// Nothing if the text is not JSON or is nested more than kDeepestJson levels deep. Never throws
// (files may be damaged), unless `watch` does.
std::optional<Json> parse_json(std::string_view text, const Json::parser_callback_t& watch = {});

// Why parse_json returns nothing: "line 1, column 10: NaN or Infinity is not a JSON number; write
// null". "" if it returns a value.
std::string json_mistake(std::string_view text);

// The integer, if it is one and fits T. The library's own conversion would wrap around.
template <class T>
std::optional<T> whole_number(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  } else if (json.is_number_integer()) {
    const auto number = json.get<std::int64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  }
  return std::nullopt;
}

// One line of JSON or, with an indent, several. Bytes that are not UTF-8 are replaced; dump() alone
// would throw.
std::string to_line(const Json& value);
std::string to_lines(const Json& value, int indent = 2);

// The same for a message: at most `width` columns and no control characters.
std::string excerpt(const Json& value, std::size_t width = 60);

}  // namespace headway
