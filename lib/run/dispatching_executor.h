// Sends each stage to the executor for its kind: commands to a shell, the engine's own stages to a
// function that runs inside start(), all others to workers.
#pragma once

#include "lib/stage/executor.h"

namespace headway {

class DispatchingExecutor final : public StageExecutor {
 public:
  DispatchingExecutor(const StageRegistry& types, StageExecutor& commands, StageExecutor& workers)
      : types_(types), commands_(commands), workers_(workers) {}
  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;
  Path lasting_works(const StageType& type) const override {
    return type.builtin ? Path() : executor_of(!type.command).lasting_works(type);
  }
  std::optional<AttemptFolders> take_over(const StageType& type, const Digest& key) override {
    return type.builtin ? std::nullopt : executor_of(!type.command).take_over(type, key);
  }

 private:
  StageExecutor& executor_of(bool is_native) const { return is_native ? workers_ : commands_; }

  const StageRegistry& types_;
  StageExecutor& commands_;
  StageExecutor& workers_;
};

}  // namespace headway
