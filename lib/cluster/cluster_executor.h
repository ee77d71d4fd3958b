// Runs stages in jobs of a cluster. An allocation is a job that stays: an agent in it (agent.h)
// takes stages one after another. The executor decides how many allocations there are, sends each
// the stages that fit, and believes only records that it has verified (attempt_end.h). Slurm places
// and kills; what it says of a job decides only whether a record may still come.
//
// One thread works on everything; a second one waits for Slurm's commands. A stage in flight costs
// no thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "lib/cluster/site.h"
#include "lib/cluster/slurm.h"
#include "lib/stage/executor.h"

namespace headway {

struct ClusterSettings {
  SlurmSite site = {};
  Path folder = {};           // of all sessions: outputs/.headway/cluster
  std::string session = {};   // a new name
  std::string pipeline = {};  // its label: what an earlier run of it left running is taken over
  Path program = {};          // ours, as nodes see it
  Path worker = {};           // that of native stages
  int cpus = 0;               // that all allocations may have together; 0: no limit
  bool detach = false;        // an interrupt leaves stages running for the next run
  const Interrupt* interrupt = nullptr;  // of the run
  // Wait so long before a job that Slurm does not list is believed to be gone, in seconds.
  double lost_after = 30;
};

class ClusterExecutor final : public StageExecutor {
 public:
  using Warn = std::function<void(const std::string&)>;

  // `warn` may be called from another thread until the executor is gone. Nothing happens before the
  // first stage: a run that is refused must not touch what an earlier one has left. Then every call
  // may throw Error, if the folder cannot be written or its file system has no locks.
  ClusterExecutor(FileSystem& files, Slurm& slurm, ClusterSettings settings, Warn warn);
  // Gives all allocations back, unless stages were left running. No job may be running.
  ~ClusterExecutor() override;
  ClusterExecutor(const ClusterExecutor&) = delete;
  ClusterExecutor& operator=(const ClusterExecutor&) = delete;

  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;
  Path lasting_works(const StageType&) const override;
  std::optional<AttemptFolders> take_over(const StageType&, const Digest& key) override;
  void drop_waiting() override;

 private:
  class Impl;
  Impl& impl() const;

  FileSystem& files_;
  Slurm& slurm_;
  const ClusterSettings settings_;
  const Warn warn_;
  mutable std::mutex mutex_;  // guards the next one while it is made
  mutable std::unique_ptr<Impl> impl_;
};

}  // namespace headway
