#include "lib/base/value.h"

#include <fmt/format.h>

#include "lib/base/text.h"

namespace headway {

const Value* Value::find(std::string_view key) const {
  for (const MapEntry& entry : entries_of(*this)) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

std::string Value::plain() const {
  if (const std::string* string = text()) return *string;
  return to_json(*this).dump();
}

std::string Value::describe() const {
  if (is_null()) return "nothing";
  if (list()) return "a list";
  if (map()) return "a map";
  if (boolean()) return plain();
  if (text()) return fmt::format("the text '{}'", fit(printable(*text()), 40));
  return fmt::format("the {} {}", integer() ? "integer" : "number", plain());
}

Json to_json(const Value& value) {
  if (const bool* boolean = value.boolean()) return *boolean;
  if (const std::int64_t* integer = value.integer()) return *integer;
  if (const double* real = value.real()) return *real;
  if (const std::string* text = value.text()) return *text;
  if (value.is_null()) return nullptr;
  Json json = value.list() ? Json::array() : Json::object();
  if (const ValueList* list = value.list()) {
    for (const Value& item : *list) json.push_back(to_json(item));
  }
  for (const MapEntry& entry : entries_of(value)) json[entry.key] = to_json(entry.value);
  return json;
}

Value from_json(const Json& json, const SourceLocation& location) {
  if (json.is_boolean()) return {json.get<bool>(), location};
  if (json.is_number_integer()) return {json.get<std::int64_t>(), location};
  if (json.is_number()) return {json.get<double>(), location};
  if (json.is_string()) return {json.get<std::string>(), location};
  if (json.is_array()) {
    ValueList list;
    for (const Json& item : json) list.push_back(from_json(item, location));
    return {std::move(list), location};
  }
  if (json.is_object()) {
    ValueMap map;
    for (const auto& [key, item] : json.items())
      map.push_back({key, location, from_json(item, location)});
    return {std::move(map), location};
  }
  return {{}, location};
}

std::span<const Value> items_of(const Value& value) {
  return value.list() ? std::span(*value.list()) : std::span(&value, 1);
}

std::span<const MapEntry> entries_of(const Value& map) {
  return map.map() ? std::span(*map.map()) : std::span<const MapEntry>();
}

std::vector<std::string> keys_of(const Value& map) {
  return texts_of(entries_of(map), &MapEntry::key);
}

}  // namespace headway
