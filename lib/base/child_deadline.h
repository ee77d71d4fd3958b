// When to ask a child process to stop, and when to kill it. A child that exceeds its time limit, or
// that the user interrupts, is asked first and killed after a grace period; a second ctrl-C kills
// it at once. This only keeps the time: the caller waits for the child and sends the signals, so
// one loop can serve many children.
#pragma once

#include <chrono>

namespace headway {

class ChildDeadline {
 public:
  using Clock = std::chrono::steady_clock;

  // In seconds. A grace of 0 means: do not ask, kill.
  struct Limits {
    double run = 0;            // 0: no limit
    double timeout_grace = 0;  // from the request to stop after `run` until the kill
    double stop_grace = 0;     // the same after an interrupt
  };
  enum class Phase {
    kRunning,
    kStopping,  // interrupted
    kExpired,   // exceeded its time limit
  };
  enum class Action {
    kNone,
    kInterrupt,  // send SIGINT
    kTerminate,  // send SIGTERM
    kKill,       // send SIGKILL
  };

  // The limits count from `now`.
  ChildDeadline(const Limits& limits, Clock::time_point now);

  // What to do now. `interrupt_level` is that of Interrupt. Each action is returned at most once.
  Action next(int interrupt_level, Clock::time_point now);
  // For poll(): the time until next() may return something else, provided that the interrupt does
  // not change. Once the child was asked to stop, at most 50 ms: the interrupt's descriptor stays
  // readable then and cannot announce a second ctrl-C.
  int poll_milliseconds(Clock::time_point now) const;
  Phase phase() const { return phase_; }

 private:
  Action ask(Phase phase, double grace, Action action, Clock::time_point now);

  Limits limits_;
  Phase phase_ = Phase::kRunning;
  bool killed_ = false;
  Clock::time_point deadline_;
};

}  // namespace headway
