#include "lib/sweep/sweep_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lib/base/digest.h"
#include "lib/base/text.h"
#include "lib/spec/yaml.h"

namespace headway {
namespace {

constexpr const char* kSection = "sweeps";
const std::vector<std::string> kSweepKeys = {"method",   "axes",    "trials", "seed",   "maximize",
                                             "minimize", "metrics", "until",  "stages", "resource",
                                             "min",      "max",     "eta"};
const std::vector<std::string> kMethods = {"grid", "random", "halving"};

// Values from an argument have no line or column of their own.
void mark_all(Value& value, const SourceLocation& location) {
  value.location = location;
  if (ValueList* list = value.list()) {
    for (Value& item : *list) mark_all(item, location);
  }
  if (ValueMap* map = value.map()) {
    for (MapEntry& entry : *map) {
      entry.key_location = location;
      mark_all(entry.value, location);
    }
  }
}

std::optional<Value> parse_argument(const std::string& yaml, const SourceLocation& location) {
  Diagnostics unused;
  try {
    std::optional<Value> value = parse_yaml(yaml, location.source, unused);
    if (!value || !unused.empty()) return std::nullopt;
    mark_all(*value, location);
    return value;
  } catch (const PipelineError&) {
    return std::nullopt;
  }
}

bool is_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon != std::string::npos && text.find("..", colon) != std::string::npos &&
         text.find_first_of("[{\"'") == std::string::npos;
}

// Splits at commas outside quotes, brackets and braces.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if ((c == '\'' || c == '"') && trim(part).empty()) {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      parts.push_back(std::exchange(part, ""));
      continue;
    }
    part += c;
  }
  if (!parts.empty() || !trim(part).empty()) parts.push_back(part);
  return parts;
}

// "model.n_heads=1,2,4": YAML values separated by commas; lists need brackets.
std::optional<MapEntry> parse_axis(const std::string& argument, Diagnostics& diagnostics) {
  const SourceLocation location{SourceLocation::intern("--axis " + printable(argument))};
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.add(location, "expected NAME=VALUE,VALUE,… or NAME=log:LOW..HIGH:COUNT");
    return std::nullopt;
  }
  const std::string path = argument.substr(0, equals), text = argument.substr(equals + 1);
  if (!is_utf8(path)) {
    diagnostics.add(location, "the name is not UTF-8 text");
    return std::nullopt;
  }
  if (is_range(text)) return MapEntry{path, location, {text, location}};
  ValueList values;
  for (const std::string& part : split_values(text)) {
    std::optional<Value> value = parse_argument(part, location);
    if (!value) {
      diagnostics.add(location, "the value '{}' is not YAML", printable(part));
      return std::nullopt;
    }
    values.push_back(std::move(*value));
  }
  if (values.size() == 1 && values.front().list()) {
    Value list = std::move(values.front());
    return MapEntry{path, location, std::move(list)};
  }
  return MapEntry{path, location, {std::move(values), location}};
}

void set_entry(Value& map, const std::string& key, const SourceLocation& location, Value value) {
  if (Value* known = map.find(key)) {
    *known = std::move(value);
  } else {
    map.map()->push_back({key, location, std::move(value)});
  }
}

class SweepReader {
 public:
  SweepReader(const std::string& name, const Value& declaration, const Value& params,
              const PipelineFile& file, const StageRegistry& registry, Diagnostics& diagnostics)
      : declaration_(declaration),
        params_(params),
        file_(file),
        registry_(registry),
        diagnostics_(diagnostics),
        subject_(fmt::format("sweep '{}'", name)) {
    sweep_.name = name;
    sweep_.location = declaration.location;
  }

