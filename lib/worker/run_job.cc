#include "lib/worker/run_job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "lib/base/descriptor.h"
#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/worker/state_numerics.h"

namespace headway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetweenProgress = std::chrono::milliseconds(100);  // more often is unreadable
constexpr std::size_t kLongestMessage = 1000;

class JobContext final : public StageContext {
 public:
  JobContext(const StageJob& job, const std::string& numerics, const std::atomic<bool>& cancel,
             const EventSink& sink)
      : StageContext(job), state_(job, numerics), cancel_(cancel), sink_(sink) {}

  StateNumerics& state() { return state_; }

  Path partial() const override {
    Path folder = StageContext::partial();
    state_.note();
    return folder;
  }

  bool cancelled() const override { return cancel_.load(std::memory_order_relaxed); }

  void progress(double fraction, std::string_view words) override {
    const std::scoped_lock lock(mutex_);
    if (ended_) return;
    latest_.fraction = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0;
    latest_.text.assign(words);
    is_news_ = true;
    if (Clock::now() >= next_) send();
  }

  // Sends the last progress if it was held back. Ignores later reports from threads that the stage
  // left running.
  void end() {
    const std::scoped_lock lock(mutex_);
    if (is_news_) send();
    ended_ = true;
  }

 private:
  void send() {
    sink_(latest_);
    is_news_ = false;
    next_ = Clock::now() + kBetweenProgress;
  }

  StateNumerics state_;
  const std::atomic<bool>& cancel_;
  const EventSink& sink_;
  std::mutex mutex_;
  WorkerEvent latest_{.kind = WorkerEvent::Kind::kProgress};
  bool is_news_ = false;
  bool ended_ = false;
  Clock::time_point next_{};
};

// Redirects stdout and stderr to the job's log while it exists.
class LogRedirect {
 public:
  explicit LogRedirect(const Path& log) {
    const Descriptor file(
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file) throw Error("cannot open {}: {}", log.string(), describe_errno(errno));
    flush();
    for (Saved& saved : saved_) {
      saved.copy.reset(::fcntl(saved.descriptor, F_DUPFD_CLOEXEC, 4));
      ::dup2(file.get(), saved.descriptor);
    }
  }
  ~LogRedirect() {
    flush();
    for (const Saved& saved : saved_) {
      if (saved.copy)
        ::dup2(saved.copy.get(), saved.descriptor);
      else
        ::close(saved.descriptor);  // it was closed before
    }
  }
  LogRedirect(const LogRedirect&) = delete;
  LogRedirect& operator=(const LogRedirect&) = delete;

 private:
  struct Saved {
    int descriptor;
    Descriptor copy = Descriptor();
  };

  static void flush() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
  }

  std::array<Saved, 2> saved_ = {{{STDOUT_FILENO}, {STDERR_FILENO}}};
};

double cpu_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }
  return sum;
}

// A worker runs many jobs, and each should have its own peak.
void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";  // if the kernel allows it
}

std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

WorkerEvent failed(std::string message) {
  return {.kind = WorkerEvent::Kind::kFailed, .text = std::move(message)};
}

// The useful part of an exception's text. LibTorch's texts continue with the source location and a
// backtrace, which are in the log.
std::string essence(std::string_view what) {
  for (const std::string_view rest : {"\nException raised from ", "\nframe #"})
    what = what.substr(0, what.find(rest));
  what = trim(what);
  if (what.empty()) return "the stage failed without saying why";
  if (what.size() <= kLongestMessage) return std::string(what);
  return fit(what, kLongestMessage) + " (the rest is in the log)";
}

// Exceptions of libraries get our own description. Those of stages and LibTorch are shown by their
// text. The log has the full text of both.
WorkerEvent described(const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  const bool is_technical = dynamic_cast<const std::system_error*>(&exception) ||
                            dynamic_cast<const Json::exception*>(&exception);
  return failed(essence(is_technical ? describe_exception(exception) : exception.what()));
}

// The only place in a worker that catches a stage's exceptions.
WorkerEvent run_stage(const NativeStage& stage, StageContext& context) {
  try {
    stage(context);
    return {.kind = WorkerEvent::Kind::kDone};
  } catch (const Cancelled&) {
    return {.kind = WorkerEvent::Kind::kCancelled};
  } catch (const std::bad_alloc&) {
    return failed("out of memory");
  } catch (const std::exception& exception) {
    return described(exception);
  } catch (...) {
    return failed("the stage threw something that is not a std::exception");
  }
}

WorkerEvent run_logged(const NativeStage& stage, const StageJob& job, JobContext& context) {
  try {
    const LogRedirect redirect(job.log);
    context.state().check();
    if (!context.state().notice().empty()) fmt::print("{}\n", context.state().notice());
    return run_stage(stage, context);
  } catch (const Error& error) {
    return failed(error.what());
  }
}

}  // namespace

WorkerEvent run_job(const NativeStages& stages, const StageJob& job, const std::string& numerics,
                    const std::atomic<bool>& cancel, const EventSink& sink) {
  sink({.kind = WorkerEvent::Kind::kStarted});
  const double cpu_before = cpu_seconds();
  reset_peak_memory();
  JobContext context(job, numerics, cancel, sink);
  const auto stage = stages.find(job.type);
  WorkerEvent end = stage == stages.end()
                        ? failed(fmt::format("this worker has no stage type '{}'", job.type))
                        : run_logged(stage->second, job, context);
  context.end();
  end.cpu_seconds = cpu_seconds() - cpu_before;
  end.peak_memory = peak_memory();
  end.numerics = context.state().text();
  end.notice = context.state().notice();
  sink(end);
  return end;
}

}  // namespace headway
