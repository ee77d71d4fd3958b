// The parameters of a stage type, declared once: name, type, default, range, choices, help. The
// declaration serves to read and check parameters, to form the key and to print help.
//
//     struct FitParams { std::int64_t steps = 100; double lr = 0.1; };
//     SchemaOf<FitParams> schema;
//     schema.add("steps", &FitParams::steps, "gradient steps").at_least(1);
//     schema.add("lr", &FitParams::lr, "learning rate").above(0);
//
// Defaults are those of the struct. A parameter without a sensible default is .required(). The
// choices of an enumeration are its names.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "lib/base/enum_names.h"
#include "lib/base/value.h"

namespace headway {

class Schema;

// A parameter that names a file beside the pipeline: the file's contents enter the key.
struct FilePath {
  std::string path;

  friend void to_json(Json& json, const FilePath& file) { json = file.path; }
  friend void from_json(const Json& json, FilePath& file) { json.get_to(file.path); }
};
// A parameter that names an environment variable: its value enters the key.
struct VariableName {
  std::string name;

  friend void to_json(Json& json, const VariableName& variable) { json = variable.name; }
  friend void from_json(const Json& json, VariableName& variable) { json.get_to(variable.name); }
};

enum class FieldType { kBool, kInt, kFloat, kText, kFile, kVariable, kGroup };

struct Field {
  std::string name;
  FieldType type = FieldType::kText;
  bool is_list = false;
  bool takes_single = false;  // of a list: a single item stands for a list of it alone
  bool is_required = false;
  bool is_fact = true;  // part of the key
  Json default_value = {};
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  bool minimum_excluded = false;
  std::vector<std::string> choices = {};
  std::string help = {};
  std::shared_ptr<const Schema> group = {};  // of kGroup: the parameters inside
  // Set by the stage type itself (read_declared_type); a stage cannot give another.
  std::optional<Value> fixed = {};

  Field& required() { return is_required = true, *this; }
  Field& no_fact() { return is_fact = false, *this; }
  Field& or_single() { return takes_single = true, *this; }
  Field& at_least(double value) { return minimum = value, *this; }
  Field& above(double value) { return minimum = value, minimum_excluded = true, *this; }
  Field& at_most(double value) { return maximum = value, *this; }
  Field& between(double low, double high) { return at_least(low).at_most(high); }
  Field& one_of(std::vector<std::string> values) { return choices = std::move(values), *this; }

  std::string type_name() const;   // "integer", "list of integers", "text, or list of texts"
  std::string range_text() const;  // "between 1 and 9", "above 0"; "" if there is no limit
};

class Schema {
 public:
  Schema() = default;
  explicit Schema(std::vector<Field> fields) : fields_(std::move(fields)) {}

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
    static_assert(std::is_same_v<T, std::string> || NamedEnum<T>,
                  "a parameter is a bool, number, text, choice, file, variable or a list of them");
    return FieldType::kText;
  }
}

}  // namespace schema_detail

// A schema bound to the members of a struct, to read a resolved value back into it.
template <class Params>
class SchemaOf : public Schema {
 public:
  // Adds a parameter. `member` may be of a base of Params. The reference, for .at_least() and the
  // like, is valid until the next add().
  template <class Member, class Owner>
  Field& add(const std::string& name, Member Owner::*member, const std::string& help) {
    Field field{.name = name,
                .type = schema_detail::field_type<Member>(),
                .is_list = schema_detail::IsList<Member>::value,
                .help = help};
    if constexpr (NamedEnum<Member>) {
      field.default_value = name_of(Params().*member);
      field.choices.assign(std::begin(kNamesOf<Member>), std::end(kNamesOf<Member>));
    } else {
      field.default_value = Params().*member;
    }
    if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool> &&
                  sizeof(Member) < sizeof(std::int64_t)) {
      field.minimum = std::numeric_limits<Member>::min();  // what does not fit is refused, not cut
      field.maximum = std::numeric_limits<Member>::max();
    }
    return bind(std::move(field), [member](Params& params, const Json& value) {
      if constexpr (NamedEnum<Member>) {
        params.*member = value_of<Member>(value.get<std::string>()).value();
      } else {
        value.get_to(params.*member);
      }
    });
  }

  // Adds a parameter that is a map of parameters, with a schema of its own.
  template <class Member, class Owner>
  Field& add_group(const std::string& name, Member Owner::*member, SchemaOf<Member> group,
                   const std::string& help) {
    return bind_group(name, std::move(group), help, /*is_list=*/false,
                      [member](Params& params, const Json& value, const SchemaOf<Member>& inner) {
                        params.*member = inner.read(value);
                      });
  }

  // A list of such maps. The key has one fact for the whole list, so none of the parameters in it
  // may be a file or a variable.
  template <class Item>
  Field& add_groups(const std::string& name, std::vector<Item> Params::*member,
                    SchemaOf<Item> group, const std::string& help) {
    return bind_group(name, std::move(group), help, /*is_list=*/true,
                      [member](Params& params, const Json& value, const SchemaOf<Item>& inner) {
                        (params.*member).clear();
                        for (const Json& item : value) (params.*member).push_back(inner.read(item));
                      });
  }

  // From what resolve() returned, as JSON.
  Params read(const Json& resolved) const {
    Params params;
    for (const auto& setter : setters_) setter(params, resolved);
    return params;
  }

 private:
  // Adds a field; `read` sets its member from the field's value.
  template <class Read>
  Field& bind(Field field, Read read) {
    setters_.push_back([name = field.name, read](Params& params, const Json& resolved) {
      if (const auto found = resolved.find(name); found != resolved.end()) read(params, *found);
    });
    return fields_.emplace_back(std::move(field));
  }

  template <class Group, class Read>
  Field& bind_group(const std::string& name, SchemaOf<Group> group, const std::string& help,
                    bool is_list, Read read) {
    auto shared = std::make_shared<const SchemaOf<Group>>(std::move(group));
    return bind(
        {.name = name,
         .type = FieldType::kGroup,
         .is_list = is_list,
         .default_value = is_list ? Json::array() : Json::object(),
         .help = help,
         .group = shared},
        [shared, read](Params& params, const Json& value) { read(params, value, *shared); });
  }

  std::vector<std::function<void(Params&, const Json&)>> setters_;
};

}  // namespace headway
