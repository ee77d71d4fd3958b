// One job in a process of its own, from start to end, whether the process exits, times out or is
// interrupted. Never blocks: a ProcessLoop calls it when a descriptor is ready or a deadline is
// reached.
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
  double stop_grace = 10;    // after ctrl-C, before the process is killed
  double timeout_grace = 2;  // after a timeout, before the process is killed
  double start = 120;        // for a worker to load, even from a slow disk
};

class ProcessJob {
 public:
  using Clock = std::chrono::steady_clock;

  ProcessJob(double timeout_seconds, const ProcessLimits& limits, JobEvents events,
             const Interrupt& interrupt);
  virtual ~ProcessJob() = default;
  ProcessJob(const ProcessJob&) = delete;
  ProcessJob& operator=(const ProcessJob&) = delete;

  // Starts the process. May end the job: a missing program gives a failed result.
  void begin(Clock::time_point now);
  // Handles everything that has happened since the last call.
  void step(Clock::time_point now);
  // When step() must be called even if no descriptor is ready. The job must not have ended.
  Clock::time_point wake_time() const;
  void add_descriptors(std::vector<pollfd>& descriptors) const;

  // Ends a job that cannot begin.
  void refuse(std::string why) { conclude({StageResult::Status::kFailed, std::move(why)}); }
  bool has_ended() const { return result_.has_value(); }
  // Reports the result, once the job itself is gone: whoever hears of it may start the next one.
  static void deliver_end(std::unique_ptr<ProcessJob> job);

 protected:
  // Each phase but the last has a deadline. The timeout counts from kRunning, so a worker's loading
  // time does not count.
  enum class Phase { kStarting, kRunning, kStopping, kExpiring, kKilled };

  Phase phase() const { return phase_; }
  Clock::time_point now() const { return now_; }  // the time of this call of begin() or step()
  bool is_signalled() const { return phase_ >= Phase::kStopping; }
  void enter_running() { enter(Phase::kRunning, timeout_seconds_); }
  // Kills the process; the job ends with this result once the process is gone.
  void kill(StageResult::Status status, std::string message);
  void conclude(StageResult result);  // past its time, a job has timed out however it ends
  void send_progress(double fraction, const std::string& words) const {
    events_.progress(fraction, words);
  }

 private:
  // Starts the process. Calls enter_running(), or stays in kStarting. Throws Error.
  virtual void start_process() = 0;
  // Called if the process ended or hung before its job began. True: another was started.
  virtual bool start_another() { return false; }
  virtual void watch(std::vector<pollfd>& descriptors) const = 0;
  virtual void receive() {}  // reads what the process sent; may conclude the job
  // When receive() must be called even if no descriptor is ready.
  virtual Clock::time_point next_look() const { return Clock::time_point::max(); }
  virtual bool has_process_ended() = 0;
  virtual void request_stop(int signal) = 0;
  virtual void kill_process() = 0;
  // The result of a process that has ended, which depends on the phase. Past its time, the job is
  // timed out in any case.
  virtual StageResult reap() = 0;
  virtual void ended() {}  // called once, before the result is final

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
  Clock::time_point now_;  // time of the last call
  Clock::time_point deadline_;
  StageResult killed_as_;  // if kKilled
  std::optional<StageResult> result_;
};

}  // namespace headway
