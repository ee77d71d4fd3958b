// Runs one native stage in this process and reports it as events. Handles the log, the rate of
// progress, resource usage, and every failure except a crash of the process.
#pragma once

#include <atomic>
#include <functional>

#include "lib/stage/native_stage.h"
#include "lib/worker/protocol.h"

namespace headway {

using EventSink = std::function<void(const WorkerEvent&)>;

// Sends started, progress and the final event, and returns the final one. Redirects stdout and
// stderr of the process to job.log, which is complete before the final event. `numerics` is what
// this program computes with (StateNumerics).
WorkerEvent run_job(const NativeStages& stages, const StageJob& job, const std::string& numerics,
                    const std::atomic<bool>& cancel, const EventSink& sink);

}  // namespace headway
