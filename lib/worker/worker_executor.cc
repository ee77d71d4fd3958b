#include "lib/worker/worker_executor.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace headway {

std::vector<std::string> worker_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> environment =
      inherited_environment({"PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH"});
  // We run stages and shards in parallel; threads inside an operator would compete with them.
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

WorkerExecutor::WorkerExecutor(ProcessLoop& loop, Path program,
                               const std::vector<std::string>& environment, ProcessLimits limits)
    : loop_(loop),
      program_(std::move(program)),
      environment_(worker_environment(environment)),
      limits_(limits) {}

WorkerExecutor::~WorkerExecutor() {
  for (const auto& worker : idle_) worker->dismiss();  // all, before waiting for any
}

void WorkerExecutor::start(const StageJob& job, double timeout_seconds, JobEvents events,
                           const Interrupt& interrupt) {
  loop_.start(std::make_unique<WorkerJob>(static_cast<WorkerPool&>(*this), job, timeout_seconds,
                                          limits_, std::move(events), interrupt));
}

std::unique_ptr<WorkerProcess> WorkerExecutor::take_idle() {
  while (!idle_.empty()) {
    std::unique_ptr<WorkerProcess> worker = std::move(idle_.back());
    idle_.pop_back();
    if (worker->is_idle()) return worker;
    worker->signal_group(SIGKILL);
  }
  return nullptr;
}

std::unique_ptr<WorkerProcess> WorkerExecutor::start_new() {
  return std::make_unique<WorkerProcess>(program_, environment_);
}

void WorkerExecutor::put_back(std::unique_ptr<WorkerProcess> worker) {
  idle_.push_back(std::move(worker));
}

}  // namespace headway
