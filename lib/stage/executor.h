// A thing that runs one stage: the seam between the runner, which knows keys and the store, and
// processes.
#pragma once

#include <functional>
#include <string>

#include "lib/base/interrupt.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct StageResult {
  enum class Status { kSucceeded, kFailed, kTimedOut, kCancelled };
  Status status = Status::kSucceeded;
  std::string message;  // what went wrong, for a person: "exit code 3", "killed by signal 11
                        // (segmentation fault)"
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;  // bytes
};

// 0..1 and a few words; called from any thread.
using ProgressSink = std::function<void(double fraction, const std::string& words)>;

class StageExecutor {
 public:
  virtual ~StageExecutor() = default;
  // Runs to the end, the timeout (0: none) or the interrupt, whichever comes first. The folders of
  // job.outputs and job.log are there; job.partial is made by whoever needs it. Whatever goes wrong
  // is a result, not an exception.
  virtual StageResult execute(const StageJob& job, double timeout_seconds,
                              const ProgressSink& progress, Interrupt& interrupt) = 0;
};

// How long a stage may take to stop cleanly, once asked, before it is killed.
inline constexpr double kStopGraceSeconds = 10;

}  // namespace headway
