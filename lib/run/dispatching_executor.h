// Gives each stage to whoever runs its kind: commands to a shell, what the engine does itself to a
// function, which runs inside start(), all else to workers.
#pragma once

#include "lib/stage/executor.h"

namespace headway {

class DispatchingExecutor final : public StageExecutor {
 public:
  DispatchingExecutor(const StageRegistry& types, StageExecutor& commands, StageExecutor& workers)
      : types_(types), commands_(commands), workers_(workers) {}
  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;

 private:
  const StageRegistry& types_;
  StageExecutor& commands_;
  StageExecutor& workers_;
};

}  // namespace headway
