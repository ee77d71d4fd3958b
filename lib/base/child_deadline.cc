#include "lib/base/child_deadline.h"

#include <algorithm>
#include <cstdint>

#include "lib/base/interrupt.h"

namespace headway {
namespace {

constexpr double kForever = 1e9;  // seconds; more would overflow the clock
constexpr std::int64_t kLongestPoll = 60'000;
constexpr std::int64_t kLongestPollWhileStopping = 50;

ChildDeadline::Clock::time_point after(ChildDeadline::Clock::time_point now, double seconds) {
  const std::chrono::duration<double> length(std::clamp(seconds, 0.0, kForever));
  return now + std::chrono::duration_cast<ChildDeadline::Clock::duration>(length);
}

}  // namespace

ChildDeadline::ChildDeadline(const Limits& limits, Clock::time_point now)
    : limits_(limits), deadline_(after(now, limits.run > 0 ? limits.run : kForever)) {}

ChildDeadline::Action ChildDeadline::next(int interrupt_level, Clock::time_point now) {
  if (killed_) return Action::kNone;
  if (phase_ == Phase::kRunning) {
    if (interrupt_level != Interrupt::kNone) {
      const bool at_once = interrupt_level >= Interrupt::kKill;
      return ask(Phase::kStopping, at_once ? 0 : limits_.stop_grace, Action::kInterrupt, now);
    }
    if (now < deadline_) return Action::kNone;
    return ask(Phase::kExpired, limits_.timeout_grace, Action::kTerminate, now);
  }
  if (interrupt_level < Interrupt::kKill && now < deadline_) return Action::kNone;
  killed_ = true;
  return Action::kKill;
}

ChildDeadline::Action ChildDeadline::ask(Phase phase, double grace, Action action,
                                         Clock::time_point now) {
  phase_ = phase;
  deadline_ = after(now, grace);
  killed_ = grace <= 0;
  return killed_ ? Action::kKill : action;
}

int ChildDeadline::poll_milliseconds(Clock::time_point now) const {
  const std::int64_t left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - now).count();
  const std::int64_t most = phase_ == Phase::kRunning ? kLongestPoll : kLongestPollWhileStopping;
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, most));
}

}  // namespace headway
