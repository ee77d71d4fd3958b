// A few threads that stay, for work that comes in short bursts: a training step is milliseconds,
// and starting threads for each would cost a good part of it. What runs where does not matter to
// results: tasks are numbered, and each writes only to its own place.
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
  // The caller of run() counts as one of them. Throws Error where not all can be started.
  explicit ThreadTeam(std::size_t size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  std::size_t size() const { return threads_.size() + 1; }

  // Calls task(0) … task(count - 1), each once, and returns when all have ended. After an exception
  // no further task begins; of several the one of the lowest number is thrown. Not from inside a
  // task.
  void run(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  void end();
  void serve();
  void work_on(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_;  // there is a task to take, or it is over
  std::condition_variable done_;  // the last task ended
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::size_t unfinished_ = 0;
  std::size_t failed_ = 0;  // the lowest number that threw
  std::exception_ptr failure_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headway
