#include "lib/sweep/sweep_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/sweep/trial_results.h"

namespace headway {
namespace {

// The reason beside "goes on", which need not say so again. Only what is printed: reasons are facts
// of the trial table, so other words would make every table anew.
std::string printed_reason(const Decision& decision) {
  constexpr std::string_view kAgain = ", goes on";
  std::string reason = decision.reason;
  if (reason.ends_with(kAgain)) reason.resize(reason.size() - kAgain.size());
  return reason;
}

}  // namespace

SweepOutcome run_sweep(const SweepLoader& loader, SweepPipeline all, const SweepSteps& steps,
                       const Path& outputs, FileSystem& files) {
  SweepOutcome outcome;
  const auto run = [&](const SweepPipeline& sweep_pipeline, bool last) {
    const RunSummary summary = steps.run(sweep_pipeline, last);
    outcome.interrupted = summary.interrupted;
    outcome.exit_code =
        summary.interrupted ? summary.exit_code : std::max(outcome.exit_code, summary.exit_code);
    return !summary.interrupted;
  };
  if (!loader.sweep().is_halving()) {
    run(all, true);
    outcome.sweep_pipeline = std::move(all);
    return outcome;
  }
  const auto results = [&](const SweepPipeline& rung) { return results_of(rung, outputs, files); };
  outcome.sweep_pipeline = run_halving(loader, {run, results, steps.decided});
  return outcome;
}

std::string draws_text(const SweepLoader& loader, const SweepPipeline& all) {
  const SweepSpec& sweep = loader.sweep();
  if (sweep.trials == 0 || sweep.is_halving()) return "";
  std::size_t seeds = 1;
  for (const Axis& axis : sweep.axes) {
    if (tries_all(axis)) seeds *= axis.values.size();
  }
  const std::size_t different = all.trials.size() / seeds;
  if (different >= sweep.trials) return "";
  return fmt::format("{} configurations were drawn, {} of them are different\n", sweep.trials,
                     different);
}

std::string halving_text(const SweepLoader& loader) {
  const HalvingPlan plan = plan_of(loader);
  std::vector<std::string> rungs;
  for (std::size_t i = 0; i < plan.amounts.size(); ++i)
    rungs.push_back(
        fmt::format("{} with {}={}", plan.places[i], loader.sweep().resource, plan.amounts[i]));
  return fmt::format("successive halving, {}: {}\n", count_of(rungs.size(), "rung"),
                     join(rungs, ", "));
}

std::string decisions_text(const RungDecisions& rung, const std::string& resource) {
  std::vector<std::vector<std::string>> rows;
  for (const Decision& decision : rung.decisions)
    rows.push_back({"  " + decision.configuration, decision.goes_on ? "goes on" : "stops",
                    printed_reason(decision)});
  return fmt::format("rung {} of {}, {}={}:\n{}", rung.rung, rung.rungs, resource, rung.amount,
                     format_table(rows));
}

Json decision_events(const RungDecisions& rung) {
  Json events = to_json(rung);
  for (Json& event : events) {
    event["event"] = "decision";
    event.erase("value");
  }
  return events;
}

std::string sweep_results_text(const SweepPipeline& sweep_pipeline,
                               const std::vector<TrialResult>& results, std::size_t width,
                               bool is_terminal, const std::string& show_all) {
  constexpr std::size_t kMostRows = 20;
  ComparisonOptions options = comparison_options(sweep_pipeline, results);
  options.most_rows = kMostRows;
  const Table table = trial_table(results, {}, options.metrics);
  std::string text;
  try {
    text = "\n" + fitting_text(table, options, width, is_terminal);
  } catch (const Error& error) {  // no trial has a requested metric: show the others
    options.metrics.clear();
    options.objective.clear();
    text =
        fmt::format("\n{}\n\n{}", error.what(), fitting_text(table, options, width, is_terminal));
  }
  if (table.size() > kMostRows) text += fmt::format("`{}` shows all\n", show_all);
  for (const std::string& axis : sweep_pipeline.unused_axes)
    text += fmt::format("no stage depends on '{}': trials that differ in it alone are the same\n",
                        axis);
  return text;
}

}  // namespace headway
