// Tables of all parameters, and of where and when stages ran.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/provenance_pieces.h"
#include "lib/report/provenance_text.h"
#include "lib/report/table_piece.h"
#include "lib/spec/overrides.h"

namespace headway {
namespace {

constexpr std::size_t kLongestCell = 160;  // characters of a value
constexpr std::size_t kRowsAtFirst = 15;   // the page folds the rest
constexpr std::size_t kMostItems = 4;      // items named for a shared value

// One family's rows: for each parameter, each value with its items.
class FamilyParameters {
 public:
  explicit FamilyParameters(const StageFamily& family) : family_(family) {
    for (const StageOrigin* stage : family.members) {
      for (const FlatParameter& parameter : parameters_of(*stage)) add(*stage, parameter);
    }
  }

  void append_to(Table& table) const {
    for (const auto& [name, values] : values_) {
      for (const auto& [value, stages] : values)
        table.add({stage_cell(stages), name, shortened_value(value, kLongestCell),
                   is_replicate(name) ? "seed" : ""});
    }
  }

 private:
  using Values = std::vector<std::pair<std::string, std::vector<std::string>>>;

  void add(const StageOrigin& stage, const FlatParameter& parameter) {
    Values& values = values_[parameter.name];
    auto& place = places_[{parameter.name, parameter.value}];
    if (place == 0) {
      values.push_back({parameter.value, {}});
      place = values.size();
    }
    values[place - 1].second.push_back(stage.name);
  }

  std::string stage_cell(const std::vector<std::string>& stages) const {
    const bool all = stages.size() == family_.members.size();
    if (all && stages.size() > 1)
      return fmt::format("{} ({} items)", family_.name, count_text(stages.size()));
    return enumerated(stages, kMostItems);
  }

  const StageFamily& family_;
  std::map<std::string, Values> values_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;  // from 1
};

// Pipeline parameters used in the texts of stages: a command's are in no schema.
void append_references(const Provenance& provenance, Table& table) {
  std::map<std::string, std::vector<std::string>> values;
  for (const StageOrigin& stage : provenance.stages) {
    for (const auto& [name, value] : stage.references.items()) {
      const std::string text = value.is_string() ? value.get<std::string>() : to_line(value);
      std::vector<std::string>& all = values[name];
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
    }
  }
  for (const auto& [name, all] : values)
    table.add({"the pipeline", name, shortened_value(enumerated(all), kLongestCell),
               is_replicate(name) ? "seed" : ""});
}

std::string several(const std::set<std::string>& texts, std::size_t most) {
  std::vector<std::string> escaped;
  for (const std::string& text : texts) escaped.push_back(markdown_escaped(text));
  return enumerated(escaped, most);
}

// Dates, times and machines of all stages.
struct Surroundings {
  std::set<std::string> versions, machines, runs;
  std::int64_t first = 0, last = 0;  // unix seconds
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t peak_memory = 0;
  const StageOrigin* longest = nullptr;
  std::size_t from_cache = 0;
  bool has_unknown_run = false;  // records of older programs lack it

  explicit Surroundings(const Provenance& provenance) {
    for (const StageOrigin& stage : provenance.stages) {
      add(stage);
      from_cache += is_from_cache(provenance, stage);
    }
  }

 private:
  void add(const StageOrigin& stage) {
    const std::string machine = machine_text(stage.machine);
    if (!machine.empty()) machines.insert(machine);
    if (!stage.headway.empty()) versions.insert(stage.headway);
    if (!stage.run.empty()) runs.insert(stage.run);
    has_unknown_run = has_unknown_run || stage.run.empty();
    if (stage.finished > 0) {
      first = first == 0 ? stage.finished : std::min(first, stage.finished);
      last = std::max(last, stage.finished);
    }
    seconds += stage.seconds;
    cpu_seconds += stage.cpu_seconds;
    peak_memory = std::max(peak_memory, stage.peak_memory);
    if (!longest || stage.seconds > longest->seconds) longest = &stage;
  }
};

std::string when_line(const Surroundings& all, std::size_t stages) {
  const std::string first = utc_text(all.first), last = utc_text(all.last);
  std::string line = first == last ? fmt::format("Finished {}", last)
                                   : fmt::format("Finished between {} and {}", first, last);
  if (!all.runs.empty()) {
    line += fmt::format(", made in {}", counted(all.runs.size(), "run"));
    if (all.has_unknown_run) line += " and before runs were noted";
    if (all.from_cache > 0)
      line += fmt::format(": the newest made {}, {} from the cache",
                          counted(stages - all.from_cache, "stage"),
                          all.from_cache == 1 ? "1 was" : count_text(all.from_cache) + " were");
  }
  return line + ".";
}

std::string time_line(const Surroundings& all) {
  std::string line = fmt::format("The stages took {} together, {} of processor time",
                                 format_seconds(all.seconds), format_seconds(all.cpu_seconds));
  if (all.longest)
    line += fmt::format("; the longest was {} with {}", markdown_code(all.longest->name),
                        format_seconds(all.longest->seconds));
  if (all.peak_memory > 0)
    line += fmt::format("; none needed more than {} of memory", format_bytes(all.peak_memory));
  return line + ".";
}

}  // namespace

Piece parameters_piece(const Provenance& provenance) {
  Table table({"stage", "parameter", "value", "note"});
  append_references(provenance, table);
  for (const StageFamily& family : families_of(provenance))
    FamilyParameters(family).append_to(table);
  if (table.size() == 0) return {"No stage has parameters.\n", ""};
  TableInReport options;
  options.id = "parameters-of-stages";
  options.rows = kRowsAtFirst;
  const bool has_notes = std::any_of(table.rows().begin(), table.rows().end(),
                                     [](const auto& row) { return !row.back().empty(); });
  if (!has_notes) options.columns = {"stage", "parameter", "value"};
  return table_piece(table, options);
}

Piece environment_piece(const Provenance& provenance) {
  const std::string variant =
      provenance.variant.empty() ? "" : " / " + markdown_escaped(provenance.variant);
  std::vector<std::string> lines = {
      fmt::format("Pipeline {}{}, from {}: {}.", markdown_escaped(provenance.pipeline), variant,
                  markdown_code(provenance.file), counted(provenance.stages.size(), "stage"))};
  if (provenance.has_times && !provenance.stages.empty()) {
    constexpr std::size_t kMost = 5;
    const Surroundings all(provenance);
    if (!all.versions.empty())
      lines.push_back(fmt::format("Headway {}.", several(all.versions, kMost)));
    if (!all.machines.empty())
      lines.push_back(fmt::format("{}: {}.", all.machines.size() == 1 ? "Machine" : "Machines",
                                  several(all.machines, kMost)));
    if (all.last > 0) lines.push_back(when_line(all, provenance.stages.size()));
    lines.push_back(time_line(all));
  }
  return {bullets(lines), ""};
}

}  // namespace headway
