// What `run` and `sweep` share: a store, the processes that run stages, who watches, and ctrl-C.
// Both run pipelines through here; a sweep's is only larger.
#pragma once

#include <CLI/App.hpp>

#include "lib/base/interrupt.h"
#include "lib/run/dispatching_executor.h"
#include "lib/run/observer.h"
#include "lib/run/plan.h"
#include "lib/run/scheduler.h"
#include "lib/spec/graph.h"
#include "lib/store/store.h"
#include "lib/sweep/sweep_pipeline.h"
#include "lib/worker/command_executor.h"
#include "lib/worker/worker_executor.h"

namespace headway {

struct RunSettings {
  RunLimits limits;  // cpus and memory: all of the machine's
  bool quiet = false;
  bool json = false;

  RunSettings();
  void add_to(CLI::App& verb);  // -j, --quiet and --json
};

class Engine {
 public:
  // From here on the program runs as two processes (see guardian.h).
  Engine(Store& store, const StageRegistry& types, const RunSettings& settings);

  struct Task {
    const PipelineSpec& pipeline;
    const Graph& graph;
    Selection selection = {};
    const SweepPipeline* sweep = nullptr;  // whose pipeline it is, to follow its trials
    bool forgets = true;                   // see RunOptions
  };
  // Links the trace beside the results too.
  RunSummary run(const Task& task);

 private:
  // The first to come and the last to go: no thread may be there before it, and no stage's program
  // after it.
  struct Guarded {
    Guarded();
    ~Guarded();
  };

  const Guarded guarded_;
  Store& store_;
  const RunSettings settings_;
  Interrupt interrupt_;
  SignalGuard signals_;
  ProcessLoop processes_;
  CommandExecutor commands_;
  WorkerExecutor workers_;  // kept warm from one task to the next
  DispatchingExecutor executor_;
};

// Whether the program that runs native stages is there: it can be left out of a build.
bool has_worker();

// --dry-run: what would run, and why. Throws UsageError where a run would.
void print_plan(const PipelineSpec& pipeline, Store& store, bool json,
                const Selection& selection = {});

}  // namespace headway
