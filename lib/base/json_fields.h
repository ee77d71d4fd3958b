// Structs as JSON objects and back. A struct lists its fields once:
//
//     template <class Self, class Visit>
//     static void each_field(Self& self, const Visit& visit) {
//       visit("steps", self.steps);
//     }
#pragma once

#include "lib/base/enum_names.h"
#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace headway {

template <class Struct>
Json to_json_fields(const Struct& object) {
  Json json = Json::object();
  Struct::each_field(object, [&](const char* name, const auto& value) {
    if constexpr (NamedEnum<std::decay_t<decltype(value)>>) {
      json[name] = name_of(value);
    } else {
      json[name] = value;
    }
  });
  return json;
}

// Throws Error "should be a whole number, but is 8.5" if the value is of another type. For lists
// and texts, the library throws an exception of its own.
template <class T>
void read_value(const Json& json, T& value) {
  const auto expect = [&](bool fits, const std::string& what) {
    if (!fits) throw Error("should be " + what + ", but is " + excerpt(json, 40));
  };
  if constexpr (NamedEnum<T>) {
    const auto found = json.is_string() ? value_of<T>(json.get<std::string>()) : std::nullopt;
    expect(found.has_value(),
           "one of " + join({std::begin(kNamesOf<T>), std::end(kNamesOf<T>)}, ", "));
    value = *found;
  } else {
    if constexpr (std::is_same_v<T, bool>) {
      expect(json.is_boolean(), "true or false");
    } else if constexpr (std::is_unsigned_v<T>) {
      expect(whole_number<T>(json).has_value(), "a whole number from 0");
    } else if constexpr (std::is_integral_v<T>) {
      expect(whole_number<T>(json).has_value(), "a whole number");
    } else if constexpr (std::is_floating_point_v<T>) {
      expect(json.is_number(), "a number");
    }
    json.get_to(value);
  }
}

// Throws Error "the recipe has no 'seed'" or "the recipe's 'seed' should be …" for the subject "the
// recipe".
template <class Struct>
void read_fields(const Json& json, const std::string& subject, Struct& object) {
  Struct::each_field(object, [&](const char* name, auto& value) {
    const auto found = json.find(name);
    if (found == json.end()) throw Error(subject + " has no '" + name + "'");
    try {
      read_value(*found, value);
    } catch (const Error& error) {
      throw Error(subject + "'s '" + name + "' " + error.what());
    } catch (const Json::exception&) {
      throw Error(subject + "'s '" + name + "' cannot be " + excerpt(*found, 40));
    }
  });
}

}  // namespace headway
