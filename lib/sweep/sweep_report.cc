#include "lib/sweep/sweep_report.h"

#include <algorithm>

#include "lib/spec/load.h"
#include "lib/sweep/comparison.h"
#include "lib/sweep/trial_results.h"

namespace headway {

constexpr const char* kTrialsInput = "trials";
constexpr const char* kPlotType = "plot";

namespace {

bool has_figure(const PipelineSpec& pipeline) {
  return std::ranges::any_of(pipeline.stages, [](const StageSpec& stage) {
    return stage.family == kDefaultFigure ||
           (stage.places.empty() && stage.type->name == kPlotType);
  });
}

// The parameters of a plot of the first metric.
Json plot_params(const Comparison& comparison) {
  const bool has_two = comparison.axes.size() == 2, has_objective = !comparison.objective.empty();
  const std::string& metric = comparison.metrics.front();
  Json params = {{"kind", has_two ? "sweep-heatmap" : "sweep-lines"},
                 {"x", comparison.axes.back()},
                 {"metric", metric},
                 {"goal", comparison.maximise || !has_objective ? "max" : "min"}};
  if (has_two) params["rows"] = comparison.axes.front();
  if (!has_objective)  // none is the best
    params["title"] =
        has_two ? metric + " (framed: the largest)" : metric + " against " + comparison.axes.back();
  return params;
}

}  // namespace

DefaultFigure add_default_figure(SweepPipeline& sweep_pipeline,
                                 const std::vector<TrialResult>& results,
                                 const StageRegistry& registry, FileSystem& files) {
  PipelineSpec& pipeline = sweep_pipeline.pipeline;
  if (sweep_pipeline.sweep.is_halving() || !registry.find(kPlotType) || has_figure(pipeline))
    return DefaultFigure::kNone;
  const ComparisonOptions options = comparison_options(sweep_pipeline, results);
  const Comparison comparison = compare_trials(trial_table(results, {}, options.metrics), options);
  if (comparison.axes.empty() || comparison.axes.size() > 2) return DefaultFigure::kNone;
  const auto has_result = [](const Comparison::Row& row) { return row.metrics[0].count > 0; };
  if (comparison.metrics.empty() || std::ranges::none_of(comparison.rows, has_result))
    return DefaultFigure::kAwaitsResults;
  const SourceLocation location{SourceLocation::intern("the default report"), 0, 0};
  const Json stage = {
      {"uses", kPlotType}, {"in", {{"table", kTrialsStage}}}, {"with", plot_params(comparison)}};
  Diagnostics diagnostics;
  append_stages(from_json({{kDefaultFigure, stage}}, location), registry, files, pipeline,
                diagnostics);
  diagnostics.throw_if_any();
  return DefaultFigure::kAdded;
}

void make_figure_optional(PipelineSpec& pipeline) {
  for (StageSpec& stage : pipeline.stages) {
    for (InputSpec& input : stage.inputs) {
      if (input.port != kDefaultFigure) continue;
      Source& source = input.sources.front();
      const FanInId fan_in = pipeline.fan_ins.next_id();
      pipeline.fan_ins.push_back({.family = kDefaultFigure,
                                  .output = source.output,
                                  .members = {source.stage},
                                  .over_variations = true});
      source = {.fan_in = fan_in, .location = source.location};
    }
  }
}

// The comparison's Markdown form is left out: the template shows the same.
std::optional<std::string> sweep_input_name(const StageSpec& stage, const Output& output) {
  if (stage.type->name != kTrialsType) return std::nullopt;
  if (output.name == "table") return kTrialsInput;
  return output.name == "markdown" ? "" : output.name;
}

bool is_of_sweep(const Provenance& provenance) {
  for (const StageOrigin::Input& input : provenance.inputs) {
    if (input.port != kTrialsInput || input.sources.empty()) continue;
    const StageOrigin* stage = provenance.maker_of(input.sources.front());
    return stage && stage->type == kTrialsType;
  }
  return false;
}

}  // namespace headway
