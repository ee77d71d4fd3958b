#include "lib/worker/process_loop.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/thread.h"

namespace headway {

ProcessLoop::ProcessLoop(Now now)
    : now_(std::move(now)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) throw Error("cannot watch processes: {}", describe_errno(errno));
}

ProcessLoop::~ProcessLoop() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
}

void ProcessLoop::start(std::unique_ptr<ProcessJob> job) {
  try {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = start_thread([this] { run(); });
    arrivals_.push_back(std::move(job));
  } catch (const Error& error) {
    job->refuse(error.what());
    ProcessJob::deliver_end(std::move(job));
  }
  wake();
}

void ProcessLoop::wake() {
  ::eventfd_write(wake_.get(), 1);
}

void ProcessLoop::run() {
  while (take_arrivals()) {
    wait();
    step_jobs();
  }
}

bool ProcessLoop::take_arrivals() {
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
  std::vector<std::unique_ptr<ProcessJob>> arrivals;
  {
    const std::lock_guard lock(mutex_);
    if (is_closing_ && arrivals_.empty() && jobs_.empty()) return false;
    arrivals.swap(arrivals_);
  }
  for (std::unique_ptr<ProcessJob>& job : arrivals) {
    job->begin(now_());
    if (job->has_ended())
      ProcessJob::deliver_end(std::move(job));
    else
      jobs_.push_back({std::move(job)});
  }
  return true;
}

void ProcessLoop::wait() {
  const Clock::time_point now = now_();
  Clock::time_point wake_time = now + std::chrono::hours(1);
  descriptors_.assign({{wake_.get(), POLLIN, 0}});
  for (Watched& watched : jobs_) {
    watched.job->add_descriptors(descriptors_);
    watched.descriptors_end = descriptors_.size();
    wake_time = std::min(wake_time, watched.job->wake_time());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(wake_time - now).count();
  const int count = ::poll(descriptors_.data(), descriptors_.size(),
                           static_cast<int>(std::max<std::int64_t>(left, 0)));
  if (count < 0) {  // interrupted by a signal
    for (pollfd& descriptor : descriptors_) descriptor.revents = 0;
  }
}

void ProcessLoop::step_jobs() {
  const Clock::time_point now = now_();
  std::size_t begin = 1;  // after wake_
  for (Watched& watched : jobs_) {
    const auto is_ready = [](const pollfd& descriptor) { return descriptor.revents != 0; };
    const auto first = descriptors_.begin();
    const bool is_due =
        now >= watched.job->wake_time() ||
        std::any_of(first + static_cast<std::ptrdiff_t>(begin),
                    first + static_cast<std::ptrdiff_t>(watched.descriptors_end), is_ready);
    begin = watched.descriptors_end;
    if (is_due) watched.job->step(now);
  }
  std::vector<std::unique_ptr<ProcessJob>> ended;
  for (Watched& watched : jobs_) {
    if (watched.job->has_ended()) ended.push_back(std::move(watched.job));
  }
  std::erase_if(jobs_, [](const Watched& watched) { return !watched.job; });
  for (std::unique_ptr<ProcessJob>& job : ended) ProcessJob::deliver_end(std::move(job));
}

}  // namespace headway
