#include "lib/spec/declared_type.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"
#include "lib/spec/document.h"
#include "lib/spec/named_files.h"
#include "lib/spec/outputs.h"
#include "lib/stage/command_template.h"

namespace headway {
namespace {

const std::vector<std::string> kKeys = {"summary", "params", "in",  "outs",  "metrics",
                                        "run",     "code",   "env", "ignore"};
const std::vector<std::string> kParamKeys = {"type",  "default", "help",   "at_least",
                                             "above", "at_most", "choices"};
constexpr std::string_view kFixed[] = {"run", "code", "env",
                                       "ignore"};  // parameters of every such type
constexpr FieldType kParamTypes[] = {FieldType::kBool, FieldType::kInt, FieldType::kFloat,
                                     FieldType::kText};

// "integer", "list of integers"
std::string type_word(FieldType type, bool is_list) {
  const std::string word = Field{.name = "", .type = type, .is_list = is_list}.type_name();
  return word.substr(0, word.find(" ("));
}

// The type of a default; null: none.
std::optional<FieldType> type_of(const Value& value) {
  if (value.boolean()) return FieldType::kBool;
  if (value.integer()) return FieldType::kInt;
  if (value.real()) return FieldType::kFloat;
  if (value.text()) return FieldType::kText;
  return std::nullopt;
}

std::optional<double> number_of(const Value& value) {
  if (value.integer()) return static_cast<double>(*value.integer());
  if (value.real()) return *value.real();
  return std::nullopt;
}

class TypeReader {
 public:
  TypeReader(std::string name, const SourceLocation& location, const Value& declaration,
             Diagnostics& diagnostics)
      : subject_("type '" + name + "'"), declaration_(declaration), diagnostics_(diagnostics) {
    type_.name = std::move(name);
    type_.declared = location;
  }

  StageType read(const Path& folder, const Path& shown, FileSystem& files) {
    if (!declaration_.map()) {
      complain(declaration_, "a stage type is a map with 'run', got {}", declaration_.describe());
      return std::move(type_);
    }
    check_keys(declaration_, kKeys, subject_, diagnostics_);
    type_.folder = folder;
    if (const Value* summary = declaration_.find("summary"))
      type_.summary = text_of(*summary, "summary");
    for (const MapEntry& entry : map_of("params")) read_param(entry);
    for (const MapEntry& entry : map_of("in")) read_port(entry);
    for (const MapEntry& entry : map_of("outs")) read_out(entry);
    read_metrics();
    read_command(NamedFiles(folder, shown, files));
    type_.params = std::make_shared<const Schema>(std::move(fields_));
    return std::move(type_);
  }

 private:
  template <class... Values>
  void complain(const Value& where, fmt::format_string<Values...> format, Values&&... values) {
    diagnostics_.add(where.location, "{}: {}", subject_,
                     fmt::format(format, std::forward<Values>(values)...));
  }

  std::span<const MapEntry> map_of(const char* key) {
    const Value* value = declaration_.find(key);
    if (!value || value->is_null()) return {};
    if (!value->map()) complain(*value, "'{}' must be a map, got {}", key, value->describe());
    return entries_of(*value);
  }

  std::string text_of(const Value& value, const std::string& what) {
    if (value.text()) return *value.text();
    complain(value, "{} expects text, got {}", what, value.describe());
    return "";
  }

  bool flag_of(const Value& map, const char* key, bool otherwise, const std::string& what) {
    const Value* value = map.find(key);
    if (!value) return otherwise;
    if (value->boolean()) return *value->boolean();
    complain(*value, "{}: '{}' is true or false, got {}", what, key, value->describe());
    return otherwise;
  }

  bool has_name(const MapEntry& entry, const char* what) {
    if (is_stage_name(entry.key)) return true;
    diagnostics_.add(entry.key_location,
                     "{}: '{}' is not {}'s name: use letters, digits, '_' and '-'", subject_,
                     printable(entry.key), what);
    return false;
  }

