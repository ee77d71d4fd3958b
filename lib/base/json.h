// JSON as plain data: metrics, records, events, requests. Keys are sorted, so dump() is canonical
// text.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace headway {

using Json = nlohmann::json;

// Parsed text, or nothing where it is not JSON. Never throws: what is on disk may be torn.
inline std::optional<Json> parse_json(std::string_view text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

// Text of any bytes: what is not UTF-8 is replaced, where dump() alone would throw.
inline std::string to_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace headway
