#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/thread.h"
#include "lib/observers/observers.h"
#include "lib/run/live_run.h"

namespace headway {
namespace {

constexpr auto kRewriteEvery = std::chrono::seconds(1);

class LiveObserver final : public Observer {
 public:
  LiveObserver(FileSystem& files, const Path& file) : files_(files), file_(file) {}
  ~LiveObserver() override { stop(); }

  void run_started(const RunInfo& info) override {
    if (info.queued.empty()) return;  // a run with nothing to do is over before anybody looks
    run_.id = info.id;
    run_.pipeline = info.pipeline;
    run_.started = files_.now_ns() / 1'000'000'000;
    for (const std::string& stage : info.queued) run_.stages[stage];
    write(run_);  // at once: the history will soon say that a stage runs
    writer_ = start_thread([this] { write_until_stopped(); });
  }

  void stage_started(const StageStart& start) override {
    change([&] {
      run_.stages[start.stage] = {files_.now_ns() / 1'000'000'000, start.attempt};
      return true;
    });
  }

  void stage_progress(const std::string& stage, double fraction,
                      const std::string& words) override {
    change([&] {
      const auto found = run_.stages.find(stage);
      if (found == run_.stages.end()) return false;
      found->second.fraction = fraction;
      found->second.words = words;
      return true;
    });
  }

  void stage_placed(const std::string& stage, const JobPlace& place) override {
    change([&] {
      const auto found = run_.stages.find(stage);
      if (found == run_.stages.end()) return false;
      LiveStage& live = found->second;
      if (place.node == live.node && place.waiting == live.waiting) return false;
      // Its time on this node counts from now; that of a job sent back to the queue, too.
      if (place.node != live.node)
        live = {.since = files_.now_ns() / 1'000'000'000, .attempt = live.attempt};
      live.node = place.node;
      live.waiting = place.waiting;
      return true;
    });
  }

  void stage_finished(const StageEnd& end) override {
    change([&] { return run_.stages.erase(end.stage) > 0; });
  }

  void headline_changed(const Headline& headline) override {
    change([&] {
      run_.headline = headline.text;
      return true;
    });
  }

  void run_finished(const RunSummary&) override {
    if (!writer_.joinable()) return;
    stop();
    try {
      files_.remove(file_);
    } catch (const Error&) {  // it is only read while the run lives
    }
  }

 private:
  // `apply` returns whether it changed anything: then all stages are written again.
  template <class Change>
  void change(const Change& apply) {
    if (!writer_.joinable()) return;  // before run_started, or nothing to do
    {
      const std::lock_guard lock(mutex_);
      if (!apply() || std::exchange(is_changed_, true)) return;
    }
    wake_.notify_one();  // once for each time it writes
  }

  void write_until_stopped() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (wake_.wait_for(lock, kRewriteEvery, [&] { return is_stopping_; })) return;
      wake_.wait(lock, [&] { return is_stopping_ || is_changed_; });
      if (is_stopping_) return;
      is_changed_ = false;
      const LiveRun copy = run_;
      lock.unlock();
      write(copy);
      lock.lock();
    }
  }

  void write(const LiveRun& run) {
    try {
      files_.replace(file_, to_line(run.to_json()) + "\n");
    } catch (const Error&) {  // a full disk, say: others see less, which is no harm to the run
    }
  }

  void stop() {
    if (!writer_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    wake_.notify_one();
    writer_.join();
  }

  FileSystem& files_;
  const Path file_;
  std::mutex mutex_;  // guards the three below
  LiveRun run_;
  bool is_changed_ = false;
  bool is_stopping_ = false;
  std::condition_variable wake_;
  std::thread writer_;
};

}  // namespace

std::unique_ptr<Observer> make_live_observer(FileSystem& files, const Path& file) {
  return std::make_unique<LiveObserver>(files, file);
}

}  // namespace headway
