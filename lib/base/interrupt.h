// "Please stop", told once and seen by everyone: the signal handler raises it, polls wake on its
// descriptor.
#pragma once

#include <atomic>

namespace headway {

class Interrupt {
 public:
  enum Level { kNone = 0, kStop = 1, kKill = 2 };  // first ctrl-C: stop cleanly; second: at once

  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // One level up; safe inside a signal handler.
  void raise() noexcept;
  int level() const noexcept { return level_.load(std::memory_order_acquire); }
  bool requested() const noexcept { return level() != kNone; }
  // Readable from the first raise() on, for poll(). Never drained, so that every poller sees it.
  int descriptor() const noexcept { return event_; }

 private:
  std::atomic<int> level_{kNone};
  int event_;
};

// SIGINT, SIGTERM and SIGHUP raise this interrupt until the guard goes away. One guard at a time.
class SignalGuard {
 public:
  explicit SignalGuard(Interrupt& interrupt);
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
};

}  // namespace headway
