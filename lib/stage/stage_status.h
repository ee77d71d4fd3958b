// Where a stage stands. One list for the plan, the scheduler, the history and what people see.
#pragma once

namespace headway {

// The first three may still change.
enum class StageStatus {
  kWaiting,    // for an upstream stage; it may turn out fresh (early cutoff)
  kReady,      // its key is known and has no whole record: it must run
  kRunning,    // started and not ended
  kFresh,      // its record is in the store and whole
  kDone,       // it has just been made
  kFailed,     // it ended, without a result that counts
  kCancelled,  // ctrl-C ended it
  kSkipped,    // an upstream stage failed, so it cannot run
};

// "running", "done": as in JSON events and in the history.
const char* status_name(StageStatus status);

}  // namespace headway
