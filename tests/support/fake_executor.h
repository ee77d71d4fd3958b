// Runs stages without processes. By default a stage writes its `run` parameter and the contents of
// all inputs to every output, so that outputs change exactly when something upstream does. Special
// words in `run`:
//
//   # anything         the rest does not reach the outputs, so a change has no effect downstream
//   NAME=NUMBER        goes into an output called metrics, as JSON
//   fail               the stage prints "about to fail" to its log and fails
//
// An output called `folder` becomes a folder with two files. Tests can replace a stage's behaviour.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lib/stage/executor.h"

namespace headway::testing {

class FakeExecutor final : public StageExecutor {
 public:
  explicit FakeExecutor(FileSystem& files) : files_(files) {}
  ~FakeExecutor() override;

  using Behaviour = std::function<StageResult(const StageJob& job, const ProgressSink& progress,
                                              Interrupt& interrupt)>;
  // Sets what this stage does from now on, on its own thread; null: the default, which finishes
  // before start() returns.
  void on(const std::string& stage, Behaviour behaviour);

  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;
  // The default behaviour, for use in others.
  StageResult work(const StageJob& job);

  // Stages that ran since the last call, in order of their starts.
  std::vector<std::string> take_ran();
  std::vector<std::string> ran();
  double last_timeout(const std::string& stage);
  StageJob last_job(const std::string& stage);
  bool keep_jobs = true;  // for last_job(); jobs with many inputs are large
  int most_at_once() const { return most_at_once_; }

 private:
  struct Thread {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> has_ended;
  };

  StageResult run(const StageJob& job, const Behaviour& behaviour, const ProgressSink& progress,
                  Interrupt& interrupt);
  void join_ended_threads();
  std::string contents_of(const Path& path);
  void write_output(const std::string& name, const Path& path, const std::string& command,
                    const std::string& text);

  FileSystem& files_;
  std::mutex mutex_;
  std::map<std::string, Behaviour> behaviours_;
  std::vector<std::string> ran_;
  std::map<std::string, double> timeouts_;
  std::map<std::string, StageJob> jobs_;
  std::vector<Thread> threads_;
  std::atomic<int> running_{0};
  std::atomic<int> most_at_once_{0};
};

// Returns when interrupted.
StageResult hang_until_interrupted(Interrupt& interrupt);
StageResult failed(const std::string& message);

// Closed until a test opens it. Gives up after ten minutes, so that a broken test ends.
class Gate {
 public:
  void open();
  bool wait();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

}  // namespace headway::testing
