// 'Runs' stages without processes. By default a stage writes to every output the command of its
// `run` parameter and the contents of all its inputs, so that outputs change exactly when something
// upstream does. A few words in `run` are obeyed:
//
//   # anything         the rest of the command leaves no trace in the outputs (a change of it is
//   cut off early) NAME=NUMBER        goes into an output called metrics, as JSON fail the stage
//   fails, after printing "about to fail" to its log
//
// An output called `folder` becomes a folder with two files. Tests may replace what one stage does.
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
  // What this stage does from now on, on a thread of its own; null: the default again, which is
  // done before start() returns.
  void on(const std::string& stage, Behaviour behaviour);

  void start(const StageJob& job, double timeout_seconds, JobEvents events,
             const Interrupt& interrupt) override;
  // The default; for behaviours that do something besides.
  StageResult work(const StageJob& job);

  // The stages that ran since the last call, in the order in which they started.
  std::vector<std::string> take_ran();
  std::vector<std::string> ran();
  double last_timeout(const std::string& stage);
  StageJob last_job(const std::string& stage);
  bool keep_jobs = true;  // for last_job(); jobs with a thousand inputs each are large
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

// Runs until the interrupt.
StageResult hang_until_interrupted(Interrupt& interrupt);
StageResult failed(const std::string& message);

// Closed until a test opens it. Gives up after a minute, so that a broken test ends.
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