  void read_param(const MapEntry& entry) {
    if (!has_name(entry, "a parameter")) return;
    if (std::ranges::find(kFixed, entry.key) != std::end(kFixed)) {
      diagnostics_.add(entry.key_location, "{}: a parameter cannot be called '{}'", subject_,
                       entry.key);
      return;
    }
    const Value& value = entry.value;
    const std::string what = "parameter '" + entry.key + "'";
    Field field{.name = entry.key};
    if (value.map()) check_keys(value, kParamKeys, subject_ + ": " + what, diagnostics_);
    const Value* fallback = value.map()       ? value.find("default")
                            : value.is_null() ? nullptr
                                              : &value;
    read_choices(value, what, field);
    if (!read_type(value, fallback, what, field)) return;
    if (const Value* help = value.find("help")) field.help = text_of(*help, what + ": 'help'");
    read_range(value, what, field);
    field.is_required = !fallback;
    if (fallback) {  // checked as a given value is, and of the declared type
      Field alone = field;
      const Value given{ValueMap{{field.name, fallback->location, *fallback}}, fallback->location};
      const Value checked =
          Schema({alone}).resolve(given, subject_, fallback->location, diagnostics_);
      field.default_value = to_json(*checked.find(field.name));
    }
    fields_.push_back(std::move(field));
    params_.push_back(entry.key);
  }

  bool read_type(const Value& value, const Value* fallback, const std::string& what, Field& field) {
    std::vector<std::string> words;
    const Value* named = value.find("type");
    for (const bool is_list : {false, true}) {
      for (const FieldType type : kParamTypes) {
        words.push_back(type_word(type, is_list));
        if (!named || !named->text() || *named->text() != words.back()) continue;
        field.type = type;
        field.is_list = is_list;
        return true;
      }
    }
    if (named) {
      complain(*named, "{}: 'type' is one of {}, got {}", what, join(words, ", "),
               named->describe());
      return false;
    }
    if (!fallback && !field.choices.empty()) return true;  // of texts
    field.is_list = fallback && fallback->list();
    const Value* example = !field.is_list              ? fallback
                           : fallback->list()->empty() ? nullptr
                                                       : &fallback->list()->front();
    const std::optional<FieldType> type = example ? type_of(*example) : std::nullopt;
    if (!type) {
      complain(value, "{} needs a default, such as 0.1, or a 'type': one of {}", what,
               join(words, ", "));
      return false;
    }
    field.type = *type;
    return true;
  }

  void read_choices(const Value& value, const std::string& what, Field& field) {
    const Value* choices = value.find("choices");
    if (!choices) return;
    for (const Value& choice : items_of(*choices)) {
      if (choice.text()) field.choices.push_back(*choice.text());
    }
    if (!choices->list() || field.choices.empty() ||
        field.choices.size() != choices->list()->size())
      complain(*choices, "{}: 'choices' is a list of texts, got {}", what, choices->describe());
  }

  void read_range(const Value& value, const std::string& what, Field& field) {
    const bool is_number = field.type == FieldType::kInt || field.type == FieldType::kFloat;
    for (const char* key : {"at_least", "above", "at_most"}) {
      const Value* limit = value.find(key);
      if (!limit) continue;
      const std::optional<double> number = number_of(*limit);
      if (!number || !is_number) {
        complain(*limit, "{}: '{}' {}", what, key,
                 is_number ? "expects a number, got " + limit->describe()
                           : "is for integers and numbers");
      } else if (std::string_view(key) == "at_most") {
        field.at_most(*number);
      } else if (field.minimum) {
        complain(*limit, "{}: give 'at_least' or 'above', not both", what);
      } else {
        field.minimum = number;
        field.minimum_excluded = std::string_view(key) == "above";
      }
    }
  }

  void read_port(const MapEntry& entry) {
    if (!has_name(entry, "an input")) return;
    const std::string what = "input '" + entry.key + "'";
    Port port{.name = entry.key, .help = ""};
    if (entry.value.map()) {
      check_keys(entry.value, {"help", "required", "many"}, subject_ + ": " + what, diagnostics_);
      if (const Value* help = entry.value.find("help"))
        port.help = text_of(*help, what + ": 'help'");
      port.is_required = flag_of(entry.value, "required", true, what);
      port.takes_many = flag_of(entry.value, "many", false, what);
    } else if (!entry.value.is_null()) {
      port.help = text_of(entry.value, what);
    }
    type_.inputs.push_back(std::move(port));
  }

