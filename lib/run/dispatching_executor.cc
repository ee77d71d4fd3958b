#include "lib/run/dispatching_executor.h"

#include <chrono>
#include <utility>

#include "lib/base/error.h"
#include "lib/stage/native_stage.h"

namespace headway {
namespace {

class EngineContext final : public StageContext {
 public:
  EngineContext(const StageJob& job, double timeout_seconds, const ProgressSink& progress,
                const Interrupt& interrupt)
      : StageContext(job),
        timeout_seconds_(timeout_seconds),
        progress_(progress),
        interrupt_(interrupt) {}
  void progress(double fraction, std::string_view words) override {
    progress_(fraction, std::string(words));
  }
  bool cancelled() const override { return interrupt_.requested() || is_late(); }
  bool is_late() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return timeout_seconds_ > 0 && passed.count() > timeout_seconds_;
  }

 private:
  const double timeout_seconds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const ProgressSink& progress_;
  const Interrupt& interrupt_;
};

StageResult run_here(const StageType& type, EngineContext& context) {
  try {
    type.builtin(context);
    return {};
  } catch (const Cancelled&) {
    return {StageResult::Status::kCancelled};
  } catch (const std::exception& error) {
    return {StageResult::Status::kFailed, describe_exception(error)};
  }
}

}  // namespace

std::optional<AttemptFolders> DispatchingExecutor::take_over(const StageType& type,
                                                             const Digest& key) {
  if (type.builtin) return std::nullopt;
  if (auto folders = executor_of(!type.command).take_over(type, key)) return folders;
  if (const auto found = elsewhere_.find(key); found != elsewhere_.end())
    throw Error(
        "an earlier run left it running {}; repeat that run with --on slurm to take it over, or "
        "end its job",
        found->second);
  return std::nullopt;
}

void DispatchingExecutor::start(const StageJob& job, double timeout_seconds, JobEvents events,
                                const Interrupt& interrupt) {
  const StageType* type = types_.find(job.type);
  if (type && type->builtin) {
    EngineContext context(job, timeout_seconds, events.progress, interrupt);
    StageResult result = run_here(*type, context);
    if (context.is_late())
      result = {StageResult::Status::kTimedOut, timeout_message(timeout_seconds)};
    return events.ended(std::move(result));
  }
  executor_of(job.script.empty()).start(job, timeout_seconds, std::move(events), interrupt);
}

}  // namespace headway
