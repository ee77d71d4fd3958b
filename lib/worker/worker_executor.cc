#include "lib/worker/worker_executor.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/worker/worker_process.h"

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

// The idle workers. Used by the loop's thread only.
class WorkerExecutor::Pool {
 public:
  Pool(Path program, std::vector<std::string> environment)
      : program_(std::move(program)), environment_(std::move(environment)) {}
  ~Pool() {
    for (const auto& worker : idle_) worker->dismiss();  // all, before waiting for any
  }

  // Null if there is none.
  std::unique_ptr<WorkerProcess> take_idle() {
    while (!idle_.empty()) {
      std::unique_ptr<WorkerProcess> worker = std::move(idle_.back());
      idle_.pop_back();
      if (worker->is_idle()) return worker;
      worker->signal_group(SIGKILL);
    }
    return nullptr;
  }
  // Throws Error.
  std::unique_ptr<WorkerProcess> start_new() const {
    return std::make_unique<WorkerProcess>(program_, environment_);
  }
  void put_back(std::unique_ptr<WorkerProcess> worker) { idle_.push_back(std::move(worker)); }

 private:
  const Path program_;
  const std::vector<std::string> environment_;
  std::vector<std::unique_ptr<WorkerProcess>> idle_;
};

// One job on one worker, from the request to its end.
class WorkerExecutor::Job final : public ProcessJob {
 public:
  Job(Pool& pool, const StageJob& job, double timeout_seconds, const ProcessLimits& limits,
      JobEvents events, const Interrupt& interrupt)
      : ProcessJob(timeout_seconds, limits, std::move(events), interrupt),
        pool_(pool),
        job_(job),
        request_(request_line(job)) {}
  // Returns a healthy worker to the pool, kills any other.
  ~Job() override {
    if (!worker_) return;
    if (is_healthy_)
      pool_.put_back(std::move(worker_));
    else
      worker_->signal_group(SIGKILL);
  }

 private:
  void start_process() override {
    worker_ = pool_.take_idle();
    was_idle_ = worker_ != nullptr;
    if (!worker_) worker_ = pool_.start_new();
    worker_->post(request_);
  }

  // If an idle worker has died, nothing is lost: another one can take the job.
  bool start_another() override {
    if (!was_idle_) return false;
    worker_->signal_group(SIGKILL);
    worker_ = pool_.start_new();
    was_idle_ = false;
    worker_->post(request_);
    return true;
  }

  void watch(std::vector<pollfd>& descriptors) const override { worker_->watch(descriptors); }
  bool has_process_ended() override { return worker_->has_ended(); }
  void kill_process() override { worker_->signal_group(SIGKILL); }
  void request_stop(int signal) override {
    // On ctrl-C a stage saves its state itself, and its child processes end with it.
    if (signal == SIGINT)
      worker_->signal(signal);
    else
      worker_->signal_group(signal);
  }

  void receive() override {
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

  void handle(const WorkerEvent& event) {
    if (event.kind == Kind::kStarted) return enter_running();
    if (event.kind == Kind::kProgress) return send_progress(event.fraction, event.text);
    // A signal that was sent but not yet delivered must not reach the worker's next job.
    is_healthy_ = !is_signalled() || event.kind == Kind::kCancelled;
    StageResult result;
    result.cpu_seconds = event.cpu_seconds;
    result.peak_memory = event.peak_memory;
    result.numerics = event.numerics;
    result.notice = event.notice;
    if (event.kind == Kind::kFailed) {
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

  StageResult reap() override {
    const ProcessExit exit = worker_->reap();
    const std::string output = log_output();
    StageResult result;
    result.peak_memory = exit.peak_memory;
    result.status = Status::kFailed;
    result.message = fmt::format("worker ended: {}", exit.describe());
    if (phase() == Phase::kStarting)
      result.message = fmt::format("the worker did not start: {}{}", exit.describe(),
                                   output.empty() ? "" : ": " + last_line(output));
    if (phase() == Phase::kRunning && exit.signal == SIGKILL)
      result.message += "; the machine may have run out of memory";
    if (phase() == Phase::kStopping) result.status = Status::kCancelled;
    return result;
  }

  void ended() override {
    if (worker_) log_output();
  }

  // Moves what the worker printed outside of the stage into the job's log, and returns it.
  std::string log_output() {
    std::string output = worker_->take_output();
    try {
      if (!output.empty()) RealFileSystem().append(job_.log, output);
    } catch (const Error&) {
      // A log that cannot be written must not hide how the stage ended.
    }
    return output;
  }

  Pool& pool_;
  const StageJob& job_;
  const std::string request_;
  std::unique_ptr<WorkerProcess> worker_;
  bool was_idle_ = false;    // the worker was not started for this job
  bool is_healthy_ = false;  // the worker can take another job
};

WorkerExecutor::WorkerExecutor(ProcessLoop& loop, Path program,
                               const std::vector<std::string>& environment, ProcessLimits limits)
    : loop_(loop),
      limits_(limits),
      pool_(std::make_unique<Pool>(std::move(program), worker_environment(environment))) {}

WorkerExecutor::~WorkerExecutor() = default;

void WorkerExecutor::start(const StageJob& job, double timeout_seconds, JobEvents events,
                           const Interrupt& interrupt) {
  loop_.start(
      std::make_unique<Job>(*pool_, job, timeout_seconds, limits_, std::move(events), interrupt));
}

std::vector<std::string> worker_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> environment =
      inherited_environment({"PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH"});
  // We run stages and shards in parallel; threads inside an operator would compete with them.
  for (const char* library : {"OMP", "OPENBLAS", "MKL"})
    environment.push_back(std::string(library) + "_NUM_THREADS=1");
  for (const std::string& setting : extra) set_variable(environment, setting);
  return environment;
}

}  // namespace headway
