// Runs one native stage in this process and tells its story as events: the log, the limits on
// progress, what the job took, and every way a stage can end short of taking the process with it.
// Does not know who listens, nor what asks for a cancel.
#pragma once

#include <atomic>
#include <functional>

#include "lib/stage/native_stage.h"
#include "lib/worker/protocol.h"

namespace headway {

using EventSink = std::function<void(const WorkerEvent&)>;

// Started, progress, and the end, which is also returned. While the stage runs, stdout and stderr
// of the whole process are job.log; by the time of the last event everything printed is in it.
WorkerEvent run_job(const NativeStages& stages, const StageJob& job,
                    const std::atomic<bool>& cancel, const EventSink& sink);

}  // namespace headway
