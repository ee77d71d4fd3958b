// One job in a process of its own, from its start to its end, whatever ends it: the process itself,
// its timeout or ctrl-C. Never waits: a ProcessLoop calls it when one of its descriptors is ready
// or its deadline has come.
#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/process.h"
#include "lib/stage/executor.h"

namespace headway {

// In seconds.
struct ProcessLimits {
  double stop_grace = 10;    // from ctrl-C until a process that goes on is killed
  double timeout_grace = 2;  // the same, from the end of a stage's time
  double start = 120;        // for a worker to load, on the slowest of disks
};

class ProcessJob {
 public:
  using Clock = std::chrono::steady_clock;

  ProcessJob(double timeout_seconds, const ProcessLimits& limits, JobEvents events,
             const Interrupt& interrupt);
  virtual ~ProcessJob() = default;
  ProcessJob(const ProcessJob&) = delete;
  ProcessJob& operator=(const ProcessJob&) = delete;

  // Starts the process. It may end the job: a program that is missing is a result.
  void begin(Clock::time_point now);
  // Takes note of all that happened since.
  void step(Clock::time_point now);
  // Of a job that has not ended: when step() must be called even if no descriptor is ready.
  Clock::time_point wake_time() const;
  void add_descriptors(std::vector<pollfd>& descriptors) const;

  // Ends a job that cannot begin.
  void refuse(std::string why) { conclude({StageResult::Status::kFailed, std::move(why)}); }
  bool has_ended() const { return result_.has_value(); }
  // Reports the result, once the job itself is gone: whoever hears of it may start the next one.
  static void deliver_end(std::unique_ptr<ProcessJob> job);

 protected:
  // Each phase but the last has a deadline. A job's time counts from when it runs: that a worker
  // takes long to load is not the stage's fault.
  enum class Phase { kStarting, kRunning, kStopping, kExpiring, kKilled };

  Phase phase() const { return phase_; }
  bool is_signalled() const { return phase_ >= Phase::kStopping; }
  void enter_running();
  // Kills the process; the job ends like this once the process is gone.
  void kill(StageResult::Status status, std::string message);
  void conclude(StageResult result);
  void send_progress(double fraction, const std::string& words) const;
  std::string timeout_message() const;

 private:
  // Starts the process and enters a phase through enter_running(), or stays in kStarting. Throws
  // Error.
  virtual void start_process() = 0;
  // The process ended, or stayed silent, before its job began. True where another was started.
  virtual bool start_another() { return false; }
  virtual void watch(std::vector<pollfd>& descriptors) const = 0;
  virtual void receive() {}  // what the process sent; may conclude the job
  virtual bool has_process_ended() = 0;
  virtual void request_stop(int signal) = 0;
  virtual void kill_process() = 0;
  // Of a process that has ended: how its job did, by the phase.
  virtual StageResult reap() = 0;
  virtual void ended(StageResult&) {}  // last words, before the result is final

  void enter(Phase phase, double seconds);
  void handle_process_end();
  void handle_interrupt();
  void handle_deadline();
  template <class Action>
  void guard(Action action);

  const double timeout_seconds_;
  const ProcessLimits limits_;
  JobEvents events_;
  const Interrupt& interrupt_;
  Phase phase_ = Phase::kStarting;
  Clock::time_point now_;  // of the last call
  Clock::time_point deadline_;
  StageResult killed_as_;  // of kKilled
  std::optional<StageResult> result_;
};

}  // namespace headway
