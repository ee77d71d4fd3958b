// Where a stage stands. One list for the plan, the scheduler, the history and what people see.
#pragma once

#include "lib/base/enum_names.h"

namespace headway {

// The first three may still change.
enum class StageStatus {
  kWaiting,    // for an upstream stage, or one that makes the same key; may turn out fresh
  kReady,      // its key is known and has no whole record: it must run
  kRunning,    // started and not ended
  kFresh,      // its record is in the store and whole
  kDone,       // it has its result
  kFailed,     // it ended, without a result that counts
  kCancelled,  // ctrl-C ended it
  kSkipped,    // an upstream stage failed, so it cannot run
};

// In JSON events and in the history.
template <>
inline constexpr std::string_view kNamesOf<StageStatus>[] = {
    "waiting", "ready", "running", "fresh", "done", "failed", "cancelled", "skipped"};

// How far a running stage is, is a fraction, 0 to 1; this, if only words about it are known.
inline constexpr double kUnknownFraction = -1;

}  // namespace headway
