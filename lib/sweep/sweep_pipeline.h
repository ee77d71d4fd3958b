// A sweep's trials as one pipeline: what they share is there once, and behind them come the table
// of all trials and the sweep's own stages. What is planned, run, explained and compared is this
// pipeline, by the same code as any other.
#pragma once

#include <string>
#include <vector>

#include "lib/spec/document.h"
#include "lib/sweep/halving.h"
#include "lib/sweep/merge.h"
#include "lib/sweep/sweep_spec.h"

namespace headway {

struct SweepTrial {
  Trial trial;
  std::vector<StagePlace> stages;
};

struct SweepPipeline {
  PipelineSpec pipeline;  // `variant` is the sweep's name
  SweepSpec sweep;
  std::vector<SweepTrial> trials;
  std::vector<Trial> failed;             // of halving: that got no further, and are not in it
  std::vector<std::string> unused_axes;  // that no stage depends on: their trials are the same
};

// Stages that do not depend on the seeds: trials that differ in these alone share their results,
// which are one measurement and not several.
std::vector<std::string> stages_without_seeds(const SweepPipeline& sweep_pipeline);

// Which sweep of which variation of a file.
struct SweepRequest {
  std::string name;  // empty: the file's only sweep, or after the axes
  SweepChanges changes;
  std::string variant;
  std::vector<std::string> sets;
};

// What the sweep of a variant is called: "heads@wide".
inline std::string sweep_label(const std::string& sweep, const std::string& variant) {
  return variant.empty() ? sweep : sweep + "@" + variant;
}

// The type of the stage `trials`.
inline constexpr const char* kTrialsType = "collect-trials";

// A sweep that was read, ready to be made into campaigns: one for a grid or a random search, one
// for each rung of a halving. Holds the file as it was read, so editing it meanwhile changes
// nothing.
class SweepLoader {
 public:
  // Throws PipelineError with every mistake of the declaration.
  SweepLoader(PipelineFile file, const SweepRequest& request, const StageRegistry& registry,
              FileSystem& files);

  const SweepSpec& sweep() const { return sweep_; }
  const std::vector<std::string>& sets() const { return options_.sets; }
  // All that the search would try, of halving: at the full amount. May be many: see count().
  std::vector<Trial> trials() const;
  std::size_t count() const;  // without making them
  // Of halving: the full amount of the resource.
  std::int64_t full_amount() const { return full_amount_; }
  // One trial as a pipeline of its own.
  PipelineSpec load_trial(const Trial& trial) const;
  // The trial with that much of the resource.
  Trial with_amount(const Trial& trial, std::int64_t amount) const;

  enum class Extent {
    kObjective,  // trials run to the stage of the objective
    kAll,        // to the end, or where `until` says
  };
  struct Request {
    Trial trial;
    Extent extent = Extent::kAll;
  };
  // `summed_up`: with the table of trials (and of the `decisions` between rungs) and the sweep's
  // own stages. Throws PipelineError with the mistakes of all trials, each once.
  SweepPipeline load(const std::vector<Request>& trials, bool summed_up,
                     const std::vector<RungDecisions>& decisions = {}) const;
  SweepPipeline load_all() const;  // every trial, to the end

 private:
  void interpolate(const Value& params, InterpolationBudget& budget, Diagnostics& diagnostics);
  std::int64_t amount_in_file() const;
  PipelineSpec load_overridden(const std::vector<Assignment>& overrides) const;
  void prolong_schedules(const Trial& trial, PipelineSpec& pipeline) const;
  std::vector<StageId> targets_of(PipelineSpec& pipeline, Extent extent) const;
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
