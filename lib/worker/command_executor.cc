#include "lib/worker/command_executor.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "lib/base/descriptor.h"
#include "lib/base/error.h"
#include "lib/worker/log_watch.h"
#include "lib/worker/state_numerics.h"

namespace headway {
namespace {

// Visible to every command. Other variables are visible only if the stage lists them; then their
// values are part of the key.
const std::vector<std::string> kAlwaysVisible = {"PATH", "HOME", "TMPDIR", "USER", "LOGNAME"};

// The kernel allows 128 KiB for one argument. Longer scripts (a fan-in of thousands) are passed as
// a file.
constexpr std::size_t kLongestArgument = 100 << 10;

constexpr auto kLookEvery = std::chrono::milliseconds(500);  // at the log, for progress

std::vector<std::string> command_line(const StageJob& job) {
  // -e: a failing line must fail the stage, or a wrong result would be kept.
  if (job.script.size() <= kLongestArgument) return {"/bin/sh", "-e", "-c", job.script};
  const Path file = job.work / "script.sh";
  RealFileSystem().write(file, job.script, Durability::kCached);
  return {"/bin/sh", "-e", file.string()};
}

class CommandJob final : public ProcessJob {
 public:
  CommandJob(const StageJob& job, double timeout_seconds, const ProcessLimits& limits,
             const std::string& numerics, JobEvents events, const Interrupt& interrupt)
      : ProcessJob(timeout_seconds, limits, std::move(events), interrupt),
        job_(job),
        state_(job, numerics) {}

 private:
  void start_process() override {
    const Descriptor log(
        ::open(job_.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!log) throw Error("cannot write the log {}: {}", job_.log.string(), describe_errno(errno));
    if (RealFileSystem().exists(job_.partial)) {  // or the command does not use it
      state_.check();
      state_.note();
    }
    if (!state_.notice().empty()) RealFileSystem().append(job_.log, state_.notice() + "\n");
    ProcessSpec spec;
    spec.argv = command_line(job_);
    spec.environment = inherited_environment(kAlwaysVisible);
    for (const std::string& setting : job_.environment) set_variable(spec.environment, setting);
    spec.directory = job_.folder;
    spec.output = log.get();
    watch_.emplace(job_.log);
    next_look_ = now() + kLookEvery;
    process_.emplace(spec);
    enter_running();
  }

  void watch(std::vector<pollfd>& descriptors) const override {
    descriptors.push_back({process_->descriptor(), POLLIN, 0});
  }
  Clock::time_point next_look() const override { return next_look_; }
  void receive() override {
    if (now() < next_look_) return;
    next_look_ = now() + kLookEvery;
    if (const auto progress = watch_->look()) send_progress(progress->fraction, progress->words);
  }
  bool has_process_ended() override { return process_->ended(); }
  void request_stop(int signal) override { process_->signal_group(signal); }
  void kill_process() override { process_->signal_group(SIGKILL); }

  StageResult reap() override {
    const ProcessExit exit = process_->reap();
    StageResult result;
    result.numerics = state_.text();
    result.notice = state_.notice();
    result.cpu_seconds = exit.cpu_seconds;
    result.peak_memory = exit.peak_memory;
    if (phase() == Phase::kStopping) {
      result.status = StageResult::Status::kCancelled;
      result.message = "interrupted";
    } else if (!exit.succeeded()) {
      result.status = StageResult::Status::kFailed;
      result.message = exit.describe();
    }
    return result;
  }

  const StageJob& job_;
  StateNumerics state_;
  std::optional<LogWatch> watch_;
  Clock::time_point next_look_;
  std::optional<Process> process_;
};

}  // namespace

void CommandExecutor::start(const StageJob& job, double timeout_seconds, JobEvents events,
                            const Interrupt& interrupt) {
  loop_.start(std::make_unique<CommandJob>(job, timeout_seconds, limits_, numerics_,
                                           std::move(events), interrupt));
}

}  // namespace headway
