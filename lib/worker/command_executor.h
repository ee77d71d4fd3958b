// Runs command stages: sh in its own process group, output to the log, and only listed environment
// variables. Twice a second it looks at the log for what the output says about its progress
// (progress_reader.h).
#pragma once

#include <string>
#include <utility>

#include "lib/base/machine.h"
#include "lib/worker/process_loop.h"

namespace headway {

class CommandExecutor final : public StageExecutor {
 public:
  // `numerics`: what this machine computes with.
  explicit CommandExecutor(ProcessLoop& loop, ProcessLimits limits = {.timeout_grace = 10},
                           std::string numerics = numerics_of_cpu())
      : loop_(loop), limits_(limits), numerics_(std::move(numerics)) {}
  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;

 private:
  ProcessLoop& loop_;
  const ProcessLimits limits_;
  const std::string numerics_;
};

}  // namespace headway
