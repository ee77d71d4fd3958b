// A sweep's trials as one pipeline: shared stages occur once, followed by the trial table and the
// sweep's own stages. It is planned, run, explained and compared like any pipeline.
#pragma once

#include <string>
#include <vector>

#include "lib/spec/document.h"
#include "lib/sweep/halving.h"
#include "lib/sweep/merge.h"
#include "lib/sweep/sweep_spec.h"
#include "lib/sweep/trial_table.h"

namespace headway {

struct SweepTrial {
  Trial trial;
  std::vector<StagePlace> stages;
};

struct SweepPipeline {
  PipelineSpec pipeline;  // `variant` is the sweep's name
  SweepSpec sweep;
  std::vector<SweepTrial> trials;
  std::vector<Trial> failed;             // in earlier rungs of halving; not in `trials`
  std::vector<std::string> unused_axes;  // no stage depends on them: their trials are equal
};

// The stages that write metrics, whether they have run or not.
std::vector<MeasuredStage> stages_with_metrics(const PipelineSpec& pipeline);

// The metrics that some trial has an `expect` for, in the order of the file: "evaluate.greedy".
std::vector<std::string> expected_metrics(const SweepPipeline& sweep_pipeline);

// Stages that do not depend on the seeds: trials that differ only in seeds share their results, so
// they are one measurement.
std::vector<std::string> stages_without_seeds(const SweepPipeline& sweep_pipeline);

// A sweep of a file, or of a variation of it.
struct SweepRequest {
  std::string name;  // empty: the file's only sweep, or named after the axes
  SweepChanges changes;
  std::string variant;
  std::vector<std::string> sets;
};

// The label of a variation's sweep: "heads@wide".
inline std::string sweep_label(const std::string& sweep, const std::string& variation) {
  return variation.empty() ? sweep : sweep + "@" + variation;
}

// The type of the stage `trials`.
inline constexpr const char* kTrialsType = "collect-trials";

// A parsed sweep, from which pipelines are made: one for a grid or random search, one per rung for
// halving. Keeps the file's contents, so later edits have no effect.
class SweepLoader {
 public:
  // Throws PipelineError with all mistakes of the declaration.
  SweepLoader(PipelineFile file, const SweepRequest& request, const StageRegistry& registry,
              FileSystem& files);

  const SweepSpec& sweep() const { return sweep_; }
  const std::vector<std::string>& sets() const { return options_.sets; }
  // All trials of the search; for halving at the full amount. May be many: see count().
  std::vector<Trial> trials() const;
  std::size_t count() const;  // does not create them
  // For halving: the full amount of the resource.
  std::int64_t full_amount() const { return full_amount_; }
  // One trial as a pipeline.
  PipelineSpec load_trial(const Trial& trial) const;
  // The trial with this amount of the resource.
  Trial with_amount(const Trial& trial, std::int64_t amount) const;

  // Trials with less than the full amount run up to the objective's stage, others to the end or to
  // `until`. `summed_up`: include the trial table (with the `decisions` between rungs) and the
  // sweep's own stages. Throws PipelineError with the mistakes of all trials, each once.
  SweepPipeline load(const std::vector<Trial>& trials, bool summed_up,
                     const std::vector<RungDecisions>& decisions = {}) const;
  SweepPipeline load_all() const;  // every trial, to the end

 private:
  void interpolate(const Value& params, InterpolationBudget& budget, Diagnostics& diagnostics);
  std::int64_t amount_in_file() const;
  PipelineSpec load_overridden(const std::vector<Assignment>& overrides) const;
  void prolong_schedules(const Trial& trial, PipelineSpec& pipeline) const;
  bool has_less(const Trial& trial) const;  // than the full amount of the resource
  std::vector<StageId> targets_of(const Trial& trial, PipelineSpec& pipeline) const;
  void check_metrics(const PipelineSpec& pipeline) const;
  void add_table(SweepPipeline& sweep_pipeline, const std::vector<RungDecisions>& decisions) const;

  PipelineFile file_;
  LoadOptions options_;
  const StageRegistry& registry_;
  FileSystem& files_;
  Value declaration_;
  SweepSpec sweep_;
  std::int64_t full_amount_ = 0;
};

}  // namespace headway
