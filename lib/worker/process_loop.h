// One thread that watches all jobs that run in processes of their own, however many there are.
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

  // `now` is the clock of all deadlines; tests have their own, and call wake() when it has moved.
  explicit ProcessLoop(Now now = Clock::now);
  ~ProcessLoop();  // waits for the jobs that are under way
  ProcessLoop(const ProcessLoop&) = delete;
  ProcessLoop& operator=(const ProcessLoop&) = delete;

  // From any thread. The thread that watches, and starts all processes, begins with the first job.
  void start(std::unique_ptr<ProcessJob> job);
  void wake();

 private:
  struct Watched {
    std::unique_ptr<ProcessJob> job;
    std::size_t descriptors_end =
        0;  // its descriptors end there, and begin where the last job's end
  };

  void run();
  bool take_arrivals();  // false: there is nothing left to do
  void wait();
  void step_jobs();

  const Now now_;
  Descriptor wake_;   // an eventfd
  std::mutex mutex_;  // guards the next three
  std::vector<std::unique_ptr<ProcessJob>> arrivals_;
  bool is_closing_ = false;
  std::thread thread_;

  // The thread's own.
  std::vector<Watched> jobs_;
  std::vector<pollfd> descriptors_;
};

}  // namespace headway
