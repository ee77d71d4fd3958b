// `collect-trials`: collects the metrics of all trials of a sweep in one table. Every sweep adds
// this stage, with an input for each stage that writes metrics (lib/sweep/sweep_pipeline.cc). Needs
// no worker.
#include <algorithm>
#include <map>

#include "lib/base/json.h"
#include "lib/sweep/comparison.h"
#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trial_table.h"
#include "stages/artifacts.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

constexpr std::size_t kMostLeading = 4;  // metrics that a page has room for
constexpr const char* kFailed = "failed";

constexpr const char* kCollectTrialsExample =
    "  sweeps:\n"
    "    heads:                      # adds it under the name trials\n"
    "      axes: {model.n_heads: [1, 2, 4, 8], seed: [1, 2, 3]}\n"
    "      maximize: evaluate.greedy\n"
    "      stages:\n"
    "        lines:\n"
    "          uses: plot\n"
    "          in: {table: trials}\n"
    "          with: {kind: sweep-lines, x: model.n_heads, metric: evaluate.greedy}\n";

struct TrialOverride {
  std::string path;
  std::string value;  // as text
};

// See Expectation.
struct TrialExpectation {
  std::string metric;
  std::string sign;
  std::string value;  // JSON
  bool warns = false;
};

// The metrics of one stage of a trial: an item of an input.
struct TrialStage {
  std::string name;  // name in the trial
  std::string port;
  std::string item;
  std::vector<TrialExpectation> expect;
};

struct CollectedTrial {
  std::string name;
  std::vector<TrialOverride> overrides;
  std::vector<TrialStage> stages;
};

// See RungDecisions.
struct CollectedDecision {
  std::int64_t rung = 1;
  std::int64_t amount = 1;
  std::string configuration;
  std::string value;  // empty: failed
  std::int64_t rank = 1;
  bool goes_on = false;
  std::string reason;
};

struct CollectTrialsParams : ComparisonOptions {
  std::vector<CollectedTrial> trials;
  std::vector<CollectedDecision> decisions;

  static SchemaOf<CollectTrialsParams> schema();
};

