#include "stages/collect_trials.h"

#include <algorithm>
#include <map>

#include "lib/base/json.h"
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

SchemaOf<CollectedTrial> declare_trial() {
  SchemaOf<TrialOverride> override;
  override.add("path", &TrialOverride::path, "the parameter").required();
  override.add("value", &TrialOverride::value, "its value in this trial, as text").required();
  SchemaOf<TrialStage> stage;
  stage.add("name", &TrialStage::name, "the stage's name in the trial").required();
  stage.add("port", &TrialStage::port, "the input that has its metrics").required();
  stage.add("item", &TrialStage::item, "the item of that input").required();
  SchemaOf<CollectedTrial> trial;
  trial.add("name", &CollectedTrial::name, "the trial's name").required();
  trial.add_groups("overrides", &CollectedTrial::overrides, override, "what it changes").required();
  trial.add_groups("stages", &CollectedTrial::stages, stage, "stages with metrics").required();
  return trial;
}

SchemaOf<CollectedDecision> declare_decision() {
  using Decision = CollectedDecision;
  SchemaOf<Decision> schema;
  schema.add("rung", &Decision::rung, "from 1").required();
  schema.add("amount", &Decision::amount, "how much of the resource it got").required();
  schema.add("configuration", &Decision::configuration, "its name").required();
  schema.add("value", &Decision::value, "the objective's mean over seeds; empty: failed");
  schema.add("rank", &Decision::rank, "from 1, the best").required();
  schema.add("goes_on", &Decision::goes_on, "whether it enters the next rung").required();
  schema.add("reason", &Decision::reason, "why, in words").required();
  return schema;
}

SchemaOf<CollectTrialsParams> declare() {
  using Params = CollectTrialsParams;
  SchemaOf<Params> schema;
  schema.add("objective", &Params::objective, "the metric to be best in: evaluate.greedy");
  schema.add("maximize", &Params::maximize, "whether more of it is better");
  schema.add("metrics", &Params::metrics, "columns of the table; empty: all metrics");
  schema.add_groups("trials", &Params::trials, declare_trial(), "the trials").required();
  schema.add_groups("decisions", &Params::decisions, declare_decision(),
                    "of successive halving: who goes on from each rung");
  schema.add("resource", &Params::resource, "of successive halving: the axis that is given out");
  schema.add("without_seeds", &Params::without_seeds,
             "stages that do not depend on the seeds: their results are one measurement");
  return schema;
}

// Metrics files by port and item. Failed stages have none.
using MetricFiles = std::map<std::pair<std::string, std::string>, Path>;

MetricFiles metric_files(const StageContext& context) {
  MetricFiles files;
  for (const InputPaths& input : context.inputs()) {
    for (std::size_t i = 0; i < input.paths.size(); ++i)
      files[{input.port, input.items[i]}] = input.paths[i];
  }
  return files;
}

TrialResult read_trial(const MetricFiles& files, const CollectedTrial& trial) {
  TrialResult result;
  result.name = trial.name;
  for (const TrialOverride& override : trial.overrides)
    result.overrides.push_back({override.path, {override.value, {}}, 0});
  for (const TrialStage& stage : trial.stages) {
    const auto found = files.find({stage.port, stage.item});
    if (found == files.end()) continue;
    const std::optional<Json> metrics =
        parse_json(RealFileSystem().read(found->second).value_or(""));
    if (metrics && !metrics->is_null()) result.metrics[stage.name] = *metrics;
  }
  return result;
}

Table decision_table(const std::vector<CollectedDecision>& decisions) {
  Table table({"rung", "amount", "configuration", "value", "rank", "goes_on", "reason"});
  for (const CollectedDecision& decision : decisions) {
    table.add({std::to_string(decision.rung), std::to_string(decision.amount),
               decision.configuration, decision.value, std::to_string(decision.rank),
               decision.goes_on ? "1" : "0", decision.reason});
  }
  return table;
}

void run_collect_trials(StageContext& context) {
  const CollectTrialsParams params = collect_trials_schema().read(context.params());
  std::vector<TrialResult> trials;
  const MetricFiles metrics = metric_files(context);
  for (const CollectedTrial& trial : params.trials) trials.push_back(read_trial(metrics, trial));
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
  type.summary = "collects the metrics of a sweep's trials; every sweep has one, called trials";
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
       .help = "of successive halving: who goes on from each rung, and why",
       .location = {}}};
  type.builtin = run_collect_trials;
  return type;
}

}  // namespace headway
