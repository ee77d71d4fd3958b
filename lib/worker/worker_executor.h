// Runs native stages in worker processes and reuses these: starting one takes a second, mostly for
// LibTorch. A crash, time-out or kill ends one worker and fails one stage.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/worker/process_loop.h"

namespace headway {

// Keeps as many workers as have run at once.
class WorkerExecutor final : public StageExecutor {
 public:
  // `environment`: NAME=value, added to every worker's environment or replacing a variable there.
  WorkerExecutor(ProcessLoop& loop, Path program, const std::vector<std::string>& environment = {},
                 ProcessLimits limits = {});
  ~WorkerExecutor() override;  // ends the idle workers; no job may be running
  WorkerExecutor(const WorkerExecutor&) = delete;
  WorkerExecutor& operator=(const WorkerExecutor&) = delete;

  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;

 private:
  class Pool;
  class Job;

  ProcessLoop& loop_;
  const ProcessLimits limits_;
  const std::unique_ptr<Pool> pool_;
};

// Every worker's environment: PATH, HOME and a few more of ours, and one thread for BLAS and
// OpenMP. `extra` adds and replaces variables.
std::vector<std::string> worker_environment(const std::vector<std::string>& extra);

}  // namespace headway
