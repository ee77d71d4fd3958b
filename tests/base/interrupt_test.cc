#include "lib/base/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <catch2/catch_test_macros.hpp>

#include <thread>

namespace headway {
namespace {

bool readable(const Interrupt& interrupt, int milliseconds = 0) {
  pollfd waiting{interrupt.descriptor(), POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) == 1;
}

TEST_CASE("an interrupt rises one level at a time, up to the last", "[base]") {
  Interrupt interrupt;
  CHECK(interrupt.level() == Interrupt::kNone);
  CHECK_FALSE(interrupt.requested());
  interrupt.raise();
  CHECK(interrupt.level() == Interrupt::kStop);
  CHECK(interrupt.requested());
  interrupt.raise();
  CHECK(interrupt.level() == Interrupt::kKill);
  interrupt.raise();
  CHECK(interrupt.level() == Interrupt::kKill);
}

TEST_CASE("every poller sees an interrupt, every time it looks", "[base]") {
  Interrupt interrupt;
  CHECK_FALSE(readable(interrupt));
  interrupt.raise();
  CHECK(readable(interrupt));
  CHECK(readable(interrupt));
}

TEST_CASE("an interrupt wakes a thread that polls", "[base]") {
  Interrupt interrupt;
  bool woken = false;
  std::thread poller([&] { woken = readable(interrupt, 300'000); });
  interrupt.raise();
  poller.join();
  CHECK(woken);
}

TEST_CASE("signals raise the interrupt only during the guard's lifetime", "[base]") {
  Interrupt interrupt;
  {
    const SignalGuard guard(interrupt);
    ::raise(SIGINT);
    CHECK(interrupt.level() == Interrupt::kStop);
    ::raise(SIGTERM);
    CHECK(interrupt.level() == Interrupt::kKill);
    ::raise(SIGHUP);
    CHECK(interrupt.level() == Interrupt::kKill);
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    CHECK(action.sa_handler == SIG_DFL);
  }
}

}  // namespace
}  // namespace headway
