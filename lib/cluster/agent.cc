#include "lib/cluster/agent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/guardian.h"
#include "lib/base/json_fields.h"
#include "lib/base/machine.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/base/thread.h"
#include "lib/cluster/allocation_files.h"
#include "lib/cluster/attempt_end.h"
#include "lib/cluster/clock.h"
#include "lib/cluster/mailbox.h"
#include "lib/worker/command_executor.h"
#include "lib/worker/protocol.h"
#include "lib/worker/worker_executor.h"

namespace headway {
namespace {

using Clock = SteadyClock;
using Status = StageResult::Status;
namespace names = allocation_files;

// Between two looks for orders: soon after something has happened, and later. A long stage must not
// cost the shared file system hundreds of questions a second.
constexpr auto kAgentPause = std::chrono::milliseconds(5);
constexpr auto kIdleAgentPause = std::chrono::milliseconds(250);
constexpr double kSoonAfter = 2;  // seconds
constexpr auto kWriteStateEvery = std::chrono::seconds(1);
constexpr double kNearTheEnd =
    30;  // seconds before the job's limit, for stages to save their state
constexpr auto kSignalsSpread = std::chrono::milliseconds(250);

// Variables of a job that all its stages see.
const std::vector<std::string> kJobVariables = {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
                                                "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"};

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

// How long the job ran before we were started, by the node's clock.
double seconds_of_setup(double now) {
  const double began = std::atof(variable(names::kBegan, "0").c_str());
  return began > 0 ? std::clamp(now - began, 0.0, 86400.0) : 0;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Of this process and all below it, in bytes.
std::uint64_t memory_of_tree() {
  std::uint64_t pages = 0;
  std::vector<std::string> open = {"self"};
  std::set<std::string> seen;
  while (!open.empty()) {
    const std::string id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    std::uint64_t size = 0, resident = 0;
    if (std::ifstream("/proc/" + id + "/statm") >> size >> resident) pages += resident;
    std::error_code error;
    for (std::filesystem::directory_iterator thread("/proc/" + id + "/task", error), end;
         !error && thread != end; thread.increment(error)) {
      std::ifstream children(thread->path() / "children");
      for (std::string child; children >> child;) open.push_back(child);
    }
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

class Agent {
 public:
  Agent(const Path& folder, const Path& worker, const AgentRequest& request)
      : folder_(folder),
        request_(request),
        life_(folder / fmt::format("{}-{}-{}", variable("SLURM_RESTART_COUNT", "0"),
                                   files_.now_ns(), ::getpid())),
        orders_(files_, life_ / names::kOrders),
        notices_(files_, life_ / names::kNotices),
        signals_(told_),
        commands_(processes_),
        workers_(processes_, worker, inherited_environment(request.env)) {
    files_.make_directories(life_ / names::kNotices);
    hello_.build = build_stamp(worker);
    hello_.node = variable("SLURMD_NODENAME", host_name());
    hello_.job = variable("SLURM_JOB_ID", "");
    hello_.restarts = std::atoi(variable("SLURM_RESTART_COUNT", "0").c_str());
    hello_.machine = machine_facts();
    hello_.machine["node"] = hello_.node;
  }

  int run() {
    files_.replace(life_ / names::kHello, to_line(to_json_fields(hello_)) + "\n");
    if (hello_.build != request_.build) {
      fmt::print(stderr, "this is headway {}, but the engine is {}\n", hello_.build,
                 request_.build);
      return 1;
    }
    std::thread finisher = start_thread([this] { finish_attempts(); });
    std::string why;
    do {
      read_orders();
      start_what_fits();
      write_state();
      pause();
      why = reason_to_end();
    } while (why.empty());
    end(why);
    finisher.join();
    return 0;
  }

 private:
  struct Attempt {
    StageJob job;
    std::string id;
    double timeout = 0;
    Interrupt interrupt;
    std::atomic<bool> is_unwanted = false;  // the engine has cancelled it
    bool is_running = false;
    Clock::time_point arrived = Clock::now();
    Clock::time_point began;
    std::int64_t since = 0;  // unix seconds; 0: it has not begun
    double fraction = kUnknownFraction;
    std::string words;
  };
  struct Ended {
    std::shared_ptr<Attempt> attempt;
    StageResult result;
  };

  void read_orders() {
    std::vector<Json> orders;
    try {
      orders = orders_.receive();
      is_deaf_ = false;
    } catch (const Error& error) {  // the file system fails for a moment
      if (!std::exchange(is_deaf_, true))
        fmt::print(stderr, "cannot look for orders: {}\n", error.what());
    }
    for (const Json& order : orders) {
      try {
        obey(order);
      } catch (const std::exception& error) {
        fmt::print(stderr, "an order that cannot be read: {}\n", error.what());
      }
    }
  }

  void obey(const Json& order) {
    const std::lock_guard lock(mutex_);
    last_work_ = last_news_ = Clock::now();
    for (const Json& run : order.value("run", Json::array())) {
      auto attempt = std::make_shared<Attempt>();
      attempt->job = parse_request(run.at("job").get<std::string>());
      attempt->id = attempt_id(attempt->job);
      if (!seen_.insert(attempt->id).second) continue;  // sent twice
      attempt->timeout = run.at("timeout");
      add_variables(attempt->job);
      attempts_[attempt->id] = attempt;
      waiting_.push_back(attempt);
      if (unwanted_.contains(attempt->id)) cancel(*attempt);
    }
    for (const char* how : {"cancel", "kill"}) {
      for (const Json& json : order.value(how, Json::array())) {
        const std::string id = json;
        unwanted_.insert(id);  // the order to run it may come later
        const auto found = attempts_.find(id);
        if (found == attempts_.end()) continue;
        cancel(*found->second);
        if (*how == 'k') found->second->interrupt.raise();
      }
    }
    is_stopped_ = is_stopped_ || order.value("stop", false);
  }

  // What the job itself sets: Slurm the gpus, set-up lines where libraries are. Variables that the
  // stage declares are part of its key, so theirs are the values of the engine.
  void add_variables(StageJob& job) const {
    std::vector<std::string> all = inherited_environment(kJobVariables);
    for (const std::string& setting : inherited_environment(request_.env))
      set_variable(all, setting);
    for (const std::string& setting : job.environment) set_variable(all, setting);
    job.environment = std::move(all);
  }

  void cancel(Attempt& attempt) {
    attempt.is_unwanted = true;
    attempt.interrupt.raise();
  }

  std::string reason_to_end() {
    if (told_.requested()) return "its job was stopped";
    if (is_stopped_) return "its work is done";
    if (request_.time > 0 && time_left() < kNearTheEnd)
      return fmt::format(
          "its job's time limit of {} was nearly reached; for more, set `resources: {{time: …}}`",
          format_duration(request_.time));
    if (is_folder_gone()) return "its folder is gone";
    const std::lock_guard lock(mutex_);
    if (!attempts_.empty()) last_work_ = Clock::now();
    return seconds_since(last_work_) > request_.idle ? "there was nothing to do" : "";
  }

  double time_left() const { return request_.time - used_before_ - seconds_since(start_); }

  bool is_folder_gone() {
    try {
      return !files_.exists(life_);
    } catch (const Error&) {  // the file system fails for a moment
      return false;
    }
  }

  // In the order in which they came: a large one is never overtaken, so it cannot starve.
  void start_what_fits() {
    for (;;) {
      std::shared_ptr<Attempt> next;
      {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty()) break;
        next = waiting_.front();
        if (!fits(next->job.resources) && !next->interrupt.requested()) break;
      }
      if (!next->interrupt.requested() && lacks_inputs(*next)) break;
      {
        const std::lock_guard lock(mutex_);
        waiting_.pop_front();
        cpus_used_ += next->job.resources.cpus;
        memory_used_ += next->job.resources.memory;
        next->is_running = true;
        next->began = Clock::now();
        next->since = files_.now_ns() / 1'000'000'000;
        began_.push_back(next->id);
      }
      start(next);
    }
    const std::lock_guard lock(mutex_);
    send_news();
  }

  bool fits(const Resources& wanted) const {
    if (cpus_used_ == 0) return true;  // what we were sent runs in any case
    return cpus_used_ + wanted.cpus <= request_.cpus &&
           (request_.memory == 0 || memory_used_ + wanted.memory <= request_.memory);
  }

  // What the engine wrote a moment ago may not be visible here yet. This does not wait for ever:
  // the stage itself says best what it cannot read.
  bool lacks_inputs(const Attempt& attempt) {
    if (seconds_since(attempt.arrived) > request_.visible_within) return false;
    std::error_code ignored;
    for (const InputPaths& input : attempt.job.inputs) {
      for (const Path& path : input.paths) {
        if (!std::filesystem::exists(path, ignored)) return true;
      }
    }
    return !std::filesystem::exists(attempt.job.work, ignored);
  }

  void start(const std::shared_ptr<Attempt>& attempt) {
    const auto progress = [this, attempt](double fraction, const std::string& words) {
      const std::lock_guard lock(mutex_);
      attempt->fraction = fraction;
      attempt->words = words;
    };
    const auto ended = [this, attempt](StageResult result) {
      result.seconds = seconds_since(attempt->began);
      const std::lock_guard lock(mutex_);
      ended_.push_back({attempt, std::move(result)});
      changed_.notify_all();
    };
    StageExecutor& executor =
        attempt->job.script.empty() ? static_cast<StageExecutor&>(workers_) : commands_;
    executor.start(attempt->job, attempt->timeout, {progress, ended}, attempt->interrupt);
  }

  // The other thread: writes the records of what has ended. What ends while it waits for the disk
  // is the next batch.
  void finish_attempts() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_over_ || !ended_.empty(); });
      if (ended_.empty()) return;
      std::vector<Ended> batch = std::exchange(ended_, {});
      for (const Ended& ended : batch) release(*ended.attempt);
      changed_.notify_all();  // others can start before the records are written
      lock.unlock();
      record(batch);
      lock.lock();
      for (const Ended& ended : batch) {
        attempts_.erase(ended.attempt->id);
        recorded_.push_back(ended.attempt->id);
      }
      last_news_ = Clock::now();  // the engine may send the next one now
      send_news();
      changed_.notify_all();
    }
  }

