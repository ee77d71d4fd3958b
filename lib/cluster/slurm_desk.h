// A thread that waits for Slurm's commands, so that nobody else does. Whoever asks gets the answer
// as a task for a thread of its own choice.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "lib/base/thread.h"
#include "lib/cluster/slurm.h"

namespace headway {

class SlurmDesk {
 public:
  using Task = std::function<void()>;
  // `deliver` passes on answers, from the desk's thread. Throws Error if there is no thread.
  SlurmDesk(Slurm& slurm, std::function<void(Task)> deliver)
      : slurm_(slurm), deliver_(std::move(deliver)), thread_(start_thread([this] { run(); })) {}
  ~SlurmDesk() { close(); }
  SlurmDesk(const SlurmDesk&) = delete;
  SlurmDesk& operator=(const SlurmDesk&) = delete;

  // Leaves out what it was asked and has not begun.
  void forget() {
    const std::lock_guard lock(mutex_);
    questions_.clear();
  }

  // Finishes what it was asked. No question may come later.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  // Calls `question(slurm)` on the desk's thread, and `answer` with what it returned where
  // `deliver` decides.
  template <class Question, class Answer>
  void ask(Question question, Answer answer) {
    const std::lock_guard lock(mutex_);
    questions_.push_back([this, question = std::move(question), answer = std::move(answer)] {
      deliver_([answer, result = question(slurm_)] { answer(result); });
    });
    changed_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_closing_ || !questions_.empty(); });
      if (questions_.empty()) return;
      const Task question = std::move(questions_.front());
      questions_.pop_front();
      lock.unlock();
      question();
      lock.lock();
    }
  }

  Slurm& slurm_;
  const std::function<void(Task)> deliver_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> questions_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace headway
