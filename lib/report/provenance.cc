#include "lib/report/provenance.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

[[noreturn]] void refuse_provenance(const std::string& place, const std::string& expected) {
  throw Error("provenance: {}: {} is expected", printable(place), expected);
}

// Reads a JSON object. `place` is its path for messages: "stages[3]".
class OriginReader {
 public:
  OriginReader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) refuse_provenance(place_, "a map");
  }

  const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  std::string text(const char* name) const { return value(name, &Json::is_string, "text"); }
  bool yes_or_no(const char* name) const { return value(name, &Json::is_boolean, "true or false"); }
  Json map(const char* name) const { return value(name, &Json::is_object, "a map"); }

  std::string hexadecimal(const char* name) const {
    const std::string digits = text(name);
    if (digits.empty() || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      refuse_provenance(at(name), "a hexadecimal number in text");
    return digits;
  }

  template <class T>
  T whole(const char* name, T most = std::numeric_limits<T>::max()) const {
    const Json* value = find(name);
    const std::optional<T> number = value ? whole_number<T>(*value) : std::nullopt;
    if (!number || std::cmp_less(*number, 0) || *number > most)
      refuse_provenance(at(name),
                        fmt::format("a whole number, not below 0 and not above {}", most));
    return *number;
  }

  double seconds(const char* name) const {
    constexpr const char* kExpected = "a number of seconds";
    const double seconds = value(name, &Json::is_number, kExpected);
    if (!(seconds >= 0) || !std::isfinite(seconds)) refuse_provenance(at(name), kExpected);
    return seconds;
  }

  template <typename Read>
  auto list(const char* name, const Read& read) const {
    const Json& json = value(name, &Json::is_array, "a list");
    std::vector<decltype(read(json, std::string()))> members;
    for (std::size_t i = 0; i < json.size(); ++i)
      members.push_back(read(json[i], fmt::format("{}[{}]", at(name), i)));
    return members;
  }

 private:
  std::string at(const char* name) const { return place_.empty() ? name : place_ + "." + name; }

  const Json& value(const char* name, bool (Json::*is_of_kind)() const noexcept,
                    const std::string& expected) const {
    const Json* found = find(name);
    if (!found || !(found->*is_of_kind)()) refuse_provenance(at(name), expected);
    return *found;
  }

  const Json& json_;
  const std::string place_;
};

constexpr std::int64_t kLastSecond = 253402300799;  // of the year 9999

std::string read_origin_text(const Json& json, const std::string& place) {
  if (!json.is_string()) refuse_provenance(place, "text");
  return json.get<std::string>();
}

StageOrigin::Input read_origin_input(const Json& json, const std::string& place) {
  const OriginReader reader(json, place);
  return {reader.text("port"), reader.list("sources", read_origin_text)};
}

StageOrigin::Output read_origin_output(const Json& json, const std::string& place) {
  const OriginReader reader(json, place);
  return {reader.text("name"), reader.text("file"), reader.hexadecimal("digest"),
          reader.whole<std::uint64_t>("size")};
}

// Records of older programs lack some of these; they stay empty.
void read_times(const OriginReader& reader, StageOrigin& stage) {
  if (reader.find("seconds")) stage.seconds = reader.seconds("seconds");
  if (reader.find("cpu_seconds")) stage.cpu_seconds = reader.seconds("cpu_seconds");
  if (reader.find("peak_memory")) stage.peak_memory = reader.whole<std::uint64_t>("peak_memory");
  if (reader.find("finished")) stage.finished = reader.whole("finished", kLastSecond);
  if (reader.find("run")) stage.run = reader.text("run");
  if (reader.find("headway")) stage.headway = reader.text("headway");
  if (reader.find("machine")) stage.machine = reader.map("machine");
  if (reader.find("numerics")) stage.numerics = reader.text("numerics");
}

StageOrigin read_stage_origin(const Json& json, const std::string& place, bool has_times) {
  const OriginReader reader(json, place);
  StageOrigin stage;
  stage.name = reader.text("name");
  stage.family = reader.text("family");
  stage.type = reader.text("type");
  stage.version = reader.whole<int>("version");
  stage.params = reader.map("params");
  if (reader.find("references")) stage.references = reader.map("references");
  stage.inputs = reader.list("inputs", read_origin_input);
  stage.outputs = reader.list("outputs", read_origin_output);
  stage.key = reader.hexadecimal("key");
  stage.command = reader.text("command");
  if (has_times) read_times(reader, stage);
  return stage;
}

Json inputs_json(const std::vector<StageOrigin::Input>& inputs) {
  Json json = Json::array();
  for (const StageOrigin::Input& input : inputs)
    json.push_back({{"port", input.port}, {"sources", input.sources}});
  return json;
}

