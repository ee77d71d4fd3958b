// One job on one worker, from the request to its end, whatever that end is: told by the worker,
// forced by the interrupt or the clock, or the worker's own. Knows nothing of pools.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lib/stage/executor.h"
#include "lib/worker/protocol.h"
#include "lib/worker/worker_process.h"

namespace headway {

struct WorkerLimits {
  double stop_grace = kStopGraceSeconds;  // from ctrl-C until a worker that goes on is killed
  double timeout_grace = 2;               // the same, from the end of a stage's time
  double start = 120;                     // for a worker to load, on the slowest of disks
};

class Conversation {
 public:
  Conversation(WorkerProcess& worker, const StageJob& job, const WorkerLimits& limits,
               double timeout_seconds, const ProgressSink& progress, Interrupt& interrupt);

  StageResult run(const std::string& request);  // once
  // After run(): the worker may be given another job.
  bool is_worker_healthy() const { return is_healthy_; }
  // After run(): the worker was gone, or silent, before it began: nothing of the job was done.
  bool was_never_begun() const { return phase_ == Phase::kStarting && !is_healthy_; }

 private:
  // Where the job stands; each phase has a deadline. A job's time counts from when it runs: loading
  // the worker is not the stage's fault.
  enum class Phase { kStarting, kRunning, kStopping, kExpiring };
  using Clock = std::chrono::steady_clock;

  void enter(Phase phase, double seconds);
  void step();
  void handle_lines();
  void handle(const WorkerEvent& event);
  void handle_end(const WorkerEvent& event);
  void handle_interrupt();
  void handle_gone();
  void handle_deadline();
  void kill(StageResult::Status status, std::string message);
  void conclude(StageResult::Status status, std::string message);
  // Moves what the worker printed outside of the stage into the job's log.
  std::string tell_words();
  std::string timeout_message() const;

  WorkerProcess& worker_;
  const StageJob& job_;
  const WorkerLimits& limits_;
  const double timeout_seconds_;
  const ProgressSink& progress_;
  Interrupt& interrupt_;
  Phase phase_ = Phase::kStarting;
  Clock::time_point deadline_;
  std::optional<StageResult> result_;
  bool is_healthy_ = false;
};

}  // namespace headway
