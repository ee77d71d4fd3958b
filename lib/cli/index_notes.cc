#include "lib/cli/index_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/known_label.h"
#include "lib/cli/pipeline_status.h"
#include "lib/numerics/table.h"
#include "lib/run/plan.h"
#include "lib/spec/expectation.h"
#include "lib/sweep/saved_sweep.h"

namespace headway {
namespace {

constexpr std::size_t kMostExpected = 6;

// With the file as it is now; else of the last attempt, if it has a result: one that breaks an
// expectation has.
Json metrics_of(const StageStanding& standing, const LastState& last, Store& store) {
  const auto key = Digest::from_hex(standing.fields.value("key", ""));
  std::optional<Record> record = key ? store.read_record(*key) : std::nullopt;
  if (!record && last) record = store.read_record(last->key);
  if (!record) record = last_record(last, store);
  return record ? read_metrics(store, *record) : Json();
}

// The value at a dotted path, as text; "" if there is none.
std::string value_text(const Json& metrics, const std::string& path) {
  const Json* value = &metrics;
  for (const std::string& name : split(path, '.')) {
    const auto found = value->is_object() ? value->find(name) : value->end();
    if (found == value->end()) return "";
    value = &*found;
  }
  return value->is_number() ? number_text(value->get<double>()) : excerpt(*value, 40);
}

// Those that are not met come first.
std::vector<std::pair<std::string, std::string>> expected_metrics(const PipelineSpec& pipeline,
                                                                  const PipelineStatus& status,
                                                                  Store& store) {
  const PipelineState state(store.files(), store.layout(), pipeline.name, pipeline.variant);
  std::map<std::string, const StageStanding*> standings;
  for (const StageStanding& standing : status.stages) standings[standing.stage] = &standing;
  std::vector<std::pair<std::string, std::string>> met, broken;
  for (const StageSpec& stage : pipeline.stages) {
    if (stage.expectations.empty()) continue;
    const Json metrics = metrics_of(*standings.at(stage.name), state.find(stage.name), store);
    for (const Expectation& expected : stage.expectations) {
      const std::string value = value_text(metrics, expected.metric);
      if (value.empty()) continue;  // it has not run yet
      const bool is_met = !unmet(expected, metrics);
      const std::string bound = expected.sign + " " + excerpt(expected.value);
      (is_met ? met : broken)
          .emplace_back(
              stage.name + "." + expected.metric,
              fmt::format("{}, {} {}", value, is_met ? "expected" : "but expected", bound));
    }
  }
  broken.insert(broken.end(), met.begin(), met.end());
  const std::size_t all = broken.size();
  broken.resize(std::min(all, kMostExpected));
  if (all > kMostExpected)
    broken.emplace_back("more expected metrics", std::to_string(all - kMostExpected));
  return broken;
}

// From the table that the sweep's last stage wrote.
std::vector<std::pair<std::string, std::string>> best_trials(const SweepSpec& sweep,
                                                             const Path& folder,
                                                             FileSystem& files) {
  const Path path = folder / kTrialsStage / "comparison.csv";
  const std::optional<std::string> text = files.read(path);
  if (!text || sweep.objective.empty()) return {};
  const Table table = parse_csv(*text, path.string());
  if (!table.has(sweep.objective) || !table.has("best")) return {};
  std::vector<std::pair<std::string, std::string>> best;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "best") != "1") continue;
    std::vector<std::string> values;
    for (const std::string& column : table.columns()) {
      if (table.has(column + " low") || column == "seeds") break;  // the axes come first
      values.push_back(column + "=" + table.text(row, column));
    }
    // If all axes are seeds, there is one row and nothing to tell it apart.
    best.emplace_back("best " + sweep.objective,
                      fmt::format("{:.4g}{}", table.number(row, sweep.objective),
                                  values.empty() ? "" : " at " + join(values, ", ")));
    if (best.size() == kMostExpected) break;
  }
  return best;
}

}  // namespace

IndexNotes index_notes(const KnownPipeline& known, const Layout& layout, CommandLine& line) {
  IndexNotes notes;
  try {
    const auto request = find_saved_sweep(line.files, layout, known.name, known.variant);
    notes.is_sweep = request.has_value();
    const std::string file = PipelineState(line.files, layout, known.name, known.variant).file();
    notes.problem = "its file is gone";
    if (file.empty() || !line.files.exists(file)) return notes;
    notes.problem = gone_from_file(known, layout, line);
    if (notes.problem.empty()) notes.problem = "its file cannot be read now";
    if (request) {
      const SweepLoader loader(read_file_with_sweeps(file, line.files), *request, line.stages,
                               line.files);
      notes.results =
          best_trials(loader.sweep(), layout.results(known.name, known.variant), line.files);
    }
    const PipelineSpec pipeline = load_known(known, file, layout, line);
    if (pipeline.label() != known.label()) {  // --set now says what the file says by itself
      notes.problem = fmt::format("it is the same as {} now", pipeline.label());
      return notes;
    }
    Store store(line.files, layout.outputs());
    const PipelineStatus status = status_of(pipeline, store);
    if (!request) notes.results = expected_metrics(pipeline, status, store);
    std::map<std::string, std::string> states;
    for (const StageStanding& stage : status.stages) states[stage.stage] = stage.state;
    notes.states = std::move(states);
  } catch (const Error&) {  // a file with mistakes; its results are listed all the same
  }
  return notes;
}

}  // namespace headway
