// One thread that watches all jobs that run in their own processes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "lib/base/descriptor.h"
#include "lib/worker/process_job.h"

namespace headway {

class ProcessLoop {
 public:
  using Clock = ProcessJob::Clock;
  using Now = std::function<Clock::time_point()>;

  // `now` is the clock for all deadlines. Tests pass their own and call wake() when it has moved.
  explicit ProcessLoop(Now now = Clock::now);
  ~ProcessLoop();  // waits for running jobs
  ProcessLoop(const ProcessLoop&) = delete;
  ProcessLoop& operator=(const ProcessLoop&) = delete;

  // Callable from any thread. The first job starts the watching thread, which starts all processes.
  void start(std::unique_ptr<ProcessJob> job);
  void wake();

 private:
  struct Watched {
    std::unique_ptr<ProcessJob> job;
    std::size_t descriptors_end = 0;  // its descriptors begin where those of the previous job end
  };

  void run();
  bool take_arrivals();  // false: nothing left to do
  void wait();
  void step_jobs();

  const Now now_;
  Descriptor wake_;   // an eventfd
  std::mutex mutex_;  // guards the next three members
  std::vector<std::unique_ptr<ProcessJob>> arrivals_;
  bool is_closing_ = false;
  std::thread thread_;

  // Used by the thread only.
  std::vector<Watched> jobs_;
  std::vector<pollfd> descriptors_;
};

}  // namespace headway
