#include "lib/base/child_deadline.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/interrupt.h"

namespace headway {
namespace {

using Action = ChildDeadline::Action;
using Phase = ChildDeadline::Phase;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr ChildDeadline::Clock::time_point kStart{};
constexpr ChildDeadline::Limits kLimits{10, 2, 5};
constexpr int kNone = Interrupt::kNone;
constexpr int kStop = Interrupt::kStop;
constexpr int kKill = Interrupt::kKill;

TEST_CASE("a child that exceeds its time is asked to stop, then killed") {
  ChildDeadline deadline(kLimits, kStart);
  CHECK(deadline.next(kNone, kStart + milliseconds(9999)) == Action::kNone);
  CHECK(deadline.phase() == Phase::kRunning);
  CHECK(deadline.next(kNone, kStart + seconds(10)) == Action::kTerminate);
  CHECK(deadline.phase() == Phase::kExpired);
  CHECK(deadline.next(kNone, kStart + milliseconds(11'999)) == Action::kNone);
  CHECK(deadline.next(kNone, kStart + seconds(12)) == Action::kKill);
  CHECK(deadline.next(kNone, kStart + seconds(99)) == Action::kNone);
}

TEST_CASE("an interrupted child has the grace of an interrupt, whatever its time limit") {
  ChildDeadline deadline(kLimits, kStart);
  CHECK(deadline.next(kStop, kStart + seconds(9)) == Action::kInterrupt);
  CHECK(deadline.phase() == Phase::kStopping);
  CHECK(deadline.next(kStop, kStart + milliseconds(13'999)) == Action::kNone);
  CHECK(deadline.next(kStop, kStart + seconds(14)) == Action::kKill);
  CHECK(deadline.phase() == Phase::kStopping);
}

TEST_CASE("a second ctrl-C kills at once") {
  ChildDeadline running(kLimits, kStart);
  CHECK(running.next(kKill, kStart) == Action::kKill);
  CHECK(running.phase() == Phase::kStopping);
  CHECK(running.next(kKill, kStart) == Action::kNone);

  ChildDeadline stopping(kLimits, kStart);
  stopping.next(kStop, kStart);
  CHECK(stopping.next(kKill, kStart) == Action::kKill);

  ChildDeadline expired(kLimits, kStart);
  expired.next(kNone, kStart + seconds(10));
  CHECK(expired.next(kStop, kStart + seconds(10)) == Action::kNone);
  CHECK(expired.next(kKill, kStart + seconds(10)) == Action::kKill);
  CHECK(expired.phase() == Phase::kExpired);
}

TEST_CASE("without a grace a child is not asked") {
  ChildDeadline late({10, 0, 0}, kStart);
  CHECK(late.next(kNone, kStart + seconds(10)) == Action::kKill);
  ChildDeadline interrupted({10, 0, 0}, kStart);
  CHECK(interrupted.next(kStop, kStart) == Action::kKill);
  CHECK(interrupted.next(kStop, kStart) == Action::kNone);
}

TEST_CASE("a poll ends when something is due, and soon while a second ctrl-C may come") {
  ChildDeadline deadline(kLimits, kStart);
  CHECK(deadline.poll_milliseconds(kStart + milliseconds(9'990)) == 10);
  CHECK(deadline.poll_milliseconds(kStart + seconds(11)) == 0);
  deadline.next(kNone, kStart + seconds(11));
  CHECK(deadline.poll_milliseconds(kStart + seconds(11)) == 50);
  ChildDeadline unlimited({}, kStart);
  CHECK(unlimited.poll_milliseconds(kStart) == 60'000);
  CHECK(unlimited.next(kNone, kStart + std::chrono::hours(24 * 365)) == Action::kNone);
}

}  // namespace
}  // namespace headway