  void read_out(const MapEntry& entry) {
    if (!has_name(entry, "an output")) return;
    const Value* file = entry.value.map() ? entry.value.find("file") : &entry.value;
    if (entry.value.map())
      check_keys(entry.value, {"file", "help"}, subject_ + ": output '" + entry.key + "'",
                 diagnostics_);
    if (!file) return complain(entry.value, "output '{}' has no 'file'", entry.key);
    add_output(entry.key, entry.key_location, *file, subject_, type_.outputs, diagnostics_);
    if (const Value* help = entry.value.find("help"); help && !type_.outputs.empty())
      type_.outputs.back().help = text_of(*help, "output '" + entry.key + "': 'help'");
  }

  void read_metrics() {
    const Value* metrics = declaration_.find("metrics");
    if (!metrics) return;
    if (std::ranges::find(type_.outputs, "metrics", &Output::name) == type_.outputs.end())
      complain(*metrics, "'metrics' needs an output named 'metrics'");
    for (const Value& name : items_of(*metrics))
      type_.metrics.push_back(text_of(name, "'metrics'"));
  }

  // Run, code and env are parameters that the declaration fixes: so they are checked, passed on and
  // put into the key as those of any type.
  void read_command(const NamedFiles& files) {
    const Value* run = declaration_.find("run");
    if (!run || !run->text()) {
      complain(run ? *run : declaration_, "'run' is missing: the command that does the work");
      return;
    }
    const Value command = {without_escapes(*run), run->location};
    check_command(command, {texts_of(type_.inputs, &Port::name), type_.outputs, &params_}, subject_,
                  diagnostics_);
    type_.command = [text = *command.text()](const StageJob& job) {
      return fill_command(text, job, /*takes_params=*/true);
    };
    type_.uses_item_name = [text = *command.text()](const Value&, const std::string& port) {
      return uses_items(text, port);
    };
    fix("run", FieldType::kText, false, command);
    const Value code = list_of("code");
    for (const Value& file : *code.list()) {
      if (const std::string problem = files.problem(text_of(file, "'code'")); !problem.empty())
        complain(file, "'code': {}", problem);
    }
    fix("code", FieldType::kFile, true, code);
    const Value env = list_of("env");
    check_variables(env, subject_, diagnostics_);
    fix("env", FieldType::kVariable, true, env);
    type_.file_words = [text = *command.text(), ignore = list_of("ignore")](const Value& params) {
      return file_words(fill_params(text, to_json(params)), ignore);
    };
  }

  // As in a stage, `$${x}` is the shell's ${x}. There is no ${param}: what a type depends on are
  // its own parameters.
  std::string without_escapes(const Value& run) {
    std::string text = *run.text();
    for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at + 1)) {
      if (at > 0 && text[at - 1] == '$') {
        text.erase(--at, 1);
        continue;
      }
      const std::string name = text.substr(at + 2, text.find('}', at) - at - 2);
      complain(run,
               "'run' has ${{{0}}}: a type does not see the params of a pipeline. Declare a "
               "parameter and write {{with.{0}}}, or $${{{0}}} for the shell's own",
               printable(name));
      break;
    }
    return text;
  }

  Value list_of(const char* key) {
    const Value* value = declaration_.find(key);
    if (!value || value->is_null()) return {ValueList(), declaration_.location};
    return {ValueList(items_of(*value).begin(), items_of(*value).end()), value->location};
  }

  void fix(const char* name, FieldType type, bool is_list, const Value& value) {
    fields_.push_back({.name = name, .type = type, .is_list = is_list, .fixed = value});
  }

  const std::string subject_;
  const Value& declaration_;
  Diagnostics& diagnostics_;
  StageType type_;
  std::vector<Field> fields_;
  std::vector<std::string> params_;  // without those that are fixed
};

}  // namespace

StageType read_declared_type(const std::string& name, const SourceLocation& location,
                             const Value& declaration, const Path& folder, const Path& shown,
                             FileSystem& files, Diagnostics& diagnostics) {
  return TypeReader(name, location, declaration, diagnostics).read(folder, shown, files);
}

bool is_type_file(const Value& document) {
  return document.find("run") != nullptr;
}

}  // namespace headway
