// Makes the result of one key: job, attempts, commit, record. A result is in the store completely
// or not at all. Knows nothing of other stages.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "lib/base/interrupt.h"
#include "lib/base/json.h"
#include "lib/run/facts.h"
#include "lib/run/input_links.h"
#include "lib/run/observer.h"
#include "lib/run/run_prefix.h"
#include "lib/run/session.h"
#include "lib/stage/executor.h"

namespace headway {

// Shared by all attempts of a run.
struct AttemptContext {
  const PipelineSpec& pipeline;
  Store& store;
  const FactMaker& facts;
  StageExecutor& executor;
  Observer& observer;
  const Interrupt& interrupt;
  const RunSession& session;
  const std::function<Json()>& make_origin;  // see RunOptions
  bool resume_on_other_numerics = false;     // see RunOptions
  InputLinks links = {store.files(), session.work() / "inputs"};
  Json origin = {};
  std::once_flag origin_made = {};
  std::atomic<int> count = 0;  // number of attempts so far
};

struct AttemptOutcome {
  std::shared_ptr<const Record> record;  // null: it failed, see its message
  bool should_retry = false;             // it failed, and the stage may be tried again
  StageEnd end;
};

// A stage whose key is locked. Call prepare(), start(), finish(), and again while should_retry is
// set. Each throws Error if the store cannot be written.
class StageAttempt {
 public:
  // `forced`: start from nothing, without the state of an interrupted or shorter run. `rank`: see
  // StageJob. All other arguments must outlive the object.
  StageAttempt(AttemptContext& context, const StageSpec& stage, const Digest& key,
               const std::vector<SourcedFact>& facts, const Finished& finished, bool forced,
               std::size_t rank);

  // Creates the folders of the next attempt. Returns what it continues from, for messages; "":
  // nothing.
  std::string prepare();
  // Starts the attempt; `ended` is called once, from any thread.
  void start(std::function<void(StageResult)> ended);
  // Stores the outputs, or reports what is wrong with them. Call once for each start().
  AttemptOutcome finish(const StageResult& result);

  int number() const { return number_; }       // of the last attempt, from 1
  bool was_lost() const { return was_lost_; }  // the last attempt that ended

 private:
  void prepare_job(const AttemptFolders& folders);
  void link_inputs(StageJob& job);
  std::string log_title();  // of the attempt, if its log has others before it
  bool may_retry();
  void remove_work(const StageResult& result);
  void remove_state();
  AttemptOutcome outcome_of(const StageResult& result);
  // Why a result that looks good must not be kept; "": nothing is wrong.
  std::string find_disturbance(const StageResult& result);
  std::string commit(Record& record);

  AttemptContext& context_;
  FileSystem& files_;
  const StageSpec& stage_;
  const std::vector<SourcedFact>& facts_;
  std::vector<InputObject> objects_;  // all input artifacts
  std::vector<InputPaths> inputs_;
  Record record_;                    // the parts known before the attempt
  std::optional<RunPrefix> prefix_;  // if the type has prefix_params
  const bool forced_;
  const std::size_t rank_;
  int number_ = 0;
  int lost_ = 0;  // of the attempts so far; they do not count as retries
  bool was_lost_ = false;
  bool is_taken_over_ = false;
  StageJob job_;
  std::uint64_t log_begin_ = 0;  // of the last attempt's part of the log
  bool keeps_state_ = false;
  double seconds_ = 0;  // duration of the last attempt
};

}  // namespace headway
