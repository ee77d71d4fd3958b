// The parameters of a stage type, declared once: name, type, default, range, choices, help. The
// declaration serves to read and check parameters, to form the key and to print help.
//
//     struct FitParams { std::int64_t steps = 100; double lr = 0.1; };
//     SchemaOf<FitParams> schema;
//     schema.add("steps", &FitParams::steps, "gradient steps").at_least(1);
//     schema.add("lr", &FitParams::lr, "learning rate").above(0);
//
// Defaults are those of the struct. A parameter without a sensible default is .required().
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "lib/base/value.h"

namespace headway {

class Schema;

// A parameter that names a file beside the pipeline: the file's contents enter the key.
struct FilePath {
  std::string path;
};
// A parameter that names an environment variable: its value enters the key.
struct VariableName {
  std::string name;
};

enum class FieldType { kBool, kInt, kFloat, kText, kFile, kVariable, kGroup };

struct Field {
  std::string name;
  FieldType type = FieldType::kText;
  bool is_list = false;
  bool is_required = false;
  Json default_value;
  std::optional<double> minimum;
  std::optional<double> maximum;
  bool minimum_excluded = false;
  std::vector<std::string> choices;
  std::string help;
  std::shared_ptr<const Schema> group;  // of kGroup: the parameters inside

  Field& required() { return is_required = true, *this; }
  Field& at_least(double value) { return minimum = value, *this; }
  Field& above(double value) { return minimum = value, minimum_excluded = true, *this; }
  Field& at_most(double value) { return maximum = value, *this; }
  Field& one_of(std::vector<std::string> values) { return choices = std::move(values), *this; }

  std::string type_name() const;   // "integer", "list of text"
  std::string range_text() const;  // "1..9", "at least 1", "above 0"; "" if there is no limit
};

class Schema {
 public:
  const std::vector<Field>& fields() const { return fields_; }
  // Null if there is no such field.
  const Field* find(std::string_view name) const;

  // The given parameters with defaults, in the declared order and types. Mistakes go to
  // `diagnostics`, introduced by `subject` ("stage 'train'"); then the result must not be used.
  // `place` is the location of the parameters as a whole.
  Value resolve(const Value& given, const std::string& subject, const SourceLocation& place,
                Diagnostics& diagnostics) const;

 protected:
  std::vector<Field> fields_;
};

// A schema bound to the members of a struct, to read a resolved value back into it.
template <class Params>
class SchemaOf : public Schema {
 public:
  // Adds a parameter. `member` may be of a base of Params. The reference, for .at_least() and the
  // like, is valid until the next add().
  template <class Member, class Owner>
  Field& add(std::string name, Member Owner::*member, std::string help);
  // Adds a parameter that is a map of parameters, with a schema of its own.
  template <class Member>
  Field& add_group(std::string name, Member Params::*member, SchemaOf<Member> group,
                   std::string help);
  // A list of such maps. The key has one fact for the whole list, so none of the parameters in it
  // may be a file or a variable.
  template <class Item>
  Field& add_groups(std::string name, std::vector<Item> Params::*member, SchemaOf<Item> group,
                    std::string help);

  // From what resolve() returned, as JSON.
  Params read(const Json& resolved) const {
    Params params;
    for (const auto& setter : setters_) setter(params, resolved);
    return params;
  }

 private:
  std::vector<std::function<void(Params&, const Json&)>> setters_;
};

namespace schema_detail {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {
  using Item = T;
};

template <class T>
constexpr FieldType field_type() {
  if constexpr (IsList<T>::value) {
    return field_type<typename IsList<T>::Item>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return FieldType::kBool;
  } else if constexpr (std::is_integral_v<T>) {
    return FieldType::kInt;
  } else if constexpr (std::is_floating_point_v<T>) {
    return FieldType::kFloat;
  } else if constexpr (std::is_same_v<T, FilePath>) {
    return FieldType::kFile;
  } else if constexpr (std::is_same_v<T, VariableName>) {
    return FieldType::kVariable;
  } else {
    static_assert(std::is_same_v<T, std::string>,
                  "a parameter is a bool, number, text, file, variable or a list of them");
    return FieldType::kText;
  }
}

template <class T>
Json to_field(const T& value) {
  if constexpr (IsList<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(to_field(item));
    return list;
  } else if constexpr (std::is_same_v<T, FilePath>) {
    return value.path;
  } else if constexpr (std::is_same_v<T, VariableName>) {
    return value.name;
  } else {
    return value;
  }
}

template <class T>
T from_field(const Json& json) {
  if constexpr (IsList<T>::value) {
    T list;
    for (const Json& item : json) list.push_back(from_field<typename IsList<T>::Item>(item));
    return list;
  } else if constexpr (std::is_same_v<T, FilePath> || std::is_same_v<T, VariableName>) {
    return T{json.get<std::string>()};
  } else {
    return json.get<T>();
  }
}

}  // namespace schema_detail

template <class Params>
template <class Member, class Owner>
Field& SchemaOf<Params>::add(std::string name, Member Owner::*member, std::string help) {
  setters_.push_back([name, member](Params& params, const Json& resolved) {
    if (resolved.contains(name))
      params.*member = schema_detail::from_field<Member>(resolved.at(name));
  });
  Field field;
  field.name = std::move(name);
  field.type = schema_detail::field_type<Member>();
  field.is_list = schema_detail::IsList<Member>::value;
  field.default_value = schema_detail::to_field(Params().*member);
  field.help = std::move(help);
  if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool> &&
                sizeof(Member) < sizeof(std::int64_t)) {
    field.minimum = static_cast<double>(
        std::numeric_limits<Member>::min());  // what does not fit is refused, not cut
    field.maximum = static_cast<double>(std::numeric_limits<Member>::max());
  }
  return fields_.emplace_back(std::move(field));
}

template <class Params>
template <class Member>
Field& SchemaOf<Params>::add_group(std::string name, Member Params::*member, SchemaOf<Member> group,
                                   std::string help) {
  auto shared = std::make_shared<const SchemaOf<Member>>(std::move(group));
  setters_.push_back([name, member, shared](Params& params, const Json& resolved) {
    if (resolved.contains(name)) params.*member = shared->read(resolved.at(name));
  });
  Field field;
  field.name = std::move(name);
  field.type = FieldType::kGroup;
  field.default_value = Json::object();
  field.help = std::move(help);
  field.group = std::move(shared);
  return fields_.emplace_back(std::move(field));
}

template <class Params>
template <class Item>
Field& SchemaOf<Params>::add_groups(std::string name, std::vector<Item> Params::*member,
                                    SchemaOf<Item> group, std::string help) {
  auto shared = std::make_shared<const SchemaOf<Item>>(std::move(group));
  setters_.push_back([name, member, shared](Params& params, const Json& resolved) {
    if (!resolved.contains(name)) return;
    (params.*member).clear();
    for (const Json& item : resolved.at(name)) (params.*member).push_back(shared->read(item));
  });
  Field field;
  field.name = std::move(name);
  field.type = FieldType::kGroup;
  field.is_list = true;
  field.default_value = Json::array();
  field.help = std::move(help);
  field.group = std::move(shared);
  return fields_.emplace_back(std::move(field));
}

}  // namespace headway
