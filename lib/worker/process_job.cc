#include "lib/worker/process_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Status = StageResult::Status;

constexpr auto kImpatience = std::chrono::milliseconds(50);  // a second ctrl-C is seen within this
constexpr double kForEver = 1e9;                             // seconds; more overflows the clock

}  // namespace

ProcessJob::ProcessJob(double timeout_seconds, const ProcessLimits& limits, JobEvents events,
                       const Interrupt& interrupt)
    : timeout_seconds_(timeout_seconds > 0 ? timeout_seconds : kForEver),
      limits_(limits),
      events_(std::move(events)),
      interrupt_(interrupt) {}

void ProcessJob::begin(Clock::time_point now) {
  now_ = now;
  if (interrupt_.requested()) return conclude({Status::kCancelled, "stopped before it began"});
  guard([&] {
    enter(Phase::kStarting, limits_.start);
    start_process();
  });
}

void ProcessJob::step(Clock::time_point now) {
  now_ = now;
  guard([&] {
    // If the process has ended, that decides, whatever else has happened. Checked before the last
    // output is read, so that the output is complete.
    const bool process_ended = has_process_ended();
    receive();
    if (!result_ && process_ended) handle_process_end();
    if (!result_) handle_interrupt();
    if (!result_ && now_ >= deadline_) handle_deadline();
  });
}

// An exception while a job is watched fails the job. Its process ends with the object.
template <class Action>
void ProcessJob::guard(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    conclude({Status::kFailed, describe_exception(error)});
  }
}

ProcessJob::Clock::time_point ProcessJob::wake_time() const {
  // The interrupt's descriptor stays ready after the first ctrl-C, so it cannot show a second one.
  const bool is_ending = phase_ == Phase::kStopping || phase_ == Phase::kExpiring;
  const Clock::time_point needed = std::min(deadline_, next_look());
  return is_ending ? std::min(needed, now_ + kImpatience) : needed;
}

void ProcessJob::add_descriptors(std::vector<pollfd>& descriptors) const {
  if (!is_signalled()) descriptors.push_back({interrupt_.descriptor(), POLLIN, 0});
  watch(descriptors);
}

void ProcessJob::deliver_end(std::unique_ptr<ProcessJob> job) {
  const auto ended = std::move(job->events_.ended);
  StageResult result = std::move(*job->result_);
  job.reset();
  ended(std::move(result));
}

void ProcessJob::enter(Phase phase, double seconds) {
  phase_ = phase;
  const std::chrono::duration<double> length(std::clamp(seconds, 0.0, kForEver));
  deadline_ = now_ + std::chrono::duration_cast<Clock::duration>(length);
}

void ProcessJob::handle_process_end() {
  if (phase_ == Phase::kStarting && start_another()) return enter(Phase::kStarting, limits_.start);
  StageResult result = reap();
  if (phase_ == Phase::kKilled) {
    result.status = killed_as_.status;
    result.message = killed_as_.message;
  }
  conclude(std::move(result));
}

void ProcessJob::handle_interrupt() {
  const int level = interrupt_.level();
  if (level == Interrupt::kNone || phase_ == Phase::kKilled) return;
  if (level == Interrupt::kKill || phase_ == Phase::kStarting) {
    if (phase_ == Phase::kExpiring)
      return kill(Status::kTimedOut, timeout_message(timeout_seconds_));
    return kill(Status::kCancelled, "stopped at once");
  }
  if (phase_ != Phase::kRunning) return;
  request_stop(SIGINT);
  enter(Phase::kStopping, limits_.stop_grace);
}

void ProcessJob::handle_deadline() {
  switch (phase_) {
    case Phase::kStarting:
      if (start_another()) return enter(Phase::kStarting, limits_.start);
      return kill(Status::kFailed, fmt::format("the worker did not start within {}",
                                               format_duration(limits_.start)));
    case Phase::kRunning:
      request_stop(SIGTERM);
      return enter(Phase::kExpiring, limits_.timeout_grace);
    case Phase::kStopping:
      return kill(Status::kCancelled, fmt::format("killed, because it did not stop within {}",
                                                  format_duration(limits_.stop_grace)));
    case Phase::kExpiring:
      return kill(Status::kTimedOut, timeout_message(timeout_seconds_));
    case Phase::kKilled:
      return;
  }
}

void ProcessJob::kill(Status status, std::string message) {
  killed_as_ = {status, std::move(message)};
  kill_process();
  enter(Phase::kKilled, kForEver);
}

void ProcessJob::conclude(StageResult result) {
  ended();
  if (phase_ == Phase::kExpiring) {
    result.status = Status::kTimedOut;
    result.message = timeout_message(timeout_seconds_);
  }
  result_ = std::move(result);
}

}  // namespace headway
