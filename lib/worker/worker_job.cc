#include "lib/worker/worker_job.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Status = StageResult::Status;
using Kind = WorkerEvent::Kind;

// A loader or runtime explains there why it gave up.
std::string last_line(std::string_view text) {
  text = trim(text);
  return fit(printable(text.substr(text.find_last_of('\n') + 1)), 300);
}

}  // namespace

WorkerJob::WorkerJob(WorkerPool& pool, const StageJob& job, double timeout_seconds,
                     const ProcessLimits& limits, JobEvents events, const Interrupt& interrupt)
    : ProcessJob(timeout_seconds, limits, std::move(events), interrupt),
      pool_(pool),
      job_(job),
      request_(request_line(job)) {}

WorkerJob::~WorkerJob() {
  if (!worker_) return;
  if (is_healthy_)
    pool_.put_back(std::move(worker_));
  else
    worker_->signal_group(SIGKILL);
}

void WorkerJob::start_process() {
  worker_ = pool_.take_idle();
  was_idle_ = worker_ != nullptr;
  if (!worker_) worker_ = pool_.start_new();
  worker_->post(request_);
}

// If an idle worker has died, nothing is lost: another one can take the job.
bool WorkerJob::start_another() {
  if (!was_idle_) return false;
  worker_->signal_group(SIGKILL);
  worker_ = pool_.start_new();
  was_idle_ = false;
  worker_->post(request_);
  return true;
}

void WorkerJob::watch(std::vector<pollfd>& descriptors) const {
  worker_->watch(descriptors);
}

void WorkerJob::receive() {
  worker_->exchange();
  try {
    while (!has_ended() && phase() != Phase::kKilled) {
      const std::optional<std::string> line = worker_->next_line();
      if (!line) break;
      handle(parse_event(*line));
    }
  } catch (const ProtocolError& error) {
    kill(Status::kFailed, fmt::format("the worker was ended because it sent nonsense (did the "
                                      "stage write to descriptor 3?): {}",
                                      error.what()));
  }
  // Either it has ended, which will be noticed soon, or it closed its channel and is useless.
  if (!has_ended() && worker_->hung_up()) worker_->signal_group(SIGKILL);
}

void WorkerJob::request_stop(int signal) {
  // On ctrl-C a stage saves its state itself, and its child processes end with it.
  if (signal == SIGINT)
    worker_->signal(signal);
  else
    worker_->signal_group(signal);
}

void WorkerJob::handle(const WorkerEvent& event) {
  if (event.kind == Kind::kStarted) {
    enter_running();
  } else if (event.kind == Kind::kProgress) {
    send_progress(event.fraction, event.text);
  } else {
    handle_end(event);
  }
}

void WorkerJob::handle_end(const WorkerEvent& event) {
  // A signal that was sent but not yet delivered must not reach the worker's next job.
  is_healthy_ = !is_signalled() || event.kind == Kind::kCancelled;
  StageResult result;
  result.cpu_seconds = event.cpu_seconds;
  result.peak_memory = event.peak_memory;
  if (phase() == Phase::kExpiring) {
    result.status = Status::kTimedOut;
    result.message = timeout_message();
  } else if (event.kind == Kind::kFailed) {
    result.status = Status::kFailed;
    result.message = event.text;
  } else if (event.kind == Kind::kCancelled && phase() == Phase::kStopping) {
    result.status = Status::kCancelled;
    result.message = "stopped";
  } else if (event.kind == Kind::kCancelled) {
    result.status = Status::kFailed;
    result.message = "the stage was stopped by a signal that headway did not send";
  }
  conclude(std::move(result));
}

StageResult WorkerJob::reap() {
  const ProcessExit exit = worker_->reap();
  const std::string output = log_output();
  StageResult result;
  result.peak_memory = exit.peak_memory;
  result.status = Status::kFailed;
  result.message = fmt::format("worker ended: {}", exit.describe());
  switch (phase()) {
    case Phase::kStarting:
      result.message = fmt::format("the worker did not start: {}{}", exit.describe(),
                                   output.empty() ? "" : ": " + last_line(output));
      break;
    case Phase::kRunning:
      if (exit.signal == SIGKILL) result.message += "; the machine may have run out of memory";
      break;
    case Phase::kStopping:
      result.status = Status::kCancelled;
      break;
    case Phase::kExpiring:
      result.status = Status::kTimedOut;
      result.message = timeout_message();
      break;
    case Phase::kKilled:
      break;
  }
  return result;
}

void WorkerJob::ended(StageResult&) {
  if (worker_) log_output();
}

std::string WorkerJob::log_output() {
  std::string output = worker_->take_output();
  try {
    if (!output.empty()) RealFileSystem().append(job_.log, output);
  } catch (const Error&) {
    // A log that cannot be written must not hide how the stage ended.
  }
  return output;
}

}  // namespace headway
