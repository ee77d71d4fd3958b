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

}  // namespace headway
