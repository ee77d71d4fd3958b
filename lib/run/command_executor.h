// Runs a stage that is a command: sh in a process group of its own, output into the log,
// environment by allow-list.
#pragma once

#include "lib/stage/executor.h"

namespace headway {

class CommandExecutor final : public StageExecutor {
 public:
  explicit CommandExecutor(double grace_seconds = kStopGraceSeconds)
      : grace_seconds_(grace_seconds) {}
  StageResult execute(const StageJob& job, double timeout_seconds, const ProgressSink& progress,
                      Interrupt& interrupt) override;

 private:
  const double grace_seconds_;
};

// Commands here, native stages in workers.
class DispatchingExecutor final : public StageExecutor {
 public:
  DispatchingExecutor(StageExecutor& commands, StageExecutor& workers)
      : commands_(commands), workers_(workers) {}
  StageResult execute(const StageJob& job, double timeout_seconds, const ProgressSink& progress,
                      Interrupt& interrupt) override {
    return (job.script.empty() ? workers_ : commands_)
        .execute(job, timeout_seconds, progress, interrupt);
  }

 private:
  StageExecutor& commands_;
  StageExecutor& workers_;
};

}  // namespace headway
