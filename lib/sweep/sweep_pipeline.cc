#include "lib/sweep/sweep_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/digest.h"
#include "lib/base/text.h"
#include "lib/spec/variation.h"

namespace headway {
namespace {

constexpr std::size_t kMostSweepStages = 200'000;  // also limits trials
constexpr std::size_t kMostMistakes = 40;

// Mistakes of all trials: each once, with its trials unless all have it.
class TrialMistakes {
 public:
  void add(const std::string& trial, const PipelineError& error) {
    for (const std::string& line : split(error.what(), '\n')) {
      const auto [found, is_new] = counts_.emplace(line, std::pair(trial, 0));
      ++found->second.second;
      if (is_new) order_.push_back(line);
    }
  }
  void throw_if_any(std::size_t trials) const {
    if (order_.empty()) return;
    std::vector<std::string> lines;
    for (const std::string& line : order_) {
      const auto& [trial, count] = counts_.at(line);
      std::string where;
      if (count < trials)
        where = count == 1 ? fmt::format(" (trial {})", trial)
                           : fmt::format(" (trial {} and {} more)", trial, count - 1);
      if (lines.size() < kMostMistakes) lines.push_back(line + where);
    }
    if (order_.size() > lines.size())
      lines.push_back(fmt::format("… and {} more mistakes", order_.size() - lines.size()));
    throw PipelineError(join(lines, "\n"));
  }