SchemaOf<CollectedTrial> declare_trial() {
  SchemaOf<TrialOverride> override;
  override.add("path", &TrialOverride::path, "the parameter").required();
  override.add("value", &TrialOverride::value, "its value in this trial, as text").required();
  SchemaOf<TrialExpectation> expectation;
  expectation.add("metric", &TrialExpectation::metric, "the metric").required();
  expectation.add("sign", &TrialExpectation::sign, "the comparison").required();
  expectation.add("value", &TrialExpectation::value, "what it is compared with").required();
  expectation.add("warns", &TrialExpectation::warns, "whether missing it is no failure");
  SchemaOf<TrialStage> stage;
  stage.add("name", &TrialStage::name, "the stage's name in the trial").required();
  stage.add("port", &TrialStage::port, "the input that has its metrics").required();
  stage.add("item", &TrialStage::item, "the item of that input").required();
  stage.add_groups("expect", &TrialStage::expect, expectation, "what is expected of its metrics");
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

SchemaOf<CollectTrialsParams> CollectTrialsParams::schema() {
  using Params = CollectTrialsParams;
  SchemaOf<Params> schema;
  schema.add("objective", &Params::objective, "the metric to be best in: evaluate.greedy");
  schema.add("maximize", &Params::maximise, "whether more of it is better");
  schema.add("metrics", &Params::metrics, "columns of the table; empty: all metrics");
  schema.add_groups("trials", &Params::trials, declare_trial(), "the trials").required();
  schema.add_groups("decisions", &Params::decisions, declare_decision(),
                    "of successive halving: who goes on from each rung");
  schema.add("resource", &Params::resource, "of successive halving: the axis that is given out");
  schema.add("without_seeds", &Params::without_seeds,
             "stages that do not depend on the seeds: their results are one measurement");
  schema.add("expected", &Params::expected, "metrics with an `expect`: they lead the tables");
  return schema;
}

// Metrics files, and why stages have none, by port and item.
struct MetricFiles {
  std::map<std::pair<std::string, std::string>, Path> paths;
  std::map<std::pair<std::string, std::string>, std::string> losses;
};

MetricFiles metric_files(const StageContext& context) {
  MetricFiles files;
  for (const InputPaths& input : context.inputs()) {
    for (std::size_t i = 0; i < input.paths.size(); ++i)
      files.paths[{input.port, input.items[i]}] = input.paths[i];
    for (const LostItem& lost : input.lost) files.losses[{input.port, lost.item}] = lost.reason;
  }
  return files;
}

TrialResult read_trial(const MetricFiles& files, const CollectedTrial& trial) {
  TrialResult result;
  result.name = trial.name;
  for (const TrialOverride& override : trial.overrides)
    result.overrides.push_back({override.path, {override.value, {}}, 0});
  for (const TrialStage& stage : trial.stages) {
    const auto found = files.paths.find({stage.port, stage.item});
    if (found == files.paths.end()) continue;
    const std::optional<Json> metrics =
        parse_json(RealFileSystem().read(found->second).value_or(""));
    if (metrics && !metrics->is_null()) result.metrics[stage.name] = *metrics;
  }
  return result;
}

// What kept trials from success. A stage without metrics has failed, or never ran because another
// one did; the first of a trial says enough.
void add_failures(const CollectedTrial& trial, const TrialResult& result, const MetricFiles& files,
                  Table& failures) {
  bool is_told = false;
  for (const TrialStage& stage : trial.stages) {
    const auto metrics = result.metrics.find(stage.name);
    if (metrics == result.metrics.end()) {
      const auto loss = files.losses.find({stage.port, stage.item});
      if (!is_told)
        failures.add({trial.name, stage.name, kFailed,
                      loss == files.losses.end() ? "it has no result" : loss->second});
      is_told = true;
      continue;
    }
    for (const TrialExpectation& expect : stage.expect) {
      const Expectation expectation{
          expect.metric, expect.sign, parse_json(expect.value).value_or(nullptr), {}, expect.warns};
      const std::optional<std::string> message = unmet(expectation, metrics->second);
      if (!message) continue;
      failures.add({trial.name, stage.name, expect.warns ? "warning" : kFailed, *message});
      is_told = is_told || !expect.warns;
    }
  }
}

Table decision_table(const std::vector<CollectedDecision>& decisions) {
  Table table({"rung", "amount", "configuration", "value", "rank", "goes_on", "reason"});
  for (const CollectedDecision& decision : decisions)
    table.add({std::to_string(decision.rung), std::to_string(decision.amount),
               decision.configuration, decision.value, std::to_string(decision.rank),
               decision.goes_on ? "1" : "0", decision.reason});
  return table;
}

void run_collect_trials(StageContext& context) {
  const auto params = read_params<CollectTrialsParams>(context);
  std::vector<TrialResult> trials;
  const MetricFiles metrics = metric_files(context);
  for (const CollectedTrial& trial : params.trials) trials.push_back(read_trial(metrics, trial));
  std::vector<std::string> wanted = params.metrics;
  const bool named = std::ranges::find(wanted, params.objective) != wanted.end();
  if (!wanted.empty() && !params.objective.empty() && !named)
    wanted.insert(wanted.begin(), params.objective);
  const Table table = trial_table(trials, wanted);
  ComparisonOptions options = params;
  options.metrics.clear();  // the table has only these
  Table failures({"trial", "stage", "status", "reason"});
  for (std::size_t i = 0; i < trials.size(); ++i)
    add_failures(params.trials[i], trials[i], metrics, failures);
  for (const std::vector<std::string>& row : failures.rows()) {
    if (row[2] == kFailed) options.failed.push_back(row[0]);
  }
  const Comparison comparison = compare_trials(table, options);
  options.most_metrics = kMostLeading;
  const Comparison overview = compare_trials(table, options);
  write_table(context, "table", table);
  write_table(context, "leading", trial_table(trials, overview.metrics));
  write_table(context, "overview", to_table(overview));
  write_table(context, "failures", failures);
  write_table(context, "comparison", to_table(comparison));
  write_output(context, "markdown", to_markdown(comparison));
  write_table(context, "decisions", decision_table(params.decisions));
}

}  // namespace

StageType collect_trials_stage() {
  StageType type;
  type.name = kTrialsType;
  type.version = 2;
  type.summary = "collects the metrics of a sweep's trials; every sweep has one, called trials";
  type.example = kCollectTrialsExample;
  type.params = schema_of<CollectTrialsParams>();
  type.outputs = {
      {"table", "table.csv", "a row for each trial: axes, trial, metrics"},
      {"leading", "leading.csv",
       "the same with a few metrics: the objective, those with an `expect`, those that differ "
       "most"},
      {"comparison", "comparison.csv",
       "a row for each configuration: mean and 95 % interval over seeds, the best first"},
      {"overview", "overview.csv", "the same with the metrics of `leading`"},
      {"markdown", "comparison.md", "the same as `comparison`, for a page"},
      {"failures", "failures.csv",
       "trials that failed or miss an `expect`: trial, stage, status (failed or warning), reason"},
      {"decisions", "decisions.csv", "of successive halving: who goes on from each rung, and why"}};
  type.builtin = run_collect_trials;
  return type;
}

}  // namespace headway
