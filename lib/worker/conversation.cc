#include "lib/worker/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Status = StageResult::Status;
using Kind = WorkerEvent::Kind;

constexpr int kImpatientMilliseconds = 50;  // a second ctrl-C is seen within this
constexpr double kForEver = 1e9;            // seconds; more would overflow the clock

// The last line of what was printed: a loader or a runtime says there why it gave up.
std::string last_line(std::string_view text) {
  text = trim(text);
  return fit(printable(text.substr(text.find_last_of('\n') + 1)), 300);
}

}  // namespace

Conversation::Conversation(WorkerProcess& worker, const StageJob& job, const WorkerLimits& limits,
                           double timeout_seconds, const ProgressSink& progress,
                           Interrupt& interrupt)
    : worker_(worker),
      job_(job),
      limits_(limits),
      timeout_seconds_(timeout_seconds > 0 ? timeout_seconds : kForEver),
      progress_(progress),
      interrupt_(interrupt) {}

StageResult Conversation::run(const std::string& request) {
  enter(Phase::kStarting, limits_.start);
  worker_.post(request);
  while (!result_) step();
  return *result_;
}

void Conversation::enter(Phase phase, double seconds) {
  phase_ = phase;
  const std::chrono::duration<double> length(std::clamp(seconds, 0.0, kForEver));
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
}

// What the worker said comes first: an end that it told stands, whatever else happened since.
void Conversation::step() {
  // Once heard, the interrupt's descriptor stays readable and is of no more use: look often
  // instead.
  const bool is_ending = phase_ == Phase::kStopping || phase_ == Phase::kExpiring;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
  const auto longest = is_ending ? kImpatientMilliseconds : 60'000;
  worker_.wait(is_ending ? -1 : interrupt_.descriptor(),
               static_cast<int>(std::clamp<std::int64_t>(left, 0, longest)));
  handle_lines();
  if (!result_) handle_interrupt();
  if (!result_ && worker_.gone()) handle_gone();
  if (!result_ && Clock::now() >= deadline_) handle_deadline();
}

void Conversation::handle_lines() {
  try {
    while (!result_) {
      const std::optional<std::string> line = worker_.next_line();
      if (!line) return;
      handle(parse_event(*line));
    }
  } catch (const ProtocolError& error) {
    kill(Status::kFailed, fmt::format("the worker was ended because it sent nonsense (did the "
                                      "stage write to descriptor 3?): {}",
                                      error.what()));
  }
}

void Conversation::handle(const WorkerEvent& event) {
  if (event.kind == Kind::kStarted) {
    enter(Phase::kRunning, timeout_seconds_);
  } else if (event.kind == Kind::kProgress) {
    progress_(event.fraction, event.text);
  } else {
    handle_end(event);
  }
}

void Conversation::handle_end(const WorkerEvent& event) {
  // A signal that was sent and perhaps not yet delivered must not meet the worker's next job.
  const bool was_signalled = phase_ == Phase::kStopping || phase_ == Phase::kExpiring;
  is_healthy_ = !was_signalled || event.kind == Kind::kCancelled;
  if (phase_ == Phase::kExpiring) {
    conclude(Status::kTimedOut, timeout_message());
  } else if (event.kind == Kind::kDone) {
    conclude(Status::kSucceeded, "");
  } else if (event.kind == Kind::kFailed) {
    conclude(Status::kFailed, event.text);
  } else if (phase_ == Phase::kStopping) {
    conclude(Status::kCancelled, "stopped");
  } else {
    conclude(Status::kFailed, "the stage was stopped by a signal that headway did not send");
  }
  result_->cpu_seconds = event.cpu_seconds;
  result_->peak_memory = event.peak_memory;
}

void Conversation::handle_interrupt() {
  const int level = interrupt_.level();
  if (level == Interrupt::kNone) return;
  if (level == Interrupt::kKill || phase_ == Phase::kStarting) {
    const bool expired = phase_ == Phase::kExpiring;
    kill(expired ? Status::kTimedOut : Status::kCancelled,
         expired ? timeout_message() : "stopped at once");
  } else if (phase_ == Phase::kRunning) {
    worker_.signal(SIGINT);
    enter(Phase::kStopping, limits_.stop_grace);
  }
}

void Conversation::handle_deadline() {
  switch (phase_) {
    case Phase::kStarting:
      return kill(Status::kFailed,
                  fmt::format("the worker did not start within {}", format_seconds(limits_.start)));
    case Phase::kRunning:
      worker_.signal_group(SIGTERM);
      return enter(Phase::kExpiring, limits_.timeout_grace);
    case Phase::kStopping:
      return kill(Status::kCancelled, fmt::format("killed, because it did not stop within {}",
                                                  format_seconds(limits_.stop_grace)));
    case Phase::kExpiring:
      return kill(Status::kTimedOut, timeout_message());
  }
}

void Conversation::handle_gone() {
  const ProcessExit exit = worker_.reap();
  const std::string words = tell_words();
  std::string message = fmt::format("worker ended: {}", exit.describe());
  if (phase_ == Phase::kStarting) {
    message = fmt::format("the worker did not start: {}{}", exit.describe(),
                          words.empty() ? "" : ": " + last_line(words));
    conclude(Status::kFailed, message);
  } else if (phase_ == Phase::kRunning) {
    if (exit.signal == SIGKILL) message += "; the machine may have run out of memory";
    conclude(Status::kFailed, message);
  } else if (phase_ == Phase::kStopping) {
    conclude(Status::kCancelled, message);
  } else {
    conclude(Status::kTimedOut, timeout_message());
  }
  result_->peak_memory = exit.peak_memory;
}

void Conversation::kill(Status status, std::string message) {
  const ProcessExit exit = worker_.kill();
  conclude(status, std::move(message));
  result_->peak_memory = exit.peak_memory;
}

void Conversation::conclude(Status status, std::string message) {
  tell_words();
  result_.emplace();
  result_->status = status;
  result_->message = std::move(message);
}

std::string Conversation::tell_words() {
  std::string words = worker_.take_words();
  try {
    if (!words.empty()) RealFileSystem().append(job_.log, words);
  } catch (const Error&) {
    // A log that cannot be written must not hide how the stage ended.
  }
  return words;
}

std::string Conversation::timeout_message() const {
  return fmt::format("timed out after {}", format_seconds(timeout_seconds_));
}

}  // namespace headway
