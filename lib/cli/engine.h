// What `run` and `sweep` share: a store, the processes that run stages, who watches, and ctrl-C.
// Both run pipelines through here; a sweep's is only larger.
#pragma once

#include <CLI/App.hpp>

#include "lib/base/interrupt.h"
#include "lib/cluster/cluster_executor.h"
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
  RunLimits limits;  // cpus, memory and gpus: all of the machine's
  bool quiet = false;
  bool json = false;
  std::string on;       // "local", "slurm"; "": as the site says
  bool detach = false;  // ctrl-C leaves stages running on the cluster
  int jobs = 0;         // -j; 0: not given
  SlurmSite site = {};

  RunSettings();
  // With what the site file of the pipeline's project says: where stages run, and the limits there.
  // Throws PipelineError if it has mistakes.
  RunSettings at_site(const std::string& pipeline_file, FileSystem& files,
                      const StageRegistry& types) const;
  bool is_on_cluster() const { return on == "slurm"; }
  void add_to(CLI::App& verb);  // -j, --on, --detach, --quiet and --json
};

class Engine {
 public:
  // From here on the program runs as two processes (see guardian.h). `settings`: at_site().
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
  void prepare_cluster(const PipelineSpec& pipeline);
  std::map<Digest, std::string> left_on_cluster();
  void warn(const std::string& text);

  // The first to come and the last to go: no thread may be there before it, and no stage's program
  // after it.
  struct Guarded {
    Guarded();
    ~Guarded();
  };

  const Guarded guarded_;
  Store& store_;
  const StageRegistry& types_;
  const RunSettings settings_;
  Interrupt interrupt_;
  SignalGuard signals_;
  ProcessLoop processes_;
  CommandExecutor commands_;
  WorkerExecutor workers_;  // kept warm from one task to the next
  Slurm slurm_;
  std::mutex observer_mutex_;
  Observer* observer_ = nullptr;              // of the task that runs
  std::unique_ptr<ClusterExecutor> cluster_;  // keeps its allocations from one task to the next
};

// The program that runs native stages: beside our own, unless HEADWAY_WORKER names another.
Path worker_program();

// Whether the program that runs native stages is there: it can be left out of a build.
bool has_worker();

// --dry-run: what would run, and why. Throws UsageError where a run would.
void print_plan(const PipelineSpec& pipeline, Store& store, const RunSettings& settings,
                const Selection& selection = {});

}  // namespace headway
