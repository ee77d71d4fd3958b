// JSON as plain data: metrics, records, events, requests. Keys are sorted, so dump() is canonical
// text. This is the only place that parses JSON, so that no text, however hostile, becomes a value
// that is too deep to be copied or printed.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headway {

using Json = nlohmann::json;

// Copying and printing a value recurse into it. Nothing that we write is nearly as deep: pipelines
// have a limit of their own, 64.
inline constexpr std::size_t kDeepestJson = 200;

// Parsed text, or nothing where it is not JSON, or is nested more than kDeepestJson levels deep.
// Never throws, unless `watch` does: what is on disk may be torn.
std::optional<Json> parse_json(std::string_view text, const Json::parser_callback_t& watch = {});

// Why parse_json gives nothing: "line 1, column 10: NaN or Infinity is not a JSON number; write
// null". "" where it gives a value.
std::string json_mistake(std::string_view text);

// The number where it is whole and a T can hold it. The library's own conversion would cut it off
// at either end.
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

// Text of any bytes: what is not UTF-8 is replaced, where dump() alone would throw.
std::string to_line(const Json& value);

// The same for a message: at most `width` columns, and no control characters.
std::string excerpt(const Json& value, std::size_t width = 60);

}  // namespace headway
