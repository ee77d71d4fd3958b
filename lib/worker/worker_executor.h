// Runs native stages in worker processes that are kept warm: starting one costs a second, mostly
// LibTorch's. A crash, a time-out or a kill ends a worker and fails one stage, and no more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/worker/process_loop.h"
#include "lib/worker/worker_job.h"

namespace headway {

// There are as many workers as ever ran at once.
class WorkerExecutor final : public StageExecutor, private WorkerPool {
 public:
  // `environment`: NAME=value, beyond or instead of what every worker gets.
  WorkerExecutor(ProcessLoop& loop, Path program, const std::vector<std::string>& environment = {},
                 ProcessLimits limits = {});
  ~WorkerExecutor() override;  // ends the idle workers; no job may be under way
  WorkerExecutor(const WorkerExecutor&) = delete;
  WorkerExecutor& operator=(const WorkerExecutor&) = delete;

  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;

 private:
  std::unique_ptr<WorkerProcess> take_idle() override;
  std::unique_ptr<WorkerProcess> start_new() override;
  void put_back(std::unique_ptr<WorkerProcess> worker) override;

  ProcessLoop& loop_;
  const Path program_;
  const std::vector<std::string> environment_;
  const ProcessLimits limits_;
  std::vector<std::unique_ptr<WorkerProcess>> idle_;  // the loop's thread's
};

// What every worker gets: a few names of ours, one thread for BLAS and OpenMP; and `extra`, which
// wins.
std::vector<std::string> worker_environment(const std::vector<std::string>& extra);

}  // namespace headway
