// One job on one worker, from the request to its end.
#pragma once

#include <csignal>
#include <string>

#include "lib/worker/process_job.h"
#include "lib/worker/protocol.h"
#include "lib/worker/worker_process.h"

namespace headway {

// Idle workers. Used only by the thread of a ProcessLoop.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;
  virtual std::unique_ptr<WorkerProcess> take_idle() = 0;  // null if there is none
  virtual std::unique_ptr<WorkerProcess> start_new() = 0;  // throws Error
  virtual void put_back(std::unique_ptr<WorkerProcess> worker) = 0;
};

class WorkerJob final : public ProcessJob {
 public:
  WorkerJob(WorkerPool& pool, const StageJob& job, double timeout_seconds,
            const ProcessLimits& limits, JobEvents events, const Interrupt& interrupt);
  ~WorkerJob() override;  // returns a healthy worker to the pool, kills any other

 private:
  void start_process() override;
  bool start_another() override;
  void watch(std::vector<pollfd>& descriptors) const override;
  void receive() override;
  bool has_process_ended() override { return worker_->has_ended(); }
  void request_stop(int signal) override;
  void kill_process() override { worker_->signal_group(SIGKILL); }
  StageResult reap() override;
  void ended(StageResult& result) override;

  void handle(const WorkerEvent& event);
  void handle_end(const WorkerEvent& event);
  // Moves what the worker printed outside of the stage into the job's log, and returns it.
  std::string log_output();

  WorkerPool& pool_;
  const StageJob& job_;
  const std::string request_;
  std::unique_ptr<WorkerProcess> worker_;
  bool was_idle_ = false;    // the worker was not started for this job
  bool is_healthy_ = false;  // the worker can take another job
};

}  // namespace headway
