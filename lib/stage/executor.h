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
  // kLost: what ran it is gone (its node failed, its job was cancelled), and nothing is known
  // against the stage itself.
  enum class Status { kSucceeded, kFailed, kTimedOut, kCancelled, kLost };
  Status status = Status::kSucceeded;
  std::string message = {};  // what went wrong, for a person: "exit code 3", "killed by signal 11
                             // (segmentation fault)"
  bool is_left_running = false;  // if kCancelled: it goes on without us (StageExecutor::take_over)
  double seconds = 0;  // how long it ran; 0: from start() to the end, for it never had to wait
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;   // bytes
  std::uint64_t memory_asked = 0;  // bytes that it was allowed; 0: not known
  Json machine = {};               // where it ran (machine_facts); null: here
  std::string numerics = {};       // what its numbers depend on (numerics_of_cpu); "": unknown
  std::string notice = {};         // what the user should know of it, however it ended
};

// Where a job is, for people. Local jobs have no place.
struct JobPlace {
  std::string node = {};     // the machine that runs it; "": none yet
  std::string waiting = {};  // if none: what it waits for: "job 17: Resources, 3rd in the queue"
};

// The message of a job that has timed out.
inline std::string timeout_message(double seconds) {
  return "timed out after " + format_duration(seconds);
}

// 0..1 or kUnknownFraction, and a few words.
using ProgressSink = std::function<void(double fraction, const std::string& words)>;

// What an executor reports of a job, from any thread. None may block or throw.
struct JobEvents {
  ProgressSink progress;
  std::function<void(StageResult)> ended;  // exactly once; nothing is reported after it
  std::function<void(const JobPlace&)> placed = [](const JobPlace&) {};
};

// The folders of an attempt.
struct AttemptFolders {
  Path work;
  Path partial;
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

  // For executors whose jobs may outlive this process.

  // Where the work folders of this type's attempts are; empty: in that of the run.
  virtual Path lasting_works(const StageType&) const { return {}; }
  // An attempt at the key that an earlier process started, and that still runs or has ended unseen.
  // start() with a job in these folders waits for its end. The caller must hold the key's lock.
  virtual std::optional<AttemptFolders> take_over(const StageType&, const Digest& /*key*/) {
    return std::nullopt;
  }
  // The run is to stop: ends all jobs that no machine has yet, as cancelled.
  virtual void drop_waiting() {}
};

}  // namespace headway
