// Runs stages: the seam between the runner, which knows keys and the store, and processes.
#pragma once

#include <functional>
#include <string>

#include "lib/base/interrupt.h"
#include "lib/base/text.h"
#include "lib/stage/stage_status.h"
#include "lib/stage/stage_type.h"

namespace headway {

// How one attempt at a stage ended.
struct StageResult {
  enum class Status { kSucceeded, kFailed, kTimedOut, kCancelled };
  Status status = Status::kSucceeded;
  std::string message = {};  // what went wrong, for a person: "exit code 3", "killed by signal 11
                             // (segmentation fault)"
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;  // bytes
};

// The message of a job that has timed out.
inline std::string timeout_message(double seconds) {
  return "timed out after " + format_duration(seconds);
}

// 0..1 or kUnknownFraction, and a few words.
using ProgressSink = std::function<void(double fraction, const std::string& words)>;

// What an executor reports of a job, from any thread. Neither may block or throw.
struct JobEvents {
  ProgressSink progress;
  std::function<void(StageResult)> ended;  // exactly once; nothing is reported after it
};

class StageExecutor {
 public:
  virtual ~StageExecutor() = default;
  // Starts a job and does not wait for a process. The end comes by itself, with the timeout (0:
  // none) or with the interrupt, whichever is first. Whatever goes wrong is a result, not an
  // exception; `ended` may be called before start() returns. The folders of job.outputs and job.log
  // exist; job.partial is made by whoever needs it. Output is appended to job.log, which may have
  // that of earlier attempts. The job and the interrupt must live until the job has ended.
  virtual void start(const StageJob& job, double timeout_seconds, JobEvents events,
                     const Interrupt& interrupt) = 0;
};

}  // namespace headway
