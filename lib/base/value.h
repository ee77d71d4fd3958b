// A value from YAML or the command line: typed, ordered, and with its place in the source. Values
// keep their place when interpolation moves them, so that a mistake is shown where it was made.
#pragma once

#include <cstdint>
#include <span>
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

  // The entry of a map; null if there is none, or if this is not a map.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);

  // For messages: "the integer 3", "the text 'abc'", "a map".
  std::string describe() const;
  // A scalar as people write it: abc, 3, 0.5, true. Anything else as JSON.
  std::string plain() const;
};

struct MapEntry {
  std::string key;
  SourceLocation key_location;
  Value value;
};

Json to_json(const Value& value);
// Everything in the value has the given location.
Value from_json(const Json& json, const SourceLocation& location);

// The items of a list. A value that is no list is its only item.
std::span<const Value> items_of(const Value& value);

// The entries of a map, in its order; none if it is not a map.
std::span<const MapEntry> entries_of(const Value& map);

// The keys of a map, in its order; none if it is not a map.
std::vector<std::string> keys_of(const Value& map);

}  // namespace headway
