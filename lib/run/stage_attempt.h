// Makes the result of one key: job, attempt (and attempts again), commit, record. A result is in
// the store whole or not at all. Knows nothing of the other stages.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "lib/base/interrupt.h"
#include "lib/run/facts.h"
#include "lib/run/observer.h"
#include "lib/run/partial_state.h"
#include "lib/run/run_prefix.h"
#include "lib/run/session.h"
#include "lib/stage/executor.h"

namespace headway {

inline constexpr std::uint64_t kFullDiskBytes = 64 << 10;  // a disk with less is full

// What the attempts of one run share.
struct AttemptContext {
  const PipelineSpec& pipeline;
  Store& store;
  const FactMaker& facts;
  StageExecutor& executor;
  Observer& observer;
  const Interrupt& interrupt;
  const RunSession& session;
  std::atomic<int> count = 0;  // of attempts
};

struct AttemptOutcome {
  std::shared_ptr<const Record> record;  // null: it failed, see its message
  bool should_retry = false;             // it failed, and the stage may be tried again
  StageEnd end;
};

// One stage whose key is locked. Its attempts follow each other: prepare(), start(), finish(), and
// again while the outcome says so. Each throws Error where the store cannot be written.
class StageAttempt {
 public:
  // `forced`: without the state that a shorter run left. All but the flag must outlive it.
  StageAttempt(AttemptContext& context, const StageSpec& stage, const Digest& key,
               const std::vector<SourcedFact>& facts, const Finished& finished, bool forced);

  // Makes the folders of the next attempt. Returns what it continues from, for a person; "" for
  // nothing.
  std::string prepare();
  // Starts the attempt; `ended` is called once, from any thread.
  void start(std::function<void(StageResult)> ended);
  // Keeps the outputs, or says what is wrong with them. Once for each start.
  AttemptOutcome finish(const StageResult& result);

  int number() const { return number_; }  // of the last attempt, from 1

 private:
  void prepare_job(const Path& work, const Path& partial);
  void link_inputs(StageJob& job);
  AttemptOutcome judge(const StageResult& result);
  // What makes a result that looks good untrue; "" for nothing.
  std::string find_disturbance();
  std::string commit(Record& record);

  AttemptContext& context_;
  FileSystem& files_;
  const StageSpec& stage_;
  const std::vector<SourcedFact>& facts_;
  std::vector<InputObject> objects_;  // all artifacts that it reads
  std::vector<InputPaths> inputs_;
  Record record_;                    // what is known of it before the attempt
  std::optional<RunPrefix> prefix_;  // of the run that it is a part of
  const bool forced_;
  int number_ = 0;
  StageJob job_;
  std::optional<PartialState> partial_;
  bool keeps_state_ = false;
  double seconds_ = 0;  // that the last attempt took
};

}  // namespace headway
