#include "stages/collect_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/sweep/comparison.h"
#include "lib/sweep/trial_table.h"

namespace headway {
namespace {

constexpr const char* kExample =
    "  sweeps:\n"
    "    heads:                      # adds it under the name trials\n"
    "      axes: {model.n_heads: [1, 2, 4, 8], seed: [1, 2, 3]}\n"
    "      maximize: evaluate.greedy\n"
    "      stages:\n"
    "        lines:\n"
    "          uses: plot\n"
    "          in: {table: trials}\n"
    "          with: {kind: sweep-lines, x: model.n_heads, metric: evaluate.greedy}\n";

SchemaOf<CollectTrialsParams> declare() {
  using Params = CollectTrialsParams;
  SchemaOf<Params> schema;
  schema.add("objective", &Params::objective, "the metric that tells the best: evaluate.greedy");
  schema.add("maximize", &Params::maximize, "whether more of it is better");
  schema.add("metrics", &Params::metrics, "columns of the table; none: all that there are");
  schema.add("trials", &Params::trials, "the trials, in JSON: names, overrides, stages").required();
  schema.add("decisions", &Params::decisions, "of successive halving, in JSON; a list for each");
  schema.add("resource", &Params::resource, "of successive halving: the axis that is given out");
  schema.add("without_seeds", &Params::without_seeds,
             "stages that do not depend on the seeds: their results are one measurement");
  return schema;
}

// Where the metrics of each stage of each trial are, by port and item.
using Places = std::map<std::pair<std::string, std::string>, Path>;

Places places_in(const StageContext& context) {
  Places places;
  for (const InputPaths& input : context.inputs()) {
    for (std::size_t i = 0; i < input.paths.size(); ++i)
      places[{input.port, input.items[i]}] = input.paths[i];
  }
  return places;
}

// Null where the stage failed.
Json read_metrics_at(const Places& places, const std::string& port, const std::string& item) {
  const auto found = places.find({port, item});
  if (found == places.end()) return nullptr;
  return parse_json(RealFileSystem().read(found->second).value_or("")).value_or(nullptr);
}

TrialResult read_trial(const Places& places, const std::string& line) {
  const std::optional<Json> json = parse_json(line);
  if (!json) throw Error("parameter 'trials': not JSON: " + json_mistake(line));
  TrialResult trial;
  try {
    json->at("name").get_to(trial.name);
    for (const Json& pair : json->at("overrides"))
      trial.overrides.push_back({pair.at(0), from_json(pair.at(1), {}), 0});
    for (const Json& stage : json->at("stages")) {
      const Json metrics = read_metrics_at(places, stage.at(1), stage.at(2));
      if (!metrics.is_null()) trial.metrics[stage.at(0)] = metrics;
    }
  } catch (const Json::exception&) {
    throw Error("parameter 'trials': a name, overrides or stages are missing in " + excerpt(*json));
  }
  return trial;
}

// Who went on from each rung of successive halving, and why.
Table decision_table(const std::vector<std::string>& lines) {
  Table table({"rung", "amount", "configuration", "value", "rank", "goes_on", "reason"});
  for (const std::string& line : lines) {
    const std::optional<Json> json = parse_json(line);
    if (!json || json->size() != table.columns().size())
      throw Error("parameter 'decisions': not a list of seven in JSON: " +
                  fit(printable(line), 60));
    std::vector<std::string> row;
    for (const Json& cell : *json) {
      row.push_back(cell.is_string()    ? cell.get<std::string>()
                    : cell.is_boolean() ? (cell.get<bool>() ? "1" : "0")
                    : cell.is_number()  ? number_text(cell.get<double>())
                                        : "");
    }
    table.add(std::move(row));
  }
  return table;
}

void run_collect_trials(StageContext& context) {
  const CollectTrialsParams params = collect_trials_schema().read(context.params());
  std::vector<TrialResult> trials;
  const Places places = places_in(context);
  for (const std::string& line : params.trials) trials.push_back(read_trial(places, line));
  std::vector<std::string> wanted = params.metrics;
  const bool named = std::find(wanted.begin(), wanted.end(), params.objective) != wanted.end();
  if (!wanted.empty() && !params.objective.empty() && !named)
    wanted.insert(wanted.begin(), params.objective);
  const Table table = trial_table(trials, wanted);
  ComparisonOptions options;
  options.objective = params.objective;
  options.maximise = params.maximize;
  options.resource = params.resource;
  options.without_seeds = params.without_seeds;
  const Comparison comparison = compare_trials(table, options);
  RealFileSystem files;
  files.write(context.output("table"), table.to_csv(), Durability::kCached);
  files.write(context.output("comparison"), to_table(comparison).to_csv(), Durability::kCached);
  files.write(context.output("markdown"), to_markdown(comparison), Durability::kCached);
  files.write(context.output("decisions"), decision_table(params.decisions).to_csv(),
              Durability::kCached);
}

}  // namespace

const SchemaOf<CollectTrialsParams>& collect_trials_schema() {
  static const SchemaOf<CollectTrialsParams> kSchema = declare();
  return kSchema;
}

StageType collect_trials_stage() {
  StageType type;
  type.name = "collect-trials";
  type.summary = "gathers the metrics of a sweep's trials; every sweep has one, called trials";
  type.example = kExample;
  type.params = std::make_shared<SchemaOf<CollectTrialsParams>>(collect_trials_schema());
  type.outputs = {
      {.name = "table",
       .file = "table.csv",
       .help = "a row for each trial: axes, trial, metrics",
       .location = {}},
      {.name = "comparison",
       .file = "comparison.csv",
       .help = "a row for each configuration: mean and 95 % interval over seeds, the best first",
       .location = {}},
      {.name = "markdown", .file = "comparison.md", .help = "the same, for a page", .location = {}},
      {.name = "decisions",
       .file = "decisions.csv",
       .help = "of successive halving: who went on from each rung, and why",
       .location = {}}};
  type.builtin = run_collect_trials;
  return type;
}

}  // namespace headway
