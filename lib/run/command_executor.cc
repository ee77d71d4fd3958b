#include "lib/run/command_executor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

#include "lib/base/descriptor.h"
#include "lib/base/error.h"
#include "lib/base/process.h"
#include "lib/base/text.h"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

// Seen by every command. Nothing else is, unless the stage lists it, and then its value is part of
// the key.
const std::vector<std::string> kAlwaysVisible = {"PATH", "HOME", "TMPDIR", "USER", "LOGNAME"};

// The kernel takes at most 128 KiB in one argument; longer scripts (a fan-in of thousands) go
// through a file.
constexpr std::size_t kLongestArgument = 100 << 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class RunningCommand {
 public:
  RunningCommand(const ProcessSpec& spec, Interrupt& interrupt, double grace_seconds)
      : process_(spec), interrupt_(interrupt), grace_seconds_(grace_seconds) {}

  StageResult wait(double timeout) {
    StageResult result;
    const Clock::time_point start = Clock::now();
    for (;;) {
      const double left = timeout > 0 ? timeout - seconds_since(start) : 3600;
      if (wait_for_something(std::max(0.0, left))) break;
      if (interrupt_.requested()) {
        result.status = StageResult::Status::kCancelled;
        result.message = "interrupted";
        stop(SIGINT);
        break;
      }
      if (timeout > 0 && seconds_since(start) >= timeout) {
        result.status = StageResult::Status::kTimedOut;
        result.message = fmt::format("timed out after {}", format_seconds(timeout));
        stop(SIGTERM);
        break;
      }
    }
    const ProcessExit exit = process_.reap();
    result.cpu_seconds = exit.cpu_seconds;
    result.peak_memory = exit.peak_memory;
    if (result.status == StageResult::Status::kSucceeded && !exit.succeeded()) {
      result.status = StageResult::Status::kFailed;
      result.message = exit.describe();
    }
    return result;
  }

 private:
  // True once the process has ended; false after the time, or when the interrupt was raised.
  bool wait_for_something(double seconds) {
    pollfd waiting[] = {{process_.descriptor(), POLLIN, 0}, {interrupt_.descriptor(), POLLIN, 0}};
    ::poll(waiting, 2, static_cast<int>(std::min(seconds, 3600.0) * 1000) + 1);
    return (waiting[0].revents & POLLIN) != 0;
  }

  // Asks the whole group to stop; kills it when it does not within the grace, or when a second
  // ctrl-C says so.
  void stop(int signal) {
    process_.signal_group(signal);
    const Clock::time_point start = Clock::now();
    while (!process_.wait_for(0.02)) {
      if (seconds_since(start) > grace_seconds_ || interrupt_.level() >= Interrupt::kKill) {
        process_.signal_group(SIGKILL);
        return;
      }
    }
  }

  Process process_;
  Interrupt& interrupt_;
  const double grace_seconds_;
};

std::vector<std::string> command_line(const StageJob& job) {
  // -e: a line that fails fails the stage, or a wrong result would be kept for good.
  if (job.script.size() <= kLongestArgument) return {"/bin/sh", "-e", "-c", job.script};
  const Path file = job.work / "script.sh";
  RealFileSystem().write(file, job.script, Durability::kCached);
  return {"/bin/sh", "-e", file.string()};
}

}  // namespace

StageResult CommandExecutor::execute(const StageJob& job, double timeout_seconds,
                                     const ProgressSink&, Interrupt& interrupt) {
  // A new file: what outlived a killed run may still write to the old one.
  ::unlink(job.log.c_str());
  const Descriptor log(
      ::open(job.log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (!log) {
    return {StageResult::Status::kFailed,
            fmt::format("cannot write the log {}: {}", job.log.string(), describe_errno(errno)), 0,
            0};
  }
  ProcessSpec spec;
  spec.argv = command_line(job);
  std::vector<std::string> visible = kAlwaysVisible;
  visible.insert(visible.end(), job.variables.begin(), job.variables.end());
  spec.environment = inherited_environment(visible);
  spec.directory = job.folder;
  spec.output = log.get();
  try {
    return RunningCommand(spec, interrupt, grace_seconds_).wait(timeout_seconds);
  } catch (const Error& error) {
    return {StageResult::Status::kFailed, error.what(), 0, 0};
  }
}

}  // namespace headway
