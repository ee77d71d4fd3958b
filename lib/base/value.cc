#include "lib/base/value.h"

#include <fmt/format.h>

#include "lib/base/text.h"

namespace headway {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not deduce it

}  // namespace

const Value* Value::find(std::string_view key) const {
  if (const ValueMap* entries = map()) {
    for (const MapEntry& entry : *entries) {
      if (entry.key == key) return &entry.value;
    }
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

std::string Value::kind_name() const {
  static constexpr const char* kNames[] = {"nothing", "boolean", "integer", "number",
                                           "text",    "list",    "map"};
  return kNames[data.index()];
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
  return fmt::format("the {} {}", kind_name(),
                     text() ? "'" + fit(printable(*text()), 40) + "'" : plain());
}

Json to_json(const Value& value) {
  return std::visit(Overloaded{[](std::monostate) { return Json(nullptr); },
                               [](const ValueList& list) {
                                 Json array = Json::array();
                                 for (const Value& item : list) array.push_back(to_json(item));
                                 return array;
                               },
                               [](const ValueMap& map) {
                                 Json object = Json::object();
                                 for (const MapEntry& entry : map)
                                   object[entry.key] = to_json(entry.value);
                                 return object;
                               },
                               [](const auto& scalar) { return Json(scalar); }},
                    value.data);
}

Value from_json(const Json& json, const SourceLocation& location) {
  Value value{{}, location};
  switch (json.type()) {
    case Json::value_t::boolean:
      value.data = json.get<bool>();
      break;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      value.data = json.get<std::int64_t>();
      break;
    case Json::value_t::number_float:
      value.data = json.get<double>();
      break;
    case Json::value_t::string:
      value.data = json.get<std::string>();
      break;
    case Json::value_t::array: {
      ValueList list;
      for (const Json& item : json) list.push_back(from_json(item, location));
      value.data = std::move(list);
      break;
    }
    case Json::value_t::object: {
      ValueMap map;
      for (const auto& [key, item] : json.items())
        map.push_back({key, location, from_json(item, location)});
      value.data = std::move(map);
      break;
    }
    default:
      break;
  }
  return value;
}

std::vector<std::string> keys_of(const Value& map) {
  std::vector<std::string> keys;
  if (const ValueMap* entries = map.map()) {
    for (const MapEntry& entry : *entries) keys.push_back(entry.key);
  }
  return keys;
}

}  // namespace headway