Json stage_json(const StageOrigin& stage, bool has_times) {
  Json outputs = Json::array();
  for (const StageOrigin::Output& output : stage.outputs)
    outputs.push_back({{"name", output.name},
                       {"file", output.file},
                       {"digest", output.digest},
                       {"size", output.size}});
  Json json = {{"name", stage.name},
               {"family", stage.family},
               {"type", stage.type},
               {"version", stage.version},
               {"params", stage.params},
               {"references", stage.references},
               {"inputs", inputs_json(stage.inputs)},
               {"outputs", std::move(outputs)},
               {"key", stage.key},
               {"command", stage.command}};
  if (!has_times) return json;
  json["seconds"] = stage.seconds;
  json["cpu_seconds"] = stage.cpu_seconds;
  json["peak_memory"] = stage.peak_memory;
  json["finished"] = stage.finished;
  json["run"] = stage.run;
  json["headway"] = stage.headway;
  json["machine"] = stage.machine;
  // Only if known: the provenance of older results, and with it their reports' keys, stays.
  if (!stage.numerics.empty()) json["numerics"] = stage.numerics;
  return json;
}

bool is_empty_value(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_structured() && value.empty());
}

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_line(value);
}

void add_parameters(const std::string& name, const Json& value, std::vector<FlatParameter>& found) {
  if (is_empty_value(value)) return;
  if (!value.is_object()) {
    found.push_back({name, value_text(value)});
    return;
  }
  for (const auto& [key, inner] : value.items())
    add_parameters(name.empty() ? key : name + "." + key, inner, found);
}

// The run that finished a stage last; ties are broken by id.
const std::string& newest_run(const Provenance& provenance) {
  static const std::string kNone;
  const auto newest =
      std::ranges::max_element(provenance.stages, [](const StageOrigin& a, const StageOrigin& b) {
        return std::tie(a.finished, a.run) < std::tie(b.finished, b.run);
      });
  return newest == provenance.stages.end() ? kNone : newest->run;
}

}  // namespace

std::vector<StageFamily> families_of(const Provenance& provenance) {
  std::vector<StageFamily> families;
  std::map<std::string_view, std::size_t> places;
  for (const StageOrigin& stage : provenance.stages) {
    const auto [place, is_new] = places.emplace(stage.family, families.size());
    if (is_new) families.push_back({stage.family, {}});
    families[place->second].members.push_back(&stage);
  }
  for (StageFamily& family : families) {
    if (family.members.size() == 1) family.name = family.members.front()->name;
  }
  return families;
}

double seconds_of(const StageFamily& family) {
  double seconds = 0;
  for (const StageOrigin* stage : family.members) seconds += stage->seconds;
  return seconds;
}

Provenance parse_provenance(std::string_view json) {
  const std::optional<Json> parsed = parse_json(json);
  if (!parsed) throw Error("provenance: not JSON: " + json_mistake(json));
  const OriginReader reader(*parsed, "");
  Provenance provenance;
  provenance.pipeline = reader.text("pipeline");
  provenance.variant = reader.text("variant");
  provenance.file = reader.text("file");
  provenance.stage = reader.text("report");
  provenance.has_times = reader.yes_or_no("has_times");
  provenance.stages = reader.list("stages", [&](const Json& stage, const std::string& place) {
    return read_stage_origin(stage, place, provenance.has_times);
  });
  provenance.inputs = reader.list("inputs", read_origin_input);
  std::set<std::string_view> names;
  for (const StageOrigin& stage : provenance.stages) {
    if (!names.insert(stage.name).second)
      throw Error("provenance: two stages are called '{}'", printable(stage.name));
  }
  return provenance;
}

std::string provenance_text(const Provenance& provenance) {
  Json stages = Json::array();
  for (const StageOrigin& stage : provenance.stages)
    stages.push_back(stage_json(stage, provenance.has_times));
  return to_line({{"pipeline", provenance.pipeline},
                  {"variant", provenance.variant},
                  {"file", provenance.file},
                  {"report", provenance.stage},
                  {"has_times", provenance.has_times},
                  {"stages", std::move(stages)},
                  {"inputs", inputs_json(provenance.inputs)}}) +
         "\n";
}

bool is_from_cache(const Provenance& provenance, const StageOrigin& stage) {
  return stage.run != newest_run(provenance);
}

std::vector<FlatParameter> parameters_of(const StageOrigin& stage) {
  std::vector<FlatParameter> found;
  add_parameters("", stage.params, found);
  return found;
}

std::string shortened_value(const std::string& value, std::size_t most) {
  const std::size_t length = display_width(value);
  if (length <= most) return value;
  return fmt::format("{} ({} characters)", fit(value, most), count_text(length));
}

std::string machine_text(const Json& machine) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::string& before, const std::string& after) {
    if (machine.is_object() && machine.contains(name) && !is_empty_value(machine[name]))
      parts.push_back(before + value_text(machine[name]) + after);
  };
  add("node", "", "");
  add("cpu", "", "");
  add("cores", "", machine.is_object() && machine.value("cores", Json()) == 1 ? " core" : " cores");
  add("system", "", "");
  add("libtorch", "LibTorch ", "");
  return join(parts, ", ");
}

std::string utc_text(std::int64_t unix_seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(unix_seconds)));
}

}  // namespace headway
