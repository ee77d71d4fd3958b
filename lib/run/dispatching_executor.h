// Sends each stage to the executor for its kind: commands to a shell, the engine's own stages to a
// function that runs inside start(), all others to workers.
#pragma once

#include <map>

#include "lib/stage/executor.h"

namespace headway {

class DispatchingExecutor final : public StageExecutor {
 public:
  // `elsewhere`: keys that an earlier run left running on a cluster, and where. If the executors
  // cannot take them over, they are refused: two attempts would use one saved state.
  DispatchingExecutor(const StageRegistry& types, StageExecutor& commands, StageExecutor& workers,
                      std::map<Digest, std::string> elsewhere = {})
      : types_(types), commands_(commands), workers_(workers), elsewhere_(std::move(elsewhere)) {}
  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;
  Path lasting_works(const StageType& type) const override {
    return type.builtin ? Path() : executor_of(!type.command).lasting_works(type);
  }
  // Throws Error if it is refused.
  std::optional<AttemptFolders> take_over(const StageType& type, const Digest& key) override;
  void drop_waiting() override {
    commands_.drop_waiting();
    if (&workers_ != &commands_) workers_.drop_waiting();
  }

 private:
  StageExecutor& executor_of(bool is_native) const { return is_native ? workers_ : commands_; }

  const StageRegistry& types_;
  StageExecutor& commands_;
  StageExecutor& workers_;
  const std::map<Digest, std::string> elsewhere_;
};

}  // namespace headway