 private:
  std::map<std::string, std::pair<std::string, std::size_t>> counts_;
  std::vector<std::string> order_;
};

// The parameter `trials` of the stage that makes the table.
Json trial_params(const SweepTrial& trial, const PipelineSpec& pipeline) {
  Json params = {
      {"name", trial.trial.name}, {"overrides", Json::array()}, {"stages", Json::array()}};
  for (const Assignment& assignment : trial.trial.overrides)
    params["overrides"].push_back({{"path", assignment.path}, {"value", assignment.value.plain()}});
  for (const StagePlace& place : trial.stages) {
    const StageSpec& stage = pipeline.stages[place.stage];
    if (!stage.has_metrics()) continue;
    Json expect = Json::array();
    for (const Expectation& expectation : stage.expectations)
      expect.push_back({{"metric", expectation.metric},
                        {"sign", expectation.sign},
                        {"value", to_line(expectation.value)},
                        {"warns", expectation.warns}});
    params["stages"].push_back({{"name", place.name},
                                {"port", stage.family},
                                {"item", stage.name_over_variations()},
                                {"expect", std::move(expect)}});
  }
  return params;
}

}  // namespace

std::vector<MeasuredStage> stages_with_metrics(const PipelineSpec& pipeline) {
  std::vector<MeasuredStage> stages;
  for (const StageSpec& stage : pipeline.stages) {
    if (stage.has_metrics()) stages.push_back({stage.name, stage.type});
  }
  return stages;
}

std::vector<std::string> expected_metrics(const SweepPipeline& sweep_pipeline) {
  std::vector<std::string> metrics;
  std::set<std::string> seen;
  for (const SweepTrial& trial : sweep_pipeline.trials) {
    for (const StagePlace& place : trial.stages) {
      for (const Expectation& one : sweep_pipeline.pipeline.stages[place.stage].expectations) {
        if (seen.insert(place.name + "." + one.metric).second)
          metrics.push_back(place.name + "." + one.metric);
      }
    }
  }
  return metrics;
}

std::vector<std::string> stages_without_seeds(const SweepPipeline& sweep_pipeline) {
  std::map<std::string, std::map<std::string, std::set<StageId>>> found;  // stage, configuration
  for (const SweepTrial& trial : sweep_pipeline.trials) {
    std::string configuration;
    for (const Assignment& assignment : trial.trial.overrides) {
      if (!is_replicate(assignment.path))
        append_field(configuration, to_line(to_json(assignment.value)));
    }
    for (const StagePlace& place : trial.stages)
      found[place.name][configuration].insert(place.stage);
  }
  std::vector<std::string> names;
  for (const auto& [name, configurations] : found) {
    if (std::ranges::all_of(configurations, [](const auto& one) { return one.second.size() == 1; }))
      names.push_back(name);
  }
  return names;
}

SweepLoader::SweepLoader(PipelineFile file, const SweepRequest& request,
                         const StageRegistry& registry, FileSystem& files)
    : file_(std::move(file)), registry_(registry), files_(files) {
  options_.variant = request.variant;
  options_.sets = request.sets;
  Diagnostics diagnostics = file_.diagnostics;
  std::string name = request.name;
  const std::vector<std::string> declared = keys_of(sweeps_of(file_));
  if (name.empty() && request.changes.axes.empty()) {
    if (declared.size() != 1)
      throw PipelineError(
          "{}: {}", file_.file.string(),
          declared.empty()
              ? "declares no sweep: add 'sweeps' to it, or give --axis NAME=VALUE,VALUE"
              : fmt::format("which sweep? it declares {}", join(declared, ", ")));
    name = declared[0];
  }
  const Value* from_file = name.empty() ? nullptr : sweeps_of(file_).find(name);
  if (!from_file && request.changes.axes.empty())
    throw PipelineError("{}: unknown sweep '{}'{}", file_.file.string(), printable(name),
                        did_you_mean(name, declared));
  declaration_ = change_sweep(from_file, request.changes, diagnostics);
  if (name.empty()) {
    name = name_of_axes(declaration_);
    if (sweeps_of(file_).find(name))
      throw PipelineError(
          "headway sweep: {} declares a sweep '{}'; give these axes another name: headway sweep "
          "{} NAME --axis …",
          file_.file.string(), name, file_.file.string());
  }
  if (!from_file &&
      (!is_pipeline_name(name) || file_.stages.find(name) || file_.variants.find(name)))
    throw PipelineError(
        "headway sweep: '{}' is no name for a sweep: letters, digits, '_', '-' and '.', and no "
        "stage's or variant's name",
        printable(name));
  if (sweeps_of(file_).map()->empty()) refuse_trials_stage(file_, diagnostics);
  diagnostics.throw_if_any();
  InterpolationBudget budget;
  const Value params = vary(file_, options_, budget, diagnostics).params;
  interpolate(params, budget, diagnostics);
  sweep_ = read_sweep(name, declaration_, params, file_, registry_, diagnostics);
  for (const std::string& set : options_.sets) {
    for (const Axis& axis : sweep_.axes) {
      if (set.starts_with(axis.path + "="))
        diagnostics.add(axis.location, "'{}' is an axis; it cannot be set too", axis.path);
    }
  }
  sweep_.name = sweep_label(name, variation_name(file_, options_).text);
  diagnostics.throw_if_any();
  if (sweep_.is_halving()) full_amount_ = sweep_.most > 0 ? sweep_.most : amount_in_file();
}

// An axis may take its list from a parameter. The list's contents are interpolated with each trial,
// the sweep's own stages when they are read.
void SweepLoader::interpolate(const Value& params, InterpolationBudget& budget,
                              Diagnostics& diagnostics) {
  if (!declaration_.map()) return;
  const InterpolationScope scope{params, nullptr, budget, diagnostics};
  for (MapEntry& entry : *declaration_.map()) {
    if (entry.key == "stages") continue;
    if (entry.key != "axes" || !entry.value.map()) {
      entry.value = headway::interpolate(entry.value, scope);
      continue;
    }
    for (MapEntry& axis : *entry.value.map()) {
      if (axis.value.text()) axis.value = headway::interpolate(axis.value, scope);
    }
  }
}

std::size_t SweepLoader::count() const {
  if (sweep_.trials == 0) return grid_size(sweep_.axes);
  std::vector<Axis> tried(1);  // one axis with as many values as are drawn, beside the replicates
  tried[0].values.resize(sweep_.trials);
  std::ranges::copy_if(sweep_.axes, std::back_inserter(tried), tries_all);
  return grid_size(tried);
}

std::vector<Trial> SweepLoader::trials() const {
  return sweep_.trials > 0 ? random_trials(sweep_.axes, sweep_.trials, sweep_.seed)
                           : grid_trials(sweep_.axes);
}

PipelineSpec SweepLoader::load_overridden(const std::vector<Assignment>& overrides) const {
  LoadOptions options = options_;
  for (const Assignment& assignment : overrides)
    options.overrides.push_back(
        {assignment.path, assignment.value, assignment.value.location, false});
  return load_variation(file_, options, registry_, files_);
}

PipelineSpec SweepLoader::load_trial(const Trial& trial) const {
  PipelineSpec pipeline = load_overridden(trial.overrides);
  if (has_less(trial)) prolong_schedules(trial, pipeline);
  return pipeline;
}

Trial SweepLoader::with_amount(const Trial& trial, std::int64_t amount) const {
  Trial result = trial;
  result.overrides.push_back({sweep_.resource, {amount, sweep_.resource_location}, 0});
  const bool plain = trial.name == folder_name(trial.overrides);  // else it is ambiguous
  result.name = plain ? folder_name(result.overrides) : longer_folder_name(result.overrides);
  return result;
}

std::int64_t SweepLoader::amount_in_file() const {
  const PipelineSpec pipeline = load_overridden({});
  const Value* value = find_path(pipeline.params, sweep_.resource);
  const std::size_t dot = sweep_.resource.find('.');
  for (const StageSpec& stage : pipeline.stages) {
    if (!value && dot != std::string::npos && stage.family == sweep_.resource.substr(0, dot))
      value = find_path(stage.params, sweep_.resource.substr(dot + 1));
  }
  if (!value || !value->integer() || *value->integer() < 1)
    throw PipelineError(
        "{}: sweep '{}': '{}' is not an integer parameter; halving gives out a whole number of "
        "something, such as train.epochs ('max' says how many)",
        sweep_.resource_location.text(), sweep_.name, sweep_.resource);
  return *value->integer();
}

// A rung is the beginning of the full run: stages that can be continued get the full run's schedule
// unless they set their own.
void SweepLoader::prolong_schedules(const Trial& trial, PipelineSpec& pipeline) const {
  std::vector<Assignment> full = trial.overrides;
  for (Assignment& assignment : full) {
    if (assignment.path == sweep_.resource) assignment.value.data = full_amount_;
  }
  const PipelineSpec whole = load_overridden(full);
  for (std::size_t i = 0; i < pipeline.stages.size() && i < whole.stages.size(); ++i) {
    StageSpec& stage = pipeline.stages[i];
    if (!stage.type->prefix_params || whole.stages[i].name != stage.name) continue;
    Value* length = stage.params.find(stage.type->prefix_params->whole);
    const Value* amount = stage.params.find(stage.type->prefix_params->amount);
    const Value* all = whole.stages[i].params.find(stage.type->prefix_params->amount);
    if (length && length->integer() && *length->integer() == 0 && amount && all &&
        to_json(*amount) != to_json(*all))
      length->data = *all->integer();
  }
}

bool SweepLoader::has_less(const Trial& trial) const {
  if (!sweep_.is_halving()) return false;
  const auto amount = std::ranges::find(trial.overrides, sweep_.resource, &Assignment::path);
  return amount != trial.overrides.end() && *amount->value.integer() != full_amount_;
}

std::vector<StageId> SweepLoader::targets_of(const Trial& trial, PipelineSpec& pipeline) const {
  std::vector<StageId> targets;
  const bool is_short = has_less(trial);
  // The objective's stage must run.
  if (is_short || (!sweep_.until.empty() && !sweep_.objective.empty())) {
    const auto objective = split_metric(
        sweep_.objective, texts_of(stages_with_metrics(pipeline), &MeasuredStage::name));
    targets = select_stages(pipeline, objective->first);
  }
  if (is_short) return targets;
  for (const Value& name : sweep_.until) {
    try {
      if (!name.text()) throw UsageError("expects a stage's name, got " + name.describe());
      for (const StageId stage : select_stages(pipeline, *name.text())) targets.push_back(stage);
    } catch (const PipelineError&) {
      throw;
    } catch (const UsageError& error) {
      throw PipelineError("{}: sweep '{}': 'until': {}", name.location.text(), sweep_.name,
                          error.what());
    }
  }
  if (!targets.empty()) return targets;
  for (const StageId stage : pipeline.stages.ids()) targets.push_back(stage);
  return targets;
}

// The objective must be a metric of a stage. Where its type does not declare them, they are known
// only after it has run.
void SweepLoader::check_metrics(const PipelineSpec& pipeline) const {
  const std::vector<MeasuredStage> stages = stages_with_metrics(pipeline);
  const auto check = [&](const std::string& metric, const SourceLocation& location,
                         bool may_be_group) {
    const std::string mistake = metric_mistake(metric, stages, may_be_group);
    if (!mistake.empty())
      throw PipelineError("{}: sweep '{}': {}", location.text(), sweep_.name, mistake);
  };
  if (!sweep_.objective.empty()) check(sweep_.objective, sweep_.objective_location, false);
  for (const std::string& metric : sweep_.metrics) check(metric, sweep_.metrics_location, true);
}

SweepPipeline SweepLoader::load(const std::vector<Trial>& trials, bool summed_up,
                                const std::vector<RungDecisions>& decisions) const {
  SweepPipeline sweep_pipeline;
  sweep_pipeline.sweep = sweep_;
  PipelineSpec& pipeline = sweep_pipeline.pipeline = pipeline_without_stages(file_, options_);
  Merger merger(pipeline);
  TrialMistakes mistakes;
  for (const Trial& trial : trials) {
    try {
      PipelineSpec loaded = load_trial(trial);
      check_metrics(loaded);
      sweep_pipeline.trials.push_back(
          {trial, merger.add(trial, loaded, targets_of(trial, loaded))});
    } catch (const PipelineError& error) {
      mistakes.add(trial.name, error);
    }
    if (pipeline.stages.size() > kMostSweepStages)
      throw PipelineError("{}: sweep '{}' has more than {} stages", sweep_.location.text(),
                          sweep_.name, kMostSweepStages);
  }
  mistakes.throw_if_any(trials.size());
  pipeline.variant = sweep_.name;
  pipeline.is_merged = true;
  pipeline.own_command = {"sweep", sweep_.name.substr(0, sweep_.name.find('@'))};
  merger.name_stages();
  for (const Axis& axis : sweep_.axes) {
    if (axis.values.size() != 1 && trials.size() > 1 && !merger.depends_on(axis.path))
      sweep_pipeline.unused_axes.push_back(axis.path);
  }
  if (!summed_up) return sweep_pipeline;
  Diagnostics diagnostics;
  InterpolationBudget budget;
  pipeline.params = vary(file_, options_, budget, diagnostics).params;
  add_table(sweep_pipeline, decisions);
  if (sweep_.stages.map()) {
    for (const MapEntry& entry : *sweep_.stages.map()) {
      if (entry.key == kTrialsStage || file_.stages.find(entry.key))
        diagnostics.add(entry.key_location, "sweep '{}': there is a stage '{}' already",
                        sweep_.name, entry.key);
    }
    diagnostics.throw_if_any();
    append_stages(sweep_.stages, registry_, files_, pipeline, diagnostics);
  }
  diagnostics.throw_if_any();
  return sweep_pipeline;
}

SweepPipeline SweepLoader::load_all() const {
  if (count() > kMostSweepStages)
    throw PipelineError("{}: sweep '{}' has more than {} trials", sweep_.location.text(),
                        sweep_.name, kMostSweepStages);
  std::vector<Trial> all = trials();
  for (Trial& trial : all) {
    if (sweep_.is_halving()) trial = with_amount(trial, full_amount_);
  }
  return load(all, true);
}

void SweepLoader::add_table(SweepPipeline& sweep_pipeline,
                            const std::vector<RungDecisions>& decisions) const {
  PipelineSpec& pipeline = sweep_pipeline.pipeline;
  const StageType* type = registry_.find(kTrialsType);
  if (!type) return;  // this program has no such stage type, so it makes no tables
  StageSpec table;
  table.family = table.name = kTrialsStage;
  table.location = sweep_.location;
  table.type = type;
  table.outputs = type->outputs;
  std::map<std::string, FanIn> families;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    if (!pipeline.stages[i].has_metrics()) continue;
    FanIn& fan_in = families[pipeline.stages[i].family];
    fan_in.family = pipeline.stages[i].family;
    fan_in.output = pipeline.stages[i].find_output("metrics");
    fan_in.over_variations = true;
    fan_in.members.push_back(StageId(i));
  }
  for (auto& [family, fan_in] : families) {
    Source source;
    source.fan_in = pipeline.fan_ins.next_id();
    source.location = sweep_.location;
    table.inputs.push_back({family, sweep_.location, {source}});
    pipeline.fan_ins.push_back(std::move(fan_in));
  }
  Json given = {
      {"objective", sweep_.objective}, {"maximize", sweep_.maximise},
      {"metrics", sweep_.metrics},     {"decisions", Json::array()},
      {"resource", sweep_.resource},   {"without_seeds", stages_without_seeds(sweep_pipeline)},
      {"trials", Json::array()},       {"expected", expected_metrics(sweep_pipeline)}};
  for (const SweepTrial& trial : sweep_pipeline.trials)
    given["trials"].push_back(trial_params(trial, pipeline));
  for (const RungDecisions& rung : decisions) {
    for (Json& decision : to_json(rung)) given["decisions"].push_back(std::move(decision));
  }
  Diagnostics diagnostics;
  table.params = type->params->resolve(from_json(given, sweep_.location), table.subject(),
                                       sweep_.location, diagnostics);
  diagnostics.throw_if_any();
  pipeline.stages.push_back(std::move(table));
}

}  // namespace headway
