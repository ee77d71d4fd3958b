// A value as a person wrote it in YAML or on the command line: typed, ordered, and knowing where it
// stands. Interpolation moves values around whole, so that a mistake or a change is always shown at
// its origin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/base/json.h"
#include "lib/base/source_location.h"

namespace headway {

struct Value;
struct MapEntry;
using ValueList = std::vector<Value>;
using ValueMap = std::vector<MapEntry>;  // in the order of the file

struct Value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, ValueList, ValueMap> data;
  SourceLocation location;

  bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  const bool* boolean() const { return std::get_if<bool>(&data); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&data); }
  const double* real() const { return std::get_if<double>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  const ValueList* list() const { return std::get_if<ValueList>(&data); }
  const ValueMap* map() const { return std::get_if<ValueMap>(&data); }
  ValueList* list() { return std::get_if<ValueList>(&data); }
  ValueMap* map() { return std::get_if<ValueMap>(&data); }
  bool is_scalar() const { return !list() && !map(); }

  // The entry of a map; null where there is none, or this is no map.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);

  // "the integer 3", "the text 'abc'", "a map": for messages.
  std::string describe() const;
  std::string kind_name() const;  // "integer", "number", "text", "list", "map", …
  // A scalar as people write it: abc, 3, 0.5, true.
  std::string plain() const;
};

struct MapEntry {
  std::string key;
  SourceLocation key_location;
  Value value;
};

Json to_json(const Value& value);
Value from_json(const Json& json, const SourceLocation& location);

// The keys of a map, for "did you mean".
std::vector<std::string> keys_of(const Value& map);

}  // namespace headway
