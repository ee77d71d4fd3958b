// A few permanent threads for short bursts of work: a training step takes milliseconds, and
// starting threads for each would be slow. Results do not depend on scheduling: tasks are numbered,
// and each writes only to its own place.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lib/base/thread.h"

namespace headway {

class ThreadTeam {
 public:
  // The caller of run() is one of the `size` threads. Throws Error if not all can be started.
  explicit ThreadTeam(std::size_t size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  std::size_t size() const { return threads_.size() + 1; }

  // Calls task(0) … task(count - 1), each once, and returns when all have ended. After an exception
  // no further task starts; the exception of the lowest-numbered task is rethrown. Must not be
  // called from a task.
  void run(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  void end();
  void serve();
  void work_on(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_;  // there is a task, or the team ends
  std::condition_variable done_;  // the last task ended
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::size_t unfinished_ = 0;
  std::size_t failed_ = 0;  // lowest number of a task that threw
  std::exception_ptr failure_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headway
