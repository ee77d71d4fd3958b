// Makes the result of one key: lock, attempt (and attempts again), commit, record. A result is
// there whole or not at all. Knows nothing of the other stages.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "lib/base/interrupt.h"
#include "lib/run/facts.h"
#include "lib/run/observer.h"
#include "lib/run/partial_state.h"
#include "lib/run/run_prefix.h"
#include "lib/stage/executor.h"

namespace headway {

inline constexpr std::uint64_t kFullDiskBytes = 64 << 10;  // a disk with less is full

struct Made {
  std::shared_ptr<const Record> record;  // null: it failed, see the report
  bool is_worth_retrying = true;         // where it failed
  StageReport report;
};

// Called when an attempt begins; `continues` says from where, if not from nothing.
using Starting = std::function<void(int attempt, const std::string& continues)>;

class StageMaker {
 public:
  // `work` is a folder that belongs to this run alone, `run` its id.
  StageMaker(const PipelineSpec& pipeline, Store& store, const FactMaker& facts,
             StageExecutor& executor, Observer& observer, Interrupt& interrupt, Path work,
             std::string run)
      : pipeline_(pipeline),
        store_(store),
        facts_(facts),
        files_(store.files()),
        executor_(executor),
        observer_(observer),
        interrupt_(interrupt),
        work_(std::move(work)),
        run_(std::move(run)),
        continuations_(store, observer, work_) {}

  // `forced`: make it even where another process just did, and without what shorter runs left.
  // `starting` is called when the work begins, which may be after a wait for another process.
  // Throws Cancelled, and Error where the store cannot be written.
  Made make(const StageSpec& stage, const Digest& key, const std::vector<SourcedFact>& facts,
            const Finished& finished, bool forced, const Starting& starting);

 private:
  // What an attempt starts from.
  struct Basis {
    const StageSpec& stage;
    const std::vector<SourcedFact>& facts;
    std::vector<InputObject> objects;  // all artifacts that it reads
    std::vector<InputPaths> inputs;
  };

  std::unique_ptr<FileLock> wait_for_lock(const StageSpec& stage, const Digest& key, bool& waited);
  Made make_locked(const Basis& basis, const Digest& key, bool forced, const Starting& starting);
  Made attempt(const Basis& basis, const StageJob& job, Record record);
  StageJob prepare_job(const Basis& basis, const Record& record, const Path& work,
                       const Path& partial);
  void link_inputs(StageJob& job);
  // What makes a result that looks good untrue; "" for nothing.
  std::string doubt(const Basis& basis, const StageJob& job);
  std::string commit(const StageSpec& stage, const StageJob& job, Record& record);

  const PipelineSpec& pipeline_;
  Store& store_;
  const FactMaker& facts_;
  FileSystem& files_;
  StageExecutor& executor_;
  Observer& observer_;
  Interrupt& interrupt_;
  const Path work_;
  const std::string run_;
  Continuations continuations_;
  std::atomic<int> attempts_{0};
};

}  // namespace headway
