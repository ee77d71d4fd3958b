// Runs native stages in worker processes that are kept warm: starting one costs a second, mostly
// LibTorch's. A crash, a time-out or a kill ends a worker and fails one stage, and no more.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/stage/executor.h"
#include "lib/worker/conversation.h"
#include "lib/worker/worker_process.h"

namespace headway {

// Safe to call from many threads; there are as many workers as ever ran at once.
class WorkerExecutor final : public StageExecutor {
 public:
  // `environment`: NAME=value, beyond or instead of what every worker gets.
  explicit WorkerExecutor(Path program, const std::vector<std::string>& environment = {},
                          WorkerLimits limits = {});
  ~WorkerExecutor() override;  // ends the idle workers; no job may be under way
  WorkerExecutor(const WorkerExecutor&) = delete;
  WorkerExecutor& operator=(const WorkerExecutor&) = delete;

  StageResult execute(const StageJob& job, double timeout_seconds, const ProgressSink& progress,
                      Interrupt& interrupt) override;

 private:
  StageResult run_somewhere(const StageJob& job, double timeout_seconds,
                            const ProgressSink& progress, Interrupt& interrupt);
  std::unique_ptr<WorkerProcess> take_idle();  // null where there is none
  void put_back(std::unique_ptr<WorkerProcess> worker);

  const Path program_;
  const std::vector<std::string> environment_;
  const WorkerLimits limits_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<WorkerProcess>> idle_;
};

// What every worker gets: a few names of ours, one thread for BLAS and OpenMP; and `extra`, which
// wins.
std::vector<std::string> worker_environment(const std::vector<std::string>& extra);

}  // namespace headway
