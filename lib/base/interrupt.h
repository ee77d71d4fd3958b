// A request to stop, raised by a signal handler and seen by all threads; poll() wakes on its
// descriptor.
#pragma once

#include <atomic>
#include <csignal>

#include "lib/base/descriptor.h"
#include "lib/base/guardian.h"

namespace headway {

// That programs of ours handle; they ignore SIGPIPE.
inline constexpr int kHandledSignals[] = {SIGINT, SIGTERM, SIGHUP, kGuardianDied};

class Interrupt {
 public:
  enum Level { kNone = 0, kStop = 1, kKill = 2 };  // first ctrl-C: stop cleanly; second: at once

  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Goes up one level; at kKill, does nothing. Safe in a signal handler.
  void raise() noexcept;
  int level() const noexcept { return level_.load(std::memory_order_acquire); }
  bool requested() const noexcept { return level() != kNone; }
  // For poll(): readable from the first raise() on. Never drained, so that every poller sees it.
  int descriptor() const noexcept { return event_.get(); }

 private:
  std::atomic<int> level_{kNone};
  const Descriptor event_;
};

// While it lives, SIGINT, SIGTERM and SIGHUP raise the interrupt, and the death of the guardian
// raises it to kKill. At most one at a time.
class SignalGuard {
 public:
  explicit SignalGuard(Interrupt& interrupt);
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
};

}  // namespace headway
