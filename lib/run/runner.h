// Runs a pipeline: plans, schedules, and takes each stage through facts -> key -> lock -> look-up
// -> attempts -> show. Files, processes and observers are interfaces, so tests run in memory.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/interrupt.h"
#include "lib/run/observer.h"
#include "lib/run/plan.h"
#include "lib/run/scheduler.h"
#include "lib/run/session.h"
#include "lib/run/stage_attempt.h"
#include "lib/store/outputs_tree.h"

namespace headway {

struct RunOptions {
  RunLimits limits = {};
  Selection selection = {};
  bool forgets = true;  // remove stages that left the pipeline from outputs/ and the history
  std::vector<std::string> kept_stages = {};  // never removed: a client adds them in some runs only
  // Record::origin of all results of this run. Called once, before the first is stored.
  std::function<Json()> origin = nullptr;
  bool resume_on_other_numerics = false;  // StageJob::resume_on_other_numerics of all jobs
};

class Runner {
 public:
  // All arguments except `options` must outlive the Runner.
  Runner(const PipelineSpec& pipeline, const Graph& graph, Store& store, const RunSession& session,
         StageExecutor& executor, Observer& observer, const Interrupt& interrupt,
         RunOptions options);

  // Call once. Failed stages are in the summary. Throws UsageError if the pipeline's name is taken,
  // --only leaves out a stage that must run or a stage asks for gpus that are not there, and Error
  // if the run itself cannot go on.
  RunSummary run();

 private:
  // A stage that has started and not ended.
  struct Work {
    bool forced = false;
    bool waits = false;              // another process is making the same key
    std::unique_ptr<FileLock> lock;  // of the key
    std::string reason;              // why it runs
    std::optional<StageAttempt> attempt;
  };

  // The steps of a stage. Each is one task; between start_attempt() and end_attempt() only the
  // executor works on it.
  void start_stage(StageId stage);
  void lock_key(StageId stage);
  void start_attempt(StageId stage);
  void end_attempt(StageId stage, const StageResult& result);
  // Runs one step; an exception ends the stage.
  void guard(StageId stage, const std::function<void()>& part);
  void post(StageId stage, std::function<void()> part);
  void end_stage(StageId stage, const WorkResult& result);

  const StagePlan& update_plan(StageId stage);
  // Nullopt if this stage may make the key; otherwise what to do instead.
  std::optional<WorkResult> claim(const Digest& key, StageId stage, bool& made_before);
  void release(const Digest& key, StageId stage, const std::string& failure);
  void prepare_making(StageId stage, const std::string& damage);

  void show(StageId stage, const Record& record, bool thorough);
  WorkResult finish(StageId stage, const std::shared_ptr<const Record>& record, StageEnd end);
  WorkResult end_badly(StageId stage, const StageEnd& end);
  void skip(StageId stage, StageId because_of);
  void announce(const StageEnd& end);
  StageState state_after(const std::string& stage, StageStatus status, const Digest& key,
                         const std::string& message) const;
  void note(const std::string& stage, StageStatus status, const Digest& key,
            const std::string& message);
  void note_done(const std::string& stage, const Record& record, const StageEnd& end);

  std::map<std::string, double> seconds_by_family() const;
  Schedule make_schedule() const;
  Finished fresh_now();
  void share_journal();
  void claim_outputs();
  bool is_superseded();
  std::vector<StageId> forced_stages() const;
  void force_equal_keys();
  void set_aside_stale();
  void set_aside(const std::string& stage, const std::vector<std::string>& places);
  void restore_fresh();
  void finish_fresh(Schedule& schedule);
  void tidy_outputs();
  void forget_removed_stages();
  void hide_removed_variations();
  void summarise(std::size_t selected, double seconds);

  const PipelineSpec& pipeline_;
  const Graph& graph_;
  Store& store_;
  Observer& observer_;
  const Interrupt& interrupt_;
  const RunSession& session_;
  const RunOptions options_;
  Selection selection_;  // options_.selection, perhaps with more that is forced
  PipelineState state_;
  OutputsTree tree_;
  FactMaker facts_;
  AttemptContext attempts_;
  Plan plan_;          // a stage's entry changes when its inputs become known
  Finished finished_;  // an element is set before its readers start
  IndexedVector<StageId, std::size_t> ranks_;           // StageJob::rank
  IndexedVector<StageId, std::unique_ptr<Work>> work_;  // stages that run
  Scheduler* scheduler_ = nullptr;                      // set while run() is active

  std::unique_ptr<FileLock> journal_lock_;  // shared: nobody rewrites the history while we write
  Digest claim_;                            // what layout().latest() has while no newer run began
  std::atomic<bool> is_superseded_ = false;

  std::mutex mutex_;                    // guards all members below
  std::map<Digest, StageId> making_;    // key -> the stage that is making it
  std::map<Digest, std::string> made_;  // key -> its failure in this run; "": it succeeded
  RunSummary summary_;
};

}  // namespace headway
