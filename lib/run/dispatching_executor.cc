#include "lib/run/dispatching_executor.h"

#include "lib/base/error.h"
#include "lib/stage/native_stage.h"

namespace headway {
namespace {

class EngineContext final : public StageContext {
 public:
  EngineContext(const StageJob& job, const ProgressSink& progress, const Interrupt& interrupt)
      : StageContext(job), progress_(progress), interrupt_(interrupt) {}
  void progress(double fraction, std::string_view words) override {
    progress_(fraction, std::string(words));
  }
  bool cancelled() const override { return interrupt_.requested(); }

 private:
  const ProgressSink& progress_;
  const Interrupt& interrupt_;
};

StageResult run_here(const StageType& type, const StageJob& job, const ProgressSink& progress,
                     const Interrupt& interrupt) {
  StageResult result;
  EngineContext context(job, progress, interrupt);
  try {
    type.builtin(context);
  } catch (const Cancelled&) {
    result.status = StageResult::Status::kCancelled;
  } catch (const std::exception& error) {
    result.status = StageResult::Status::kFailed;
    result.message = describe_exception(error);
  }
  return result;
}

}  // namespace

StageResult DispatchingExecutor::execute(const StageJob& job, double timeout_seconds,
                                         const ProgressSink& progress, Interrupt& interrupt) {
  const StageType* type = types_.find(job.type);
  if (type && type->builtin) return run_here(*type, job, progress, interrupt);
  return (job.script.empty() ? workers_ : commands_)
      .execute(job, timeout_seconds, progress, interrupt);
}

}  // namespace headway