  void release(Attempt& attempt) {
    if (!attempt.is_running) return;
    cpus_used_ -= attempt.job.resources.cpus;
    memory_used_ -= attempt.job.resources.memory;
    attempt.is_running = false;
  }

  void record(const std::vector<Ended>& batch) {
    const auto is_bad = [](const Ended& ended) {
      return ended.result.status != Status::kSucceeded;
    };
    // When a job is ended, all its processes get the signal, in any order. A stage may have died of
    // it before we know; that is no failure of its own.
    if (std::ranges::any_of(batch, is_bad)) std::this_thread::sleep_for(kSignalsSpread);
    const std::string why = told_.requested() ? "its job was stopped" : ending();
    std::vector<std::pair<const StageJob*, AttemptEnd>> ends;
    for (const Ended& ended : batch) {
      const Attempt& attempt = *ended.attempt;
      StageResult result = ended.result;
      const std::string full = full_disk(files_, attempt.job.work);  // of this node
      if (result.status == Status::kSucceeded && !full.empty()) {
        result.status = Status::kFailed;
        result.message = full;
      }
      if (is_bad(ended) && !why.empty() && !attempt.is_unwanted) {
        result.status = Status::kLost;
        result.message = why;
      }
      result.machine = hello_.machine;
      ends.emplace_back(&attempt.job, describe_end(files_, attempt.job, std::move(result)));
    }
    try {
      write_ends(files_, ends);
    } catch (const Error& error) {  // a full disk, say: without a record, nothing is believed
      fmt::print(stderr, "cannot write how stages ended: {}\n", error.what());
    }
  }

