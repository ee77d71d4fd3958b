#include "lib/worker/worker_executor.h"

#include <algorithm>
#include <utility>

#include "lib/base/error.h"

namespace headway {
namespace {

StageResult result_of(StageResult::Status status, std::string message) {
  StageResult result;
  result.status = status;
  result.message = std::move(message);
  return result;
}

}  // namespace

std::vector<std::string> worker_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> environment =
      inherited_environment({"PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH"});
  // Parallelism is ours, across stages and shards; threads inside an operator only get in its way.
  for (const char* library : {"OMP", "OPENBLAS", "MKL"}) {
    environment.push_back(std::string(library) + "_NUM_THREADS=1");
  }
  for (const std::string& setting : extra) {
    const std::string name = setting.substr(0, setting.find('=') + 1);
    std::erase_if(environment, [&](const std::string& other) { return other.starts_with(name); });
    environment.push_back(setting);
  }
  return environment;
}

WorkerExecutor::WorkerExecutor(Path program, const std::vector<std::string>& environment,
                               WorkerLimits limits)
    : program_(std::move(program)),
      environment_(worker_environment(environment)),
      limits_(limits) {}

WorkerExecutor::~WorkerExecutor() {
  for (const auto& worker : idle_) worker->dismiss();  // all of them, before waiting for any
}

StageResult WorkerExecutor::execute(const StageJob& job, double timeout_seconds,
                                    const ProgressSink& progress, Interrupt& interrupt) {
  try {
    return run_somewhere(job, timeout_seconds, progress, interrupt);
  } catch (const std::exception& exception) {
    return result_of(StageResult::Status::kFailed, describe_exception(exception));
  }
}

StageResult WorkerExecutor::run_somewhere(const StageJob& job, double timeout_seconds,
                                          const ProgressSink& progress, Interrupt& interrupt) {
  const std::string request = request_line(job);
  for (std::unique_ptr<WorkerProcess> worker = take_idle();; worker.reset()) {
    if (interrupt.requested()) {
      if (worker) put_back(std::move(worker));
      return result_of(StageResult::Status::kCancelled, "stopped before it began");
    }
    const bool is_fresh = !worker;
    if (is_fresh) worker = std::make_unique<WorkerProcess>(program_, environment_);
    Conversation conversation(*worker, job, limits_, timeout_seconds, progress, interrupt);
    StageResult result = conversation.run(request);
    if (conversation.is_worker_healthy()) put_back(std::move(worker));
    // A warm worker that had died in its sleep took nothing with it: once more, on a fresh one.
    if (is_fresh || !conversation.was_never_begun()) return result;
  }
}

std::unique_ptr<WorkerProcess> WorkerExecutor::take_idle() {
  const std::scoped_lock lock(mutex_);
  while (!idle_.empty()) {
    std::unique_ptr<WorkerProcess> worker = std::move(idle_.back());
    idle_.pop_back();
    if (worker->idles()) return worker;
  }
  return nullptr;
}

void WorkerExecutor::put_back(std::unique_ptr<WorkerProcess> worker) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(worker));
}

}  // namespace headway