  SweepSpec read() {
    if (!declaration_.map()) {
      complain(declaration_.location, "a sweep is a map with 'axes', got {}",
               declaration_.describe());
      return sweep_;
    }
    check_keys(declaration_, kSweepKeys, subject_, diagnostics_);
    read_method();
    read_axes();
    read_objective();
    sweep_.until = listed("until");
    read_stages();
    sweep_.trials = static_cast<std::size_t>(whole("trials", 1, 100'000).value_or(0));
    sweep_.seed = static_cast<std::uint64_t>(whole("seed", 0, 1e15).value_or(641));
    read_metrics();
    read_halving();
    if (sweep_.method == SweepSpec::Method::kRandom && !declaration_.find("trials"))
      complain(sweep_.location, "random search needs 'trials': how many configurations to draw");
    return sweep_;
  }

 private:
  template <class... Args>
  void complain(const SourceLocation& location, fmt::format_string<Args...> what, Args&&... args) {
    diagnostics_.add(location, subject_ + ": " + fmt::format(what, std::forward<Args>(args)...));
  }

  std::optional<std::int64_t> whole(const char* key, double least, double most) {
    const Value* value = declaration_.find(key);
    if (!value) return std::nullopt;
    if (value->integer() && static_cast<double>(*value->integer()) >= least &&
        static_cast<double>(*value->integer()) <= most)
      return *value->integer();
    complain(value->location, "'{}' expects an integer between {} and {}, got {}", key, least, most,
             value->describe());
    return std::nullopt;
  }

  void read_method() {
    const Value* method = declaration_.find("method");
    if (!method) return;
    const std::string name = method->text() ? *method->text() : "";
    const auto found = std::ranges::find(kMethods, name);
    if (found != kMethods.end()) {
      sweep_.method = static_cast<SweepSpec::Method>(found - kMethods.begin());
      return;
    }
    complain(method->location, "'method' is one of {}, got {}{}", join(kMethods, ", "),
             method->describe(), did_you_mean(name, kMethods));
  }

  // Whether the parameter takes only integers.
  bool is_whole(const std::string& path) const {
    if (const Value* param = find_path(params_, path)) return param->integer() != nullptr;
    const Field* field = field_of(path);
    return field && field->type == FieldType::kInt;
  }

  // The parameter of a stage, "train.lr"; null if there is none.
  const Field* field_of(const std::string& path) const {
    const std::vector<std::string> parts = split(path, '.');
    const Value* stage = file_.stages.find(parts[0]);
    const Value* uses = stage ? stage->find("uses") : nullptr;
    const StageType* type = uses && uses->text() ? file_.types->find(*uses->text()) : nullptr;
    if (!type && uses && uses->text()) type = registry_.find(*uses->text());
    const Schema* schema = type ? type->params.get() : nullptr;
    for (std::size_t i = 1; schema && i < parts.size(); ++i) {
      const Field* field = schema->find(parts[i]);
      if (!field || i + 1 == parts.size()) return field;
      schema = field->group.get();
    }
    return nullptr;
  }

  // A parameter of that name may be one of a stage.
  std::string unknown_axis(const std::string& path) const {
    std::vector<std::string> meant;
    for (const std::string& stage : keys_of(file_.stages)) {
      if (field_of(stage + "." + path)) meant.push_back(fmt::format("'{}.{}'", stage, path));
    }
    if (meant.empty()) return unknown_path(params_, path);
    return fmt::format("unknown parameter '{}'; did you mean {}?", printable(path),
                       join(meant, " or "));
  }

  void read_axes() {
    const Value* axes = declaration_.find("axes");
    if (!axes || !axes->map() || axes->map()->empty())
      return complain(axes ? axes->location : sweep_.location,
                      "'axes' must be a map from parameters to lists of values, with at least one "
                      "(or give --axis NAME=VALUE,VALUE)");
    for (const MapEntry& entry : *axes->map()) {
      for (const char* taken : {"trial", "seeds", "failed", "best"}) {
        if (entry.key == taken)
          complain(entry.key_location, "an axis cannot be called '{}': tables have such a column",
                   taken);
      }
      std::optional<Axis> axis =
          read_axis(entry.key, entry.key_location, entry.value, is_whole(entry.key), diagnostics_);
      if (!axis) continue;
      if (axis->values.empty() && sweep_.method != SweepSpec::Method::kRandom &&
          !declaration_.find("trials"))
        complain(entry.value.location, "axis '{}': a grid needs to know how many values: '{}:{}'",
                 entry.key, entry.value.plain(),
                 entry.value.plain().starts_with("int") ? "STEP" : "COUNT");
      check_path(*axis, entry);
      sweep_.axes.push_back(std::move(*axis));
    }
  }

  // The parameter must exist (for a stage's own, its schema decides), and no axis may override
  // another.
  void check_path(const Axis& axis, const MapEntry& entry) {
    const std::size_t dot = axis.path.find('.');
    const bool of_stage = dot != std::string::npos && file_.stages.find(axis.path.substr(0, dot));
    const bool is_stage = file_.stages.find(axis.path) != nullptr;  // reported with the trials
    if (!find_path(params_, axis.path) && !of_stage && !is_stage)
      diagnostics_.add(entry.key_location, unknown_axis(axis.path));
    for (const Axis& other : sweep_.axes) {
      if (axis.path.starts_with(other.path + ".") || other.path.starts_with(axis.path + "."))
        complain(entry.key_location, "axes '{}' and '{}' change the same parameter", other.path,
                 axis.path);
    }
  }

  void read_objective() {
    const Value* maximize = declaration_.find("maximize");
    const Value* minimize = declaration_.find("minimize");
    const Value* objective = maximize ? maximize : minimize;
    if (!objective) return;
    if (maximize && minimize)
      complain(minimize->location, "either 'maximize' or 'minimize', not both");
    if (!objective->text() || objective->text()->find('.') == std::string::npos)
      return complain(
          objective->location,
          "'{}' expects a stage and one of its metrics, such as evaluate.greedy, got {}",
          maximize ? "maximize" : "minimize", objective->describe());
    sweep_.objective = *objective->text();
    sweep_.objective_location = objective->location;
    sweep_.maximise = maximize != nullptr;
  }

  // The values of a list, or one that stands alone; none if there is no such key.
  ValueList listed(const char* key) const {
    const Value* value = declaration_.find(key);
    if (!value) return {};
    return value->list() ? *value->list() : ValueList{*value};
  }

  void read_metrics() {
    if (const Value* metrics = declaration_.find("metrics"))
      sweep_.metrics_location = metrics->location;
    for (const Value& metric : listed("metrics")) {
      if (metric.text()) {
        sweep_.metrics.push_back(*metric.text());
      } else {
        complain(metric.location,
                 "'metrics' is a list of names such as evaluate.greedy, got {} in it",
                 metric.describe());
      }
    }
  }

  void read_stages() {
    const Value* stages = declaration_.find("stages");
    if (!stages || stages->is_null()) return;
    if (!stages->map())
      return complain(stages->location, "'stages' must be a map, got {}", stages->describe());
    sweep_.stages = *stages;
  }

  void read_halving() {
    for (const char* key : {"resource", "min", "max", "eta"}) {
      const Value* value = declaration_.find(key);
      if (value && !sweep_.is_halving())
        complain(value->location, "'{}' is for 'method: halving' alone", key);
    }
    if (!sweep_.is_halving()) return;
    const Value* resource = declaration_.find("resource");
    if (!resource || !resource->text()) {
      complain(resource ? resource->location : sweep_.location,
               "halving needs a 'resource': the parameter of which better trials get more, such "
               "as train.epochs");
    } else {
      sweep_.resource = *resource->text();
      sweep_.resource_location = resource->location;
      if (std::ranges::find(sweep_.axes, sweep_.resource, &Axis::path) != sweep_.axes.end())
        complain(resource->location, "'{}' cannot be both the resource and an axis",
                 sweep_.resource);
    }
    if (sweep_.objective.empty())
      complain(sweep_.location,
               "halving needs 'maximize' or 'minimize': the metric that decides who goes on");
    const auto least = whole("min", 1, 1e9), most = whole("max", 1, 1e9);
    sweep_.least = least.value_or(0);
    sweep_.most = most.value_or(0);
    if (least && most && *least > *most)
      complain(declaration_.find("min")->location, "'min' ({}) is more than 'max' ({})", *least,
               *most);
    if (const Value* eta = declaration_.find("eta")) {
      const double value = eta->integer() ? static_cast<double>(*eta->integer())
                           : eta->real()  ? *eta->real()
                                          : 0;
      if (value > 1 && value <= 1000) {
        sweep_.eta = value;
      } else {
        complain(eta->location,
                 "'eta' expects a number above 1, got {}: one in eta goes on from each rung",
                 eta->describe());
      }
    }
  }

  const Value& declaration_;
  const Value& params_;
  const PipelineFile& file_;
  const StageRegistry& registry_;
  Diagnostics& diagnostics_;
  const std::string subject_;
  SweepSpec sweep_;
};

}  // namespace

void refuse_trials_stage(const PipelineFile& file, Diagnostics& diagnostics) {
  if (const Value* trials = file.stages.find(kTrialsStage))
    diagnostics.add(trials->location,
                    "a pipeline with sweeps cannot have a stage '{}': "
                    "that is the table of a sweep's trials",
                    kTrialsStage);
}

const std::vector<FileSection>& sweep_sections() {
  static const std::vector<FileSection> kSections = {{kSection, "sweep"}};
  return kSections;
}

PipelineFile read_file_with_sweeps(const Path& path, FileSystem& files) {
  PipelineFile file = read_pipeline_file(path, files, sweep_sections());
  if (!sweeps_of(file).map()->empty()) refuse_trials_stage(file, file.diagnostics);
  return file;
}

const Value& sweeps_of(const PipelineFile& file) {
  return file.section(kSection);
}

Value change_sweep(const Value* declared, const SweepChanges& changes, Diagnostics& diagnostics) {
  Value sweep = declared ? *declared : Value{ValueMap(), {SourceLocation::intern("headway sweep")}};
  if (!sweep.map()) return sweep;  // reported when it is parsed
  const auto has = [&](const char* key) { return sweep.find(key) != nullptr; };
  std::set<std::string> given;
  for (const std::string& argument : changes.axes) {
    std::optional<MapEntry> axis = parse_axis(argument, diagnostics);
    if (!axis) continue;
    if (!given.insert(axis->key).second)
      diagnostics.add(axis->key_location, "axis '{}' is given twice", axis->key);
    if (!has("axes"))
      sweep.map()->push_back({"axes", axis->key_location, {ValueMap(), axis->key_location}});
    if (sweep.find("axes")->map())
      set_entry(*sweep.find("axes"), axis->key, axis->key_location, std::move(axis->value));
  }
  for (const auto& [key, text] : changes.settings) {
    const SourceLocation location{
        SourceLocation::intern(fmt::format("--{} {}", key, printable(text)))};
    if ((key == "minimize" && given.contains("maximize")) ||
        (key == "maximize" && given.contains("minimize")))
      diagnostics.add(location, "either --maximize or --minimize, not both");
    given.insert(key);
    std::optional<Value> value = parse_argument(text, location);
    if (!value) value = Value{text, location};
    if (key == "maximize" || key == "minimize") {  // one replaces the other
      std::erase_if(*sweep.map(), [](const MapEntry& entry) {
        return entry.key == "maximize" || entry.key == "minimize";
      });
    }
    set_entry(sweep, key, location, std::move(*value));
  }
  return sweep;
}

std::string name_of_axes(const Value& declaration) {
  const Value* axes = declaration.find("axes");
  if (!axes || !axes->map()) return "sweep";
  constexpr std::size_t kLongest = 80;
  std::vector<std::string> names;
  std::string exact;
  bool says_all = true;
  for (const MapEntry& entry : *axes->map()) {
    append_field(exact, entry.key);
    std::string name = entry.key;
    for (char& c : name) {
      if (!is_letter_or_digit(c) && c != '_' && c != '.') c = '_';
    }
    says_all = says_all && name == entry.key;
    names.push_back(std::move(name));
  }
  const std::string name = "by-" + join(names, "-");
  if (says_all && name.size() <= kLongest) return name;
  return name.substr(0, kLongest) + "-" + digest_of(exact).short_hex();
}

SweepSpec read_sweep(const std::string& name, const Value& declaration, const Value& params,
                     const PipelineFile& file, const StageRegistry& registry,
                     Diagnostics& diagnostics) {
  return SweepReader(name, declaration, params, file, registry, diagnostics).read();
}

}  // namespace headway
