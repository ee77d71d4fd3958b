#include "lib/stage/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/text.h"

namespace headway {
namespace {

// Checks one value against its field and gives it the declared type. The context of every message
// is fixed, so it is held here and not passed along.
class FieldReader {
 public:
  FieldReader(const Field& field, const std::string& subject, Diagnostics& diagnostics)
      : field_(field), subject_(subject), diagnostics_(diagnostics) {}

  Value read(const Value& given) const {
    if (!field_.is_list) return read_item(given);
    const ValueList* items = given.list();
    // The key is that of the list: `y: a` and `y: [a]` say the same.
    if (!items && field_.takes_single) return {ValueList{read_item(given)}, given.location};
    if (!items) {
      complain(given, "expects a {}, got {}", field_.type_name(), given.describe());
      return given;
    }
    ValueList list;
    for (const Value& item : *items) list.push_back(read_item(item));
    return {std::move(list), given.location};
  }

 private:
  template <class... Values>
  void complain(const Value& given, fmt::format_string<Values...> format,
                Values&&... values) const {
    diagnostics_.add(given.location, "{}: parameter '{}' {}", subject_, field_.name,
                     fmt::format(format, std::forward<Values>(values)...));
  }

  Value read_item(const Value& given) const {
    switch (field_.type) {
      case FieldType::kBool:
        if (given.boolean()) return given;
        break;
      case FieldType::kInt:
        if (given.integer()) return in_range(given, static_cast<double>(*given.integer()));
        break;
      case FieldType::kFloat:
        if (given.integer()) {  // 1 means 1.0: the same key for both
          const double number = static_cast<double>(*given.integer());
          return in_range({number, given.location}, number);
        }
        if (given.real()) return in_range(given, *given.real());
        break;
      case FieldType::kText:
      case FieldType::kFile:
      case FieldType::kVariable:
        if (given.text()) return one_of_choices(given);
        break;
      case FieldType::kGroup:
        if (given.map() || given.is_null())
          return field_.group->resolve(given, fmt::format("{}: '{}'", subject_, field_.name),
                                       given.location, diagnostics_);
        break;
    }
    const bool quotable = field_.type == FieldType::kText && given.is_scalar() && !given.is_null();
    complain(given, "expects {}, got {}{}", item_type(), given.describe(),
             quotable ? "; put it in quotes" : "");
    return given;
  }

  Value in_range(Value value, double number) const {
    const bool low = field_.minimum && (field_.minimum_excluded ? number <= *field_.minimum
                                                                : number < *field_.minimum);
    const bool high = field_.maximum && number > *field_.maximum;
    if (!std::isfinite(number)) {
      complain(value, "must be a finite number, got {}", value.plain());
    } else if (low || high) {
      complain(value, "must be {}, got {}", field_.range_text(), value.plain());
    }
    return value;
  }

  Value one_of_choices(const Value& value) const {
    const std::string& text = *value.text();
    if (!field_.choices.empty() && std::ranges::find(field_.choices, text) == field_.choices.end())
      complain(value, "must be one of {}, got '{}'{}", join(field_.choices, ", "), printable(text),
               did_you_mean(text, field_.choices));
    return value;
  }

  std::string item_type() const {
    Field item = field_;
    item.is_list = false;
    const std::string name = item.type_name();
    if (item.type == FieldType::kText) return name;
    return (name.find_first_of("aeiou") == 0 ? "an " : "a ") + name;
  }

  const Field& field_;
  const std::string& subject_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::string Field::type_name() const {
  static constexpr const char* kNames[] = {
      "boolean (true or false)", "integer", "number", "text", "file",
      "environment variable",    "map"};
  static constexpr const char* kPlurals[] = {
      "booleans", "integers", "numbers", "texts", "files", "environment variables", "maps"};
  const auto index = static_cast<std::size_t>(type);
  if (!is_list) return kNames[index];
  const std::string list = fmt::format("list of {}", kPlurals[index]);
  return takes_single ? fmt::format("{}, or {}", kNames[index], list) : list;
}

std::string Field::range_text() const {
  if (minimum && maximum && !minimum_excluded)
    return fmt::format("between {} and {}", *minimum, *maximum);
  std::string text;
  if (minimum) text = fmt::format("{} {}", minimum_excluded ? "above" : "at least", *minimum);
  if (maximum) text += fmt::format("{}at most {}", text.empty() ? "" : " and ", *maximum);
  return text;
}

const Field* Schema::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? nullptr : &*found;
}

Value Schema::resolve(const Value& given, const std::string& subject, const SourceLocation& place,
                      Diagnostics& diagnostics) const {
  std::vector<std::string> names;
  for (const Field& field : fields_) {
    if (!field.fixed) names.push_back(field.name);
  }
  for (const MapEntry& entry : entries_of(given)) {
    if (std::ranges::find(names, entry.key) == names.end())
      diagnostics.add(entry.key_location, "{}: unknown parameter '{}'{}", subject,
                      printable(entry.key), did_you_mean(entry.key, names));
  }
  ValueMap resolved;
  for (const Field& field : fields_) {
    const Value* value = given.find(field.name);
    if (field.fixed) {
      resolved.push_back({field.name, field.fixed->location, *field.fixed});
    } else if (value) {
      resolved.push_back(
          {field.name, value->location, FieldReader(field, subject, diagnostics).read(*value)});
    } else if (field.is_required) {
      const std::string help = field.help.substr(0, field.help.find(';'));
      diagnostics.add(place, "{}: parameter '{}' is missing{}", subject, field.name,
                      help.empty() ? "" : " (" + help + ")");
    } else if (field.type == FieldType::kGroup && !field.is_list) {
      resolved.push_back(
          {field.name, place,
           field.group->resolve(Value{ValueMap(), place}, subject, place, diagnostics)});
    } else {
      resolved.push_back({field.name, place, from_json(field.default_value, place)});
    }
  }
  return {std::move(resolved), given.location};
}

}  // namespace headway
