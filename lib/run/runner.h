// Runs a pipeline: plans, schedules, and takes each stage through its life: facts -> key -> look-up
// -> make -> show. Files, processes and what people see are behind seams, so every rule is tested
// in memory.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/interrupt.h"
#include "lib/run/observer.h"
#include "lib/run/plan.h"
#include "lib/run/scheduler.h"
#include "lib/run/stage_attempt.h"
#include "lib/store/outputs_tree.h"

namespace headway {

struct RunOptions {
  std::string id;
  Path work;  // a folder of this run alone
  int cpus = 1;
  std::uint64_t memory = 0;  // bytes that stages may claim together; 0: no limit
  bool keep_going = false;
  std::vector<bool> selected;  // nodes of the graph; empty: all
  std::vector<bool> forced;    // stages; empty: none
  bool forgets = true;  // what the pipeline no longer has vanishes from outputs/ and the history
  std::vector<std::string> kept_stages;  // but not these, which somebody adds to it now and then
  std::vector<bool> only;  // stages that may run; empty: all. Others must be fresh already.
};

class Runner {
 public:
  Runner(const PipelineSpec& pipeline, const Graph& graph, Store& store, StageExecutor& executor,
         Observer& observer, Interrupt& interrupt, RunOptions options);

  RunSummary run();

 private:
  NodeResult run_node(int node);
  // `key_told` gets the key as soon as it is known, for reports of what goes wrong after.
  NodeResult run_stage(int node, std::string& key_told);
  // Nothing where this stage may make the key; else what to do instead.
  std::optional<NodeResult> claim(const Digest& key, int node, bool& made_before);
  void release(const Digest& key, const std::string& failure);
  NodeResult make(int node, const Digest& key, const std::vector<SourcedFact>& facts, bool forced,
                  const std::string& damage);

  NodeResult finish(int node, std::shared_ptr<const Record> record, StageReport report);
  NodeResult finish_safely(int node, std::shared_ptr<const Record> record, StageReport report);
  NodeResult end_badly(const StageSpec& stage, StageReport report);
  std::string broken_expectations(const StageSpec& stage, const Record& record);
  void skip(int node, int because_of);
  void tell(const StageReport& report);
  void note(const std::string& stage, StageStatus status, const Digest& key,
            const std::string& message);
  void note_done(const std::string& stage, const Record& record, const StageReport& report);

  std::map<std::string, double> seconds_by_family() const;
  Schedule schedule_of(const Plan& plan) const;
  void refuse_others(const Plan& plan);
  void finish_fresh(const Plan& plan, Schedule& schedule);
  void forget_removed_stages();
  void hide_removed_variations();
  void summarise(std::size_t selected, double seconds);

  const PipelineSpec& pipeline_;
  const Graph& graph_;
  Store& store_;
  Observer& observer_;
  Interrupt& interrupt_;
  const RunOptions options_;
  PipelineState state_;
  OutputsTree tree_;
  FactMaker facts_;
  StageMaker maker_;
  Finished finished_;  // an element is set before whoever reads it is started

  std::mutex mutex_;                    // guards all below
  std::map<Digest, int> making_;        // key -> the stage that makes it now
  std::map<Digest, std::string> made_;  // key -> how it failed in this run; "" where it was made
  RunSummary summary_;
};

}  // namespace headway