  // Expects the mutex to be held.
  void send_news(const std::string& bye = "") {
    if (began_.empty() && recorded_.empty() && bye.empty()) return;
    Json news = {{"began", std::exchange(began_, {})}, {"ended", std::exchange(recorded_, {})}};
    if (!bye.empty()) news["bye"] = bye;
    try {
      notices_.send(news);
    } catch (const Error&) {  // the engine also looks for records by itself
    }
  }

  void write_state() {
    if (Clock::now() < next_state_) return;
    next_state_ = Clock::now() + kWriteStateEvery;
    AgentState state{files_.now_ns() / 1'000'000'000, memory_of_tree()};
    if (request_.time > 0) state.left = time_left();
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [id, attempt] : attempts_)
        state.stages[id] = {attempt->fraction, attempt->words, attempt->since};
    }
    try {
      files_.replace(life_ / names::kState, to_line(state.to_json()) + "\n");
    } catch (const Error&) {  // people see less
    }
  }

  // Until orders may have come, or cpus are free for what waits.
  void pause() {
    std::unique_lock lock(mutex_);
    const bool is_soon = seconds_since(last_news_) < kSoonAfter;
    const auto is_startable = [&] {
      return !waiting_.empty() && fits(waiting_.front()->job.resources);
    };
    if (is_startable())  // it lacks inputs
      changed_.wait_for(lock, kAgentPause);
    else
      changed_.wait_for(lock, is_soon ? kAgentPause : kIdleAgentPause, is_startable);
  }

  std::string ending() {
    const std::lock_guard lock(mutex_);
    return ending_;
  }

  // What runs may save its state; what waits is given back to the engine.
  void end(const std::string& why) {
    std::unique_lock lock(mutex_);
    ending_ = why;
    for (const auto& attempt : std::exchange(waiting_, {}))
      ended_.push_back({attempt, {Status::kLost, why}});
    for (const auto& [id, attempt] : attempts_) attempt->interrupt.raise();
    changed_.notify_all();
    const auto is_done = [&] { return attempts_.empty(); };
    if (!changed_.wait_for(lock, std::chrono::duration<double>(kNearTheEnd * 2 / 3), is_done)) {
      for (const auto& [id, attempt] : attempts_) attempt->interrupt.raise();
      changed_.wait(lock, is_done);
    }
    send_news(why);
    is_over_ = true;
    changed_.notify_all();
    fmt::print("the agent ends: {}\n", why);
  }

  const Path folder_;
  const AgentRequest request_;
  RealFileSystem files_;
  const Path life_;
  AgentHello hello_;
  MailReader orders_;
  MailWriter notices_;
  const Clock::time_point start_ = Clock::now();
  const double used_before_ = seconds_of_setup(files_.now_ns() / 1e9);
  Clock::time_point next_state_ = start_;
  bool is_stopped_ = false;
  bool is_deaf_ = false;  // orders could not be looked for, the last time

  std::mutex mutex_;  // guards all below up to told_
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;  // without a record yet
  std::deque<std::shared_ptr<Attempt>> waiting_;
  std::vector<Ended> ended_;
  std::set<std::string> seen_;  // all that were sent
  std::set<std::string> unwanted_;
  std::vector<std::string> began_;     // not yet told to the engine
  std::vector<std::string> recorded_;  // the same
  int cpus_used_ = 0;
  std::uint64_t memory_used_ = 0;
  Clock::time_point last_work_ = start_;
  Clock::time_point last_news_ = start_;  // an order came, or a stage ended
  std::string ending_;                    // why; "": not yet
  bool is_over_ = false;

  Interrupt told_;  // by a signal
  SignalGuard signals_;
  ProcessLoop processes_;
  CommandExecutor commands_;
  WorkerExecutor workers_;
};

}  // namespace

int run_agent(const Path& folder, const Path& worker) {
  start_guardian();  // nothing that a stage starts may outlive us
  RealFileSystem files;
  const std::optional<AgentRequest> request =
      read_struct<AgentRequest>(files, folder / names::kRequest);
  if (!request) throw Error("{} is not the folder of an allocation", folder.string());
  const int code = Agent(folder, worker, *request).run();
  kill_descendants();
  return code;
}

}  // namespace headway
