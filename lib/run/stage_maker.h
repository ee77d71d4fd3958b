// Makes the result of one key: lock, attempt (and attempts again), commit, record. A result is
// there whole or not at all. Knows nothing of the other stages.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "lib/base/interrupt.h"
#include "lib/run/continuation.h"
#include "lib/run/facts.h"
#include "lib/run/observer.h"
#include "lib/stage/executor.h"

namespace headway {

inline constexpr std::uint64_t kFullDiskBytes = 64 << 10;  // a disk with less is full

struct Made {
  std::shared_ptr<const Record> record;  // null: it failed, see the report
  StageReport report;
};

// Called when an attempt begins; `continues` says from where, if not from nothing.
using Starting = std::function<void(int attempt, const std::string& continues)>;

class StageMaker {
 public:
  // `work` is a folder that belongs to this run alone, `run` its id.
  StageMaker(const PipelineSpec& pipeline, Store& store, StageExecutor& executor,
             Observer& observer, Interrupt& interrupt, Path work, std::string run)
      : pipeline_(pipeline),
        store_(store),
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
            const std::vector<InputPaths>& inputs, bool forced, const Starting& starting);

 private:
  std::unique_ptr<FileLock> wait_for_lock(const StageSpec& stage, const Digest& key, bool& waited);
  Made make_locked(const StageSpec& stage, const Digest& key, const std::vector<SourcedFact>& facts,
                   const std::vector<InputPaths>& inputs, bool forced, const Starting& starting);
  Made attempt(const StageSpec& stage, const StageJob& job, Record record);
  StageJob prepare_job(const StageSpec& stage, const Record& record,
                       const std::vector<InputPaths>& inputs);
  std::string commit(const StageSpec& stage, const StageJob& job, Record& record);

  const PipelineSpec& pipeline_;
  Store& store_;
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
