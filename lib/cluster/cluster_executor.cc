#include "lib/cluster/cluster_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/guardian.h"
#include "lib/base/text.h"
#include "lib/base/thread.h"
#include "lib/cluster/allocation.h"
#include "lib/cluster/attempt_end.h"
#include "lib/cluster/session.h"
#include "lib/cluster/slurm_desk.h"
#include "lib/worker/protocol.h"

namespace headway {
namespace {

using Clock = SteadyClock;
using Status = StageResult::Status;
using Phase = Allocation::Phase;

// Between two looks at messages: soon after something has happened, and otherwise. Long stages must
// not cost the shared file system hundreds of questions a second.
constexpr auto kShortPause = std::chrono::milliseconds(5);
constexpr auto kLongPause = std::chrono::milliseconds(100);
constexpr double kSoonAfterNews = 1;    // seconds
constexpr double kStateEvery = 1;       // seconds, between two looks at what agents are doing
constexpr double kPlacesEvery = 15;     // at places in the queue
constexpr double kRecordEvery = 5;      // at the records of stages that no message told of
constexpr double kStopGrace = 20;       // for stages to save their state after ctrl-C
constexpr double kQuietEnd = 5;         // for the last records of a job that was killed
constexpr double kUnwantedPending = 5;  // before a queued job that nobody needs is cancelled
constexpr double kWarnAfter = 30;  // of a scheduler that does not answer, or a job that is stuck
constexpr double kAhead = 0.25;    // seconds of work that an agent has before it needs it
constexpr int kMostAhead = 64;     // stages
constexpr int kMostFailures = 3;   // jobs in a row in which no agent started

std::string ordinal(int number) {
  const int tens = number / 10 % 10;
  const int ones = number % 10;
  const char* ending = tens == 1   ? "th"
                       : ones == 1 ? "st"
                       : ones == 2 ? "nd"
                       : ones == 3 ? "rd"
                                   : "th";
  return std::to_string(number) + ending;
}

// Reasons of waiting that go away only if somebody does something.
bool needs_somebody(const std::string& reason) {
  for (const char* part : {"TimeLimit", "NodeLimit", "BadConstraints", "Invalid", "Held",
                           "NotAllowed", "NotAvail", "NeverSatisfied", "PerJob", "Down"}) {
    if (reason.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

class ClusterExecutor::Impl {
 public:
  Impl(FileSystem& files, Slurm& slurm, ClusterSettings settings, Warn warn)
      : files_(files),
        settings_(std::move(settings)),
        warn_(std::move(warn)),
        build_(build_stamp(settings_.worker)),
        slurm_(slurm),
        desk_(slurm, [this](SlurmDesk::Task answer) { post(std::move(answer)); }) {
    sessions_.push_back(std::make_unique<ClusterSession>(files_, settings_.folder,
                                                         settings_.session, settings_.pipeline));
    const std::string problem =
        lock_reach_problem(files_.read("/proc/self/mountinfo").value_or(""), settings_.folder);
    if (!problem.empty()) warn_(problem);
    take_over_sessions();
    thread_ = start_thread([this] { run(); });
  }

  ~Impl() {
    post([this] { is_closing_ = true; });
    thread_.join();
    give_back();
  }

  void start(const StageJob& job, double timeout, JobEvents events, const Interrupt& interrupt) {
    auto task =
        std::make_shared<Task>(Task{job, attempt_id(job), timeout, std::move(events), interrupt});
    post([this, task] { add(task); });
  }

  Path works() const { return sessions_.front()->attempts(); }

  std::optional<AttemptFolders> take_over(const Digest& key) {
    const std::lock_guard lock(mutex_);
    const auto found = adoptable_.find(key);
    if (found == adoptable_.end()) return std::nullopt;
    const Adoptable attempt = found->second;
    adoptable_.erase(found);
    return AttemptFolders{attempt.work, attempt.sent.partial};
  }

 private:
  // A stage that has started and not ended.
  struct Task {
    const StageJob& job;
    const std::string id;
    const double timeout;
    const JobEvents events;
    const Interrupt& interrupt;
    Resources resources = {};  // what the site gives it
    std::string group = {};
    Allocation* at = nullptr;  // where it was sent; null: nowhere yet
    std::string life = {};     // of the agent that has it
    bool has_begun = false;
    bool is_told_to_stop = false;
    bool is_told_to_die = false;
    Clock::time_point stop_sent = {};
    Clock::time_point next_look = {};                  // for its record
    bool is_said_to_have_ended = false;                // by its agent, which has written its record
    std::optional<Clock::time_point> no_record = {};   // since there should be one
    std::optional<Clock::time_point> incomplete = {};  // since it lacks outputs
    double pause = 0.01;
    std::string place = {};  // as last told
  };
  // Stages of one shape.
  struct Group {
    Shape shape;
    std::deque<std::shared_ptr<Task>> waiting = {};
    int failures = 0;  // jobs in a row that were refused, or ended before an agent had started
    Clock::time_point retry = {};  // no job is asked for before
  };
  struct Adoptable {
    SentAttempt sent;
    Path work;
  };

  // Callable from any thread: everything else is done by run().
  void post(SlurmDesk::Task work) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    changed_.notify_all();
  }

  void run() {
    while (!is_closing_ || !tasks_.empty()) {
      try {
        for (const SlurmDesk::Task& work : take_posted()) work();
        step();
      } catch (const std::exception& error) {  // the file system fails for a moment
        complain("the cluster's folder: " + describe_exception(error));
      }
    }
  }

  std::vector<SlurmDesk::Task> take_posted() {
    std::unique_lock lock(mutex_);
    const auto pause = seconds_since(last_news_) < kSoonAfterNews ? kShortPause : kLongPause;
    changed_.wait_for(lock, pause, [&] { return !posted_.empty(); });
    return std::exchange(posted_, {});
  }

  void step() {
    handle_interrupts();
    for (const auto& allocation : allocations_) try_listening(*allocation);
    look_at_records();
    send_stages();
    ask_for_allocations();
    submit_allocations();
    give_back_idle();
    ask_slurm();
    tell_places();
    std::erase_if(allocations_, [&](const auto& allocation) { return is_over(*allocation); });
  }

  // ------------------------------------------------------------------------------- stages ---

  void add(const std::shared_ptr<Task>& task) {
    tasks_[task->id] = task;
    task->resources = settings_.site.resources_of(task->job.type, task->job.resources);
    const Shape shape = shape_of(task->job, task->timeout, settings_.site);
    task->group = id_of(shape);
    Group& group = groups_.try_emplace(task->group, Group{shape}).first->second;
    const auto adopted = adopted_.find(task->id);
    if (adopted == adopted_.end()) {
      const auto is_before = [](const auto& one, const auto& other) {
        return one->job.rank < other->job.rank;
      };
      group.waiting.insert(std::ranges::upper_bound(group.waiting, task, is_before), task);
      return;
    }
    task->life = adopted->second.sent.life;
    for (const auto& allocation : allocations_) {
      if (allocation->folder() == adopted->second.sent.allocation) attach(*task, *allocation);
    }
    task->next_look = Clock::now();  // it may have ended unseen
  }

  void attach(Task& task, Allocation& allocation) {
    task.at = &allocation;
    allocation.attempts.insert(task.id);
    allocation.cpus_used += task.resources.cpus;
    allocation.memory_used += task.resources.memory;
    task.next_look = seconds_from_now(kRecordEvery);
  }

  void end(Task& task, StageResult result) {
    const std::shared_ptr<Task> kept = tasks_.at(task.id);
    Group& group = groups_.at(task.group);
    if (Allocation* at = task.at) {
      at->attempts.erase(task.id);
      at->cpus_used -= task.resources.cpus;
      at->memory_used -= task.resources.memory;
      at->idle_since = Clock::now();
    } else {
      std::erase(group.waiting, kept);
    }
    if (result.status == Status::kSucceeded) {
      double& mean = mean_seconds_[family_of(task)];
      mean = mean > 0 ? 0.8 * mean + 0.2 * result.seconds : result.seconds;
    }
    tasks_.erase(task.id);
    adopted_.erase(task.id);
    kept->events.ended(std::move(result));
  }

  std::vector<std::shared_ptr<Task>> all_tasks() const {
    std::vector<std::shared_ptr<Task>> tasks;
    for (const auto& [id, task] : tasks_) tasks.push_back(task);
    return tasks;
  }

  void handle_interrupts() {
    if (tasks_.empty() || !tasks_.begin()->second->interrupt.requested()) return;
    std::map<Allocation*, std::pair<Json, Json>> orders;           // to cancel, to kill
    const bool detaches = settings_.detach || is_guardian_dead();  // killed: the next run goes on
    for (const std::shared_ptr<Task>& task : all_tasks()) {
      if (!task->at || detaches) {
        const bool is_left = detaches && (task->at || adopted_.contains(task->id));
        is_detached_ = is_detached_ || is_left;
        StageResult result{Status::kCancelled,
                           is_left ? "left running on the cluster" : "stopped before it began"};
        result.is_left_running = is_left;
        end(*task, std::move(result));
        continue;
      }
      const bool is_late = task->is_told_to_stop && seconds_since(task->stop_sent) > kStopGrace;
      const bool is_kill = task->interrupt.level() == Interrupt::kKill || is_late;
      if (!task->is_told_to_stop) {
        task->is_told_to_stop = true;
        task->stop_sent = Clock::now();
        orders[task->at].first.push_back(task->id);
      }
      if (is_kill && !task->is_told_to_die) {
        task->is_told_to_die = true;
        task->stop_sent = Clock::now();
        orders[task->at].second.push_back(task->id);
      }
      const bool is_deaf = !task->at->is_alive() || seconds_since(task->stop_sent) > kQuietEnd;
      if (task->is_told_to_die && is_deaf)
        end(*task, {Status::kCancelled, "ended with its job"});  // give_back() cancels the job
    }
    for (const auto& [allocation, ids] : orders) {
      Json order = Json::object();
      if (!ids.first.empty()) order["cancel"] = ids.first;
      if (!ids.second.empty()) order["kill"] = ids.second;
      send(*allocation, order);
    }
  }

  bool send(Allocation& allocation, const Json& order) {
    if (!allocation.is_alive()) return false;
    try {
      allocation.send(order);
      return true;
    } catch (const Error& error) {
      complain(fmt::format("cannot send work to {}: {}", allocation.describe(), error.what()));
      return false;
    }
  }

  // -------------------------------------------------------------------- agents and records ---

  // One folder that cannot be read must not keep us from the others.
  void try_listening(Allocation& allocation) {
    try {
      listen(allocation);
    } catch (const Error& error) {
      complain(fmt::format("cannot hear {}: {}", allocation.describe(), error.what()));
    }
  }

  void listen(Allocation& allocation) {
    if (allocation.phase == Phase::kNew) return;
    const bool looks =
        seconds_since(last_look_[&allocation]) > (allocation.is_alive() ? kStateEvery : 0.05);
    if (looks) {
      last_look_[&allocation] = Clock::now();
      if (allocation.phase != Phase::kEnded && allocation.find_life()) greet(allocation);
    }
    if (allocation.life().empty()) return;
    const AgentNews news = allocation.receive();
    if (!news.began.empty() || !news.ended.empty() || news.is_bye) last_news_ = Clock::now();
    for (const std::string& id : news.began) begin(id);
    for (const std::string& id : news.ended) {
      if (const auto task = tasks_.find(id); task != tasks_.end()) {
        task->second->is_said_to_have_ended = true;
        task->second->next_look = Clock::now();
      }
    }
    if (news.is_bye) {  // all its records are written
      allocation.said_bye = true;
      for (const std::string& id : allocation.attempts) tasks_.at(id)->next_look = Clock::now();
    }
    if (looks && allocation.refresh_state()) tell_progress(allocation);
  }

  void greet(Allocation& allocation) {
    allocation.enter(Phase::kRunning);
    allocation.job.node = allocation.hello().node;
    if (const auto group = groups_.find(allocation.request().shape); group != groups_.end())
      group->second.failures = 0;
    if (!allocation.hello().job.empty()) allocation.note_id(allocation.hello().job);
    if (allocation.hello().build == build_) return;
    // Not by chance: somebody has built another program, or nodes have an old copy.
    allocation.is_wanted = false;
    const std::string why = fmt::format(
        "{} has another build of headway ({}) than this run ({}); build it again on this machine, "
        "in a folder that the nodes share, and run again",
        allocation.node(), allocation.hello().build, build_);
    fail_waiting(allocation.request().shape, why);
  }

  void begin(const std::string& id) {
    const auto found = tasks_.find(id);
    if (found == tasks_.end() || found->second->has_begun || !found->second->at) return;
    Task& task = *found->second;
    task.has_begun = true;
    task.events.placed({task.at->node(), ""});
  }

  void tell_progress(const Allocation& allocation) {
    for (const auto& [id, stage] : allocation.state().stages) {
      const auto found = tasks_.find(id);
      if (found == tasks_.end() || stage.since == 0) continue;
      begin(id);
      if (stage.fraction >= 0 || !stage.words.empty())
        found->second->events.progress(stage.fraction, stage.words);
    }
  }

  void look_at_records() {
    const Clock::time_point now = Clock::now();
    for (const std::shared_ptr<Task>& task : due(now)) {
      task->next_look = seconds_from_now(kRecordEvery);
      std::optional<AttemptEnd> record;
      try {
        record = read_end(files_, task->job);
      } catch (const Error& error) {
        complain(fmt::format("stage '{}': {}", task->job.stage, error.what()));
      }
      if (record)
        believe(*task, *record);
      else
        doubt(*task);
    }
  }

  // Those whose record may be there.
  std::vector<std::shared_ptr<Task>> due(Clock::time_point now) const {
    std::vector<std::shared_ptr<Task>> due;
    for (const auto& allocation : allocations_) {
      for (const std::string& id : allocation->attempts) {
        const std::shared_ptr<Task>& task = tasks_.at(id);
        if (now >= task->next_look || allocation->phase == Phase::kEnded) due.push_back(task);
      }
    }
    for (const auto& [id, attempt] : adopted_) {  // from an allocation that is gone
      const auto task = tasks_.find(id);
      if (task != tasks_.end() && !task->second->at && now >= task->second->next_look)
        due.push_back(task->second);
    }
    return due;
  }

  void believe(Task& task, const AttemptEnd& record) {
    StageResult result = record.result;
    if (task.is_told_to_stop && result.status == Status::kLost) result.status = Status::kCancelled;
    if (!task.is_told_to_stop && result.status == Status::kCancelled) {
      result.status = Status::kLost;  // the run before this one has stopped it
      result.message = "an earlier run stopped it";
    }
    if (result.status == Status::kSucceeded) {
      const std::string missing = missing_of(files_, task.job, record);
      if (!missing.empty()) return wait_for_outputs(task, missing);
    }
    if (result.status == Status::kLost && task.at) {
      // An agent does not know that Slurm has given its job up.
      const JobInfo& job = task.at->job;
      const bool is_given_up = task.at->phase == Phase::kEnded && job.state != "COMPLETED";
      result.message = is_given_up ? loss_of(*task.at).message
                                   : fmt::format("{}: {}", task.at->describe(), result.message);
    }
    end(task, std::move(result));
  }

  // A shared file system may show a record before the files that were written before it.
  void wait_for_outputs(Task& task, const std::string& missing) {
    if (!task.incomplete) task.incomplete = Clock::now();
    const double waited = seconds_since(*task.incomplete);
    if (waited > settings_.site.visible_within)
      return end(task,
                 {Status::kLost, fmt::format("after {}, {}", format_duration(waited), missing)});
    task.pause = std::min(2.0, task.pause * 2);
    task.next_look = seconds_from_now(task.pause);
    if (waited > 2)
      task.events.progress(kUnknownFraction, "has ended; waits for the file system: " + missing);
  }

  // There is no record. Whether one may still come depends on the agent that has the stage.
  void doubt(Task& task) {
    Allocation* at = task.at;
    if (!at) return end(task, {Status::kLost, "the job that had it is gone"});
    const bool is_of_other_life = !task.life.empty() && task.life != at->life();
    const bool is_told = task.is_said_to_have_ended || at->said_bye;
    if (at->phase != Phase::kEnded && !is_told && !is_of_other_life) return;
    const bool may_be_late = at->job.state == "COMPLETED" || is_told;
    const double patience = may_be_late ? settings_.site.visible_within
                                        : std::min(kQuietEnd, settings_.site.visible_within);
    if (!task.no_record) task.no_record = Clock::now();
    if (seconds_since(*task.no_record) < patience) {
      task.next_look = seconds_from_now(std::min(0.2, patience / 4));
      return;
    }
    StageResult result = loss_of(*at);
    if (is_told && at->phase != Phase::kEnded)
      result.message = fmt::format("{}: no record of its end appeared within {}", at->describe(),
                                   format_duration(patience));
    end(task, std::move(result));
  }

  // What the end of a job means for a stage without a record.
  StageResult loss_of(const Allocation& at) {
    const std::uint64_t asked = at.request().memory;
    const std::uint64_t used = at.state().memory;
    const std::string how = at.phase != Phase::kEnded ? "has started anew"
                            : at.job.state.empty()    ? "is gone"
                                                      : "ended: " + at.job.state;
    StageResult result{Status::kLost, at.describe() + " " + how};
    if (!at.job.exit_code.empty() && at.job.exit_code != "0:0")
      result.message += ", exit " + at.job.exit_code;
    if (!at.life().empty()) result.machine = at.hello().machine;
    const bool was_killed =
        at.job.exit_code.ends_with(":9") && asked > 0 && used > 0.6 * static_cast<double>(asked);
    if (at.job.state != "OUT_OF_MEMORY" && !was_killed) return result;
    result.message = fmt::format("out of memory ({})", result.message);
    if (used > 0 && asked > 0)
      result.message +=
          fmt::format("; last seen: {} of {} asked", format_bytes(used), format_bytes(asked));
    // If it was alone, it would happen again.
    if (at.attempts.size() == 1) {
      result.status = Status::kFailed;
      result.message += "; ask for more with `resources: {memory: …}`";
    }
    result.peak_memory = used;
    return result;
  }

  // -------------------------------------------------------------------------- sending ---

  void send_stages() {
    for (auto& [id, group] : groups_) {
      if (group.waiting.empty()) continue;
      std::map<Allocation*, std::vector<std::shared_ptr<Task>>> batches;
      while (!group.waiting.empty()) {
        const std::shared_ptr<Task> task = group.waiting.front();
        Allocation* best = best_for(*task);
        if (!best) break;
        group.waiting.pop_front();
        attach(*task, *best);
        task->life = best->life();
        batches[best].push_back(task);
      }
      for (const auto& [allocation, tasks] : batches) send_batch(*allocation, tasks);
    }
  }

  // Items of a matrix take about as long as each other.
  static std::string family_of(const Task& task) {
    return task.job.stage.substr(0, task.job.stage.find('@'));
  }

  Allocation* best_for(const Task& task) {
    Allocation* best = nullptr;
    const Resources& wanted = task.resources;
    const auto mean = mean_seconds_.find(family_of(task));
    const double ahead = mean != mean_seconds_.end() ? kAhead / std::max(1e-3, mean->second) : 0;
    for (const auto& allocation : allocations_) {
      if (allocation->request().shape != task.group || !takes_work(*allocation)) continue;
      const int cpus = allocation->request().cpus;
      const int most = cpus + static_cast<int>(std::min(cpus * ahead, double{kMostAhead}));
      const bool is_empty = allocation->attempts.empty();
      if (!is_empty && allocation->cpus_used + wanted.cpus > most) continue;
      if (!has_time_for(task, *allocation)) continue;
      if (!best || allocation->cpus_used < best->cpus_used) best = allocation.get();
    }
    return best;
  }

  // Whether it runs nothing, neither for us nor what an earlier run has left in it.
  bool is_idle(const Allocation& allocation) const {
    return allocation.attempts.empty() &&
           std::ranges::none_of(allocation.state().stages,
                                [&](const auto& stage) { return adopted_.contains(stage.first); });
  }

  static bool takes_work(const Allocation& allocation) {
    return allocation.is_alive() && allocation.phase == Phase::kRunning && allocation.is_wanted &&
           !allocation.said_bye;
  }

  bool has_time_for(const Task& task, const Allocation& allocation) const {
    const double left = allocation.time_left();
    const double needed = time_of(task.job, task.timeout, settings_.site);
    if (needed > 0) return left - kTimeAround / 2 >= needed;
    return left > allocation.request().time * 0.2;  // not known: while it is not nearly up
  }

  void send_batch(Allocation& allocation, const std::vector<std::shared_ptr<Task>>& tasks) {
    Json runs = Json::array();
    try {
      for (const std::shared_ptr<Task>& task : tasks) {
        ClusterSession::note_sent(
            files_, task->job.work,
            {task->id, task->job.key, task->job.partial, allocation.folder(), allocation.life()});
        StageJob job = task->job;
        job.resources = task->resources;
        job.resume_on_other_numerics = settings_.site.resume_on_other_cpus;
        runs.push_back({{"job", request_line(job)}, {"timeout", task->timeout}});
      }
      allocation.send({{"run", std::move(runs)}});
      last_news_ = Clock::now();
    } catch (const Error& error) {
      // It may have arrived all the same, so these attempts must not begin elsewhere: two programs
      // would write to one folder.
      allocation.is_wanted = false;
      for (const std::shared_ptr<Task>& task : tasks)
        end(*task, {Status::kLost,
                    fmt::format("cannot send it to {}: {}", allocation.describe(), error.what())});
    }
  }

  // ---------------------------------------------------------------------- allocations ---

  // As many as the waiting stages can use, within what the site allows.
  void ask_for_allocations() {
    for (const auto& [id, group] : groups_) {
      if (group.waiting.empty() || group.waiting.front()->interrupt.requested() ||
          Clock::now() < group.retry)
        continue;
      int cpus_wanted = 0;
      for (const std::shared_ptr<Task>& task : group.waiting) cpus_wanted += task->resources.cpus;
      int coming = 0;
      for (const auto& allocation : allocations_) {
        const bool is_coming = allocation->phase != Phase::kEnded && !takes_work(*allocation) &&
                               allocation->is_wanted && !allocation->said_bye;
        if (allocation->request().shape == id && is_coming) ++coming;
      }
      const int each = std::max(1, group.shape.resources.cpus);
      const int wanted = (cpus_wanted + each - 1) / each - coming;
      for (int i = 0; i < wanted && has_room_for(group); ++i) add_allocation(group, id);
    }
  }

  bool has_room_for(const Group& group) {
    int jobs = 0, cpus = 0;
    Allocation* idle = nullptr;
    for (const auto& allocation : allocations_) {
      if (allocation->phase == Phase::kEnded) continue;
      ++jobs;
      cpus += allocation->request().cpus;
      if (is_idle(*allocation) && allocation->is_wanted &&
          groups_.contains(allocation->request().shape) &&
          groups_.at(allocation->request().shape).waiting.empty())
        idle = allocation.get();
    }
    const bool has_room =
        jobs < settings_.site.jobs &&
        (settings_.cpus == 0 || jobs == 0 || cpus + group.shape.resources.cpus <= settings_.cpus);
    if (!has_room && idle) dismiss(*idle);  // its place is needed
    return has_room;
  }

  void add_allocation(const Group& group, const std::string& id) {
    const Resources& wanted = group.shape.resources;
    AgentRequest request{build_,
                         id,
                         wanted.cpus,
                         wanted.memory,
                         wanted.time,
                         settings_.site.idle * 2 + 30,
                         settings_.site.visible_within};
    const Path folder =
        sessions_.front()->allocations() / fmt::format("{:04}", ++allocations_made_);
    try {
      allocations_.push_back(std::make_unique<Allocation>(files_, folder, group.shape, request,
                                                          settings_.site.setup, settings_.program));
    } catch (const Error& error) {
      fail_waiting(id, error.what());
    }
  }

  void submit_allocations() {
    for (const auto& allocation : allocations_) {
      if (allocation->phase != Phase::kNew ||
          seconds_since(allocation->retry.value_or(Clock::time_point())) < 0)
        continue;
      allocation->enter(Phase::kSubmitting);
      const std::string name = allocation->name();
      const JobRequest request = allocation->job_request({excluded_.begin(), excluded_.end()});
      desk_.ask([request](Slurm& slurm) { return slurm.submit(request); },
                [this, name](const Submission& submission) { note_submission(name, submission); });
    }
  }

  Allocation* find(const std::string& name) {
    for (const auto& allocation : allocations_) {
      if (allocation->name() == name) return allocation.get();
    }
    return nullptr;
  }

  void note_submission(const std::string& name, const Submission& submission) {
    Allocation* allocation = find(name);
    if (!allocation || allocation->phase == Phase::kEnded) {  // nobody needs it any more
      if (submission.status == Submission::Status::kAccepted) cancel(submission.id);
      return;
    }
    switch (submission.status) {
      case Submission::Status::kAccepted:
        allocation->note_id(submission.id);
        if (allocation->phase == Phase::kSubmitting) allocation->enter(Phase::kQueued);
        return;
      case Submission::Status::kUnknown:
        // Perhaps it is there. squeue tells; if it does not list it, it is submitted again.
        complain("sbatch: " + submission.said + "; looking for its job");
        if (allocation->phase == Phase::kSubmitting) allocation->enter(Phase::kQueued);
        return;
      case Submission::Status::kBusy:
        allocation->enter(Phase::kNew);
        allocation->backoff = std::min(60.0, std::max(0.5, allocation->backoff * 2));
        allocation->retry = seconds_from_now(allocation->backoff);
        if (allocation->backoff > 8) complain("sbatch: " + submission.said + "; trying again");
        return;
      case Submission::Status::kRefused:
        if (!excluded_.empty()) {  // perhaps no node is left
          excluded_.clear();
          return allocation->enter(Phase::kNew);
        }
        allocation->enter(Phase::kEnded);
        note_failure(*allocation);
        fail_waiting(allocation->request().shape, "sbatch refused the job: " + submission.said);
    }
  }

  // The next job of this shape may fail too: it is asked for later and later. Returns how many have
  // failed in a row.
  int note_failure(const Allocation& allocation) {
    const auto group = groups_.find(allocation.request().shape);
    if (group == groups_.end()) return 0;
    const int failures = ++group->second.failures;
    group->second.retry = seconds_from_now(std::min(60.0, 0.1 * std::exp2(failures)));
    return failures;
  }

  // A job that was wanted has ended before an agent had started in it.
  void note_early_end(const Allocation& allocation) {
    if (note_failure(allocation) < kMostFailures) return;
    std::string printed;
    try {
      printed = trim(files_.read_end(allocation.folder() / allocation_files::kOutput, 400));
    } catch (const Error&) {
    }
    fail_waiting(allocation.request().shape,
                 fmt::format("{} jobs in a row ended before headway had started in them; the last: "
                             "{}{}",
                             kMostFailures, loss_of(allocation).message,
                             printed.empty() ? "" : "; it printed: " + printable(printed)));
  }

  // If no allocation of this shape is left that could run them.
  void fail_waiting(const std::string& shape, const std::string& why) {
    for (const auto& allocation : allocations_) {
      if (allocation->request().shape == shape && takes_work(*allocation)) return complain(why);
    }
    const auto found = groups_.find(shape);
    if (found == groups_.end()) return;
    std::string message = why;
    for (const auto& task :
         std::vector(found->second.waiting.begin(), found->second.waiting.end())) {
      const std::string next = "the same as " + task->job.stage;  // once is enough
      end(*task, {Status::kFailed, std::exchange(message, next)});
    }
  }

  void give_back_idle() {
    for (const auto& allocation : allocations_) {
      if (!is_idle(*allocation) || !allocation->is_wanted || allocation->phase == Phase::kEnded ||
          allocation->phase == Phase::kSubmitting)
        continue;
      const auto group = groups_.find(allocation->request().shape);
      if (group != groups_.end() && !group->second.waiting.empty()) continue;
      const bool is_running = allocation->is_alive();
      const double idle = seconds_since(std::max(allocation->idle_since, allocation->changed));
      if (idle > (is_running ? settings_.site.idle : kUnwantedPending)) dismiss(*allocation);
    }
  }

  void dismiss(Allocation& allocation) {
    allocation.is_wanted = false;
    if (send(allocation, {{"stop", true}})) return;
    if (allocation.job.id.empty()) return allocation.enter(Phase::kEnded);
    cancel(allocation.job.id);
  }

  void cancel(const std::string& id) {
    desk_.ask([id](Slurm& slurm) { return slurm.cancel({id}); }, [](bool) {});
  }

  // It has ended, and so have its stages.
  bool is_over(const Allocation& allocation) {
    if (allocation.phase != Phase::kEnded || !allocation.attempts.empty()) return false;
    last_look_.erase(&allocation);
    return true;
  }

  // ------------------------------------------------------------------------------ Slurm ---

  void ask_slurm() {
    const bool has_jobs = std::ranges::any_of(allocations_, [](const auto& allocation) {
      return allocation->phase == Phase::kQueued || allocation->phase == Phase::kRunning;
    });
    if (!has_jobs || is_asking_ || seconds_since(asked_) < settings_.site.poll) return;
    is_asking_ = true;
    asked_ = Clock::now();
    const bool wants_places = seconds_since(asked_places_) > kPlacesEvery &&
                              std::ranges::any_of(allocations_, [](const auto& allocation) {
                                return allocation->phase == Phase::kQueued;
                              });
    if (wants_places) asked_places_ = Clock::now();
    struct Queue {
      std::optional<std::map<std::string, JobInfo>> jobs;
      std::map<std::string, int> places;
      std::string complaint;
    };
    desk_.ask(
        [wants_places](Slurm& slurm) {
          Queue queue{slurm.jobs(), {}, ""};
          queue.complaint = slurm.complaint();
          if (wants_places && queue.jobs) queue.places = slurm.places();
          return queue;
        },
        [this](const Queue& queue) {
          is_asking_ = false;
          if (queue.jobs) {
            silent_since_.reset();
            note_jobs(*queue.jobs, queue.places);
          } else {
            note_silence(queue.complaint);
          }
        });
  }

  // Slurm gives no answer. That says nothing about jobs.
  void note_silence(const std::string& complaint) {
    if (!silent_since_) silent_since_ = Clock::now();
    if (seconds_since(*silent_since_) > kWarnAfter)
      complain("Slurm does not answer (" + complaint + "); waiting, stages go on meanwhile");
  }

  void note_jobs(const std::map<std::string, JobInfo>& jobs,
                 const std::map<std::string, int>& places) {
    for (const auto& allocation : allocations_) {
      if (allocation->phase != Phase::kQueued && allocation->phase != Phase::kRunning) continue;
      const auto found = jobs.find(allocation->name());
      if (found == jobs.end()) {
        note_absence(*allocation);
        continue;
      }
      allocation->absent.reset();
      note_job(*allocation, found->second);
      if (const auto place = places.find(found->second.id); place != places.end())
        allocation->place = place->second;
    }
  }

  void note_job(Allocation& allocation, const JobInfo& job) {
    const std::string node = job.node.empty() ? allocation.job.node : job.node;
    allocation.note_id(job.id);
    const bool is_news = allocation.job.state != job.state;
    allocation.job = job;
    allocation.job.node = node;
    switch (job.phase()) {
      case JobInfo::Phase::kPending:
        // Requeued, unless it began after we asked.
        if (allocation.is_alive()) {
          if (allocation.found_life() > asked_) return;
          allocation.forget_life();
          for (const std::string& id : allocation.attempts) {
            tasks_.at(id)->life = "gone";
            tasks_.at(id)->next_look = Clock::now();
          }
        }
        allocation.enter(Phase::kQueued);
        if (needs_somebody(job.reason) && seconds_since(allocation.changed) > kWarnAfter &&
            warned_.insert(job.reason).second)
          warn_(fmt::format("job {} waits for a reason that may not go away by itself: {}", job.id,
                            job.reason));
        return;
      case JobInfo::Phase::kRunning:
        return allocation.enter(Phase::kRunning);
      case JobInfo::Phase::kEnded:
        if (is_news) ask_for_details(allocation);
    }
  }

  // It may have ended long ago, or the list may be wrong.
  void note_absence(Allocation& allocation) {
    if (!allocation.absent) allocation.absent = Clock::now();
    const bool is_silent = allocation.life().empty() || allocation.silence() > settings_.lost_after;
    if (seconds_since(*allocation.absent) < settings_.lost_after || !is_silent) return;
    if (allocation.job.id.empty()) {  // the answer to sbatch was lost, and so was the job
      allocation.enter(allocation.is_taken_over ? Phase::kEnded : Phase::kNew);
      allocation.absent.reset();
      return;
    }
    ask_for_details(allocation);
  }

  void ask_for_details(Allocation& allocation) {
    const std::string name = allocation.name();
    JobInfo job = allocation.job;
    job.name = name;
    desk_.ask([job](Slurm& slurm) { return slurm.details(job); },
              [this, name](const std::optional<Slurm::Details>& details) {
                if (Allocation* found = find(name)) note_details(*found, details);
              });
  }

  void note_details(Allocation& allocation, const std::optional<Slurm::Details>& details) {
    if (details && !details->is_gone) {
      const std::string node = allocation.job.node;
      allocation.job = details->job;
      if (allocation.job.node.empty()) allocation.job.node = node;
      if (details->job.phase() != JobInfo::Phase::kEnded) return allocation.absent.reset();
    } else if (!details && allocation.absent &&
               seconds_since(*allocation.absent) < 10 * settings_.lost_after) {
      return;  // no answer; ask again
    }
    if (allocation.job.phase() != JobInfo::Phase::kEnded) allocation.job.state.clear();  // unknown
    allocation.enter(Phase::kEnded);
    if (allocation.life().empty() && allocation.is_wanted && !allocation.is_taken_over)
      note_early_end(allocation);
    const bool is_bad_node = allocation.job.state == "NODE_FAIL" ||
                             allocation.job.state == "BOOT_FAIL" ||
                             allocation.job.state == "FAILED";
    if (is_bad_node && !allocation.node().empty() && !allocation.said_bye)
      excluded_.insert(allocation.node());
    // An agent that Slurm has given up may still run: its stages are tried elsewhere.
    if (!allocation.life().empty()) {
      try {
        allocation.send({{"stop", true}});
      } catch (const Error&) {
      }
    }
  }

  // ------------------------------------------------------------------------------ people ---

  void tell_places() {
    if (seconds_since(told_places_) < 1) return;
    told_places_ = Clock::now();
    for (const auto& [id, group] : groups_) {
      if (group.waiting.empty()) continue;
      const std::string text = waiting_text(id);
      for (const std::shared_ptr<Task>& task : group.waiting) {
        if (task->place == text) continue;
        task->place = text;
        task->events.placed({"", text});
      }
    }
  }

  std::string waiting_text(const std::string& shape) const {
    const Allocation* first = nullptr;
    for (const auto& allocation : allocations_) {
      if (allocation->request().shape != shape || allocation->phase == Phase::kEnded) continue;
      if (takes_work(*allocation)) return "for stages before it";
      if (!first || (allocation->place > 0 && allocation->place < first->place))
        first = allocation.get();
    }
    if (!first)
      return fmt::format("for one of {}",
                         count_of(static_cast<std::size_t>(settings_.site.jobs), "job"));
    if (first->phase == Phase::kNew || first->phase == Phase::kSubmitting || first->job.id.empty())
      return "its job is being submitted";
    if (first->phase == Phase::kRunning) return first->describe() + " starts";
    const bool has_reason = !first->job.reason.empty() && first->job.reason != "None";
    std::string text = "job " + first->job.id + ": " + (has_reason ? first->job.reason : "queued");
    if (first->place > 0) text += fmt::format(", {} in the queue", ordinal(first->place));
    return text;
  }

  // The same warning once a minute at most.
  void complain(const std::string& text) {
    const auto said = complaints_.find(text);
    if (said != complaints_.end() && seconds_since(said->second) < 60) return;
    complaints_[text] = Clock::now();
    warn_(text);
  }

  // ------------------------------------------------------------------- beginning and end ---

  void take_over_sessions() {
    for (auto& session : ClusterSession::take_over(files_, settings_.folder, settings_.pipeline)) {
      for (const std::string& name : files_.list(session->allocations())) {
        std::unique_ptr<Allocation> allocation =
            Allocation::open(files_, session->allocations() / name);
        if (!allocation) continue;
        if (allocation->find_life()) {
          allocation->enter(Phase::kRunning);
          // What runs there goes on: keys do not depend on the build. It gets nothing new.
          allocation->is_wanted = allocation->hello().build == build_;
        }
        allocations_.push_back(std::move(allocation));
      }
      for (const SentAttempt& sent : ClusterSession::sent(files_, session->folder())) {
        const Adoptable attempt{sent, session->attempts() / sent.id};
        adopted_[sent.id] = attempt;
        adoptable_[sent.key] = attempt;  // ids sort by time: the last one counts
      }
      sessions_.push_back(std::move(session));
    }
  }

  // The thread has ended.
  void give_back() {
    std::vector<std::string> ids;
    bool is_unknown = false;
    for (const auto& allocation : allocations_) {
      if (allocation->phase == Phase::kEnded || allocation->phase == Phase::kNew) continue;
      if (is_detached_ && allocation->is_alive()) continue;
      is_unknown = is_unknown || allocation->job.id.empty();
      if (!allocation->job.id.empty()) ids.push_back(allocation->job.id);
    }
    desk_.forget();
    desk_.ask(
        [this, ids, is_unknown](Slurm& slurm) {
          std::vector<std::string> all = ids;
          if (is_unknown) {  // an answer of sbatch was lost or has not come
            for (const auto& [name, job] : slurm.jobs().value_or(std::map<std::string, JobInfo>()))
              if (find(name) && job.phase() != JobInfo::Phase::kEnded) all.push_back(job.id);
          }
          return all.empty() || slurm.cancel(all);
        },
        [](bool) {});
    desk_.close();
    if (is_detached_) return;
    for (const auto& session : sessions_) session->remove();
  }

  FileSystem& files_;
  const ClusterSettings settings_;
  const Warn warn_;
  const std::string build_;
  std::vector<std::unique_ptr<ClusterSession>> sessions_;  // ours first, then those taken over

  std::mutex mutex_;  // guards the next three
  std::condition_variable changed_;
  std::vector<SlurmDesk::Task> posted_;
  std::map<Digest, Adoptable> adoptable_;

  // Used by the thread only.
  std::map<std::string, std::shared_ptr<Task>> tasks_;  // by attempt
  std::map<std::string, Group> groups_;                 // by the shape's id
  std::map<std::string, Adoptable> adopted_;            // by attempt; those that have not ended
  std::vector<std::unique_ptr<Allocation>> allocations_;
  int allocations_made_ = 0;
  std::map<std::string, double> mean_seconds_;  // of stages that ended, by family
  std::set<std::string> excluded_;              // nodes that failed
  std::map<const Allocation*, Clock::time_point> last_look_;
  bool is_asking_ = false;
  Clock::time_point asked_ = {};
  Clock::time_point asked_places_ = {};
  Clock::time_point told_places_ = {};
  Clock::time_point last_news_ = {};  // a stage was sent, or an agent told something
  std::optional<Clock::time_point> silent_since_;
  std::set<std::string> warned_;
  std::map<std::string, Clock::time_point> complaints_;
  bool is_detached_ = false;
  bool is_closing_ = false;

  Slurm& slurm_;
  SlurmDesk desk_;
  std::thread thread_;
};

ClusterExecutor::ClusterExecutor(FileSystem& files, Slurm& slurm, ClusterSettings settings,
                                 Warn warn)
    : impl_(std::make_unique<Impl>(files, slurm, std::move(settings), std::move(warn))) {}

ClusterExecutor::~ClusterExecutor() = default;

void ClusterExecutor::start(const StageJob& job, double timeout_seconds, JobEvents events,
                            const Interrupt& interrupt) {
  impl_->start(job, timeout_seconds, std::move(events), interrupt);
}

Path ClusterExecutor::lasting_works(const StageType&) const {
  return impl_->works();
}

std::optional<AttemptFolders> ClusterExecutor::take_over(const StageType&, const Digest& key) {
  return impl_->take_over(key);
}

}  // namespace headway
