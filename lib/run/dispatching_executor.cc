#include "lib/run/dispatching_executor.h"

#include <utility>

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

void DispatchingExecutor::start(const StageJob& job, double timeout_seconds, JobEvents events,
                                const Interrupt& interrupt) {
  const StageType* type = types_.find(job.type);
  if (type && type->builtin) return events.ended(run_here(*type, job, events.progress, interrupt));
  (job.script.empty() ? workers_ : commands_)
      .start(job, timeout_seconds, std::move(events), interrupt);
}

}  // namespace headway
