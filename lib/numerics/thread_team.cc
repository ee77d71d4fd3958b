#include "lib/numerics/thread_team.h"

#include <utility>

namespace headway {

ThreadTeam::ThreadTeam(std::size_t size) {
  try {
    for (std::size_t i = 1; i < size; ++i) threads_.push_back(start_thread([this] { serve(); }));
  } catch (...) {  // an unjoined thread would terminate the process
    end();
    throw;
  }
}

ThreadTeam::~ThreadTeam() {
  end();
}

void ThreadTeam::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  next_ = 0;
  count_ = unfinished_ = count;
  failure_ = nullptr;
  if (count > 1) wake_.notify_all();
  work_on(lock);
  done_.wait(lock, [&] { return unfinished_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadTeam::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return over_ || next_ < count_; });
    if (over_) return;
    work_on(lock);
  }
}

// Takes tasks until none is left. The lock is released only while a task runs.
void ThreadTeam::work_on(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const std::size_t mine = next_++;
    const std::function<void(std::size_t)>& task = *task_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task(mine);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --unfinished_;
    if (failure) {
      if (!failure_ || mine < failed_) {
        failure_ = failure;
        failed_ = mine;
      }
      unfinished_ -= count_ - next_;  // skips tasks that have not begun
      next_ = count_;
    }
    if (unfinished_ == 0) done_.notify_one();
  }
}

}  // namespace headway
