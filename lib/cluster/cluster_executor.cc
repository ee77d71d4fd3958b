#include "lib/cluster/cluster_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/guardian.h"
#include "lib/base/text.h"
#include "lib/base/thread.h"
#include "lib/cluster/allocation_pool.h"
#include "lib/cluster/attempt_end.h"
#include "lib/cluster/cluster_task.h"
#include "lib/cluster/complaints.h"
#include "lib/cluster/loss.h"
#include "lib/cluster/session.h"
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
constexpr double kSoonAfterNews = 1;  // seconds
constexpr double kStateEvery = 1;     // seconds, between two looks at what agents are doing
constexpr double kRecordEvery = 5;    // at the records of stages that no message told of
constexpr double kStopGrace = 20;     // for stages to save their state after ctrl-C
constexpr double kQuietEnd = 5;       // for the last records of a job that was killed
constexpr double kAhead = 0.25;       // seconds of work that an agent has before it needs it
constexpr int kMostAhead = 64;        // stages

}  // namespace

class ClusterExecutor::Impl final : AllocationUser {
 public:
  Impl(FileSystem& files, Slurm& slurm, ClusterSettings settings, Warn warn)
      : files_(files),
        settings_(std::move(settings)),
        build_(build_stamp(settings_.worker)),
        complaints_(std::move(warn)),
        pool_(files_, slurm, settings_, add_session().allocations(), build_, *this, complaints_,
              [this](SlurmDesk::Task answer) { post(std::move(answer)); }) {
    const std::string problem =
        lock_reach_problem(files_.read("/proc/self/mountinfo").value_or(""), settings_.folder);
    if (!problem.empty()) complaints_.add(problem);
    take_over_sessions();
    thread_ = start_thread([this] { run(); });
  }

  ~Impl() override {
    post([this] { is_closing_ = true; });
    thread_.join();
    // What an earlier run has left and this one has not asked for: it ends with a run that came to
    // its end, but not with one that is to leave everything in place.
    const bool is_interrupted = settings_.interrupt && settings_.interrupt->requested();
    if (is_guardian_dead() || (settings_.detach && is_interrupted)) is_detached_ = true;
    pool_.close(is_detached_);
    if (is_detached_) return;
    for (const auto& session : sessions_) session->remove();
  }

  void start(const StageJob& job, double timeout, JobEvents events, const Interrupt& interrupt) {
    auto task =
        std::make_shared<Task>(Task{job, attempt_id(job), timeout, std::move(events), interrupt});
    post([this, task] { add(task); });
  }

  void drop_waiting() {
    post([this] {
      for (const std::shared_ptr<Task>& task : all_tasks()) {
        if (!task->at && !adopted_.contains(task->id))
          end(*task, {Status::kCancelled, "stopped before it began"});
      }
    });
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
  using Task = ClusterTask;
  // Stages of one shape.
  struct Group {
    Shape shape;
    std::deque<std::shared_ptr<Task>> waiting = {};
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
        complaints_.add("the cluster's folder: " + describe_exception(error));
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
    for (const auto& allocation : pool_.all()) try_listening(*allocation);
    look_at_records();
    send_stages();
    ask_for_allocations();
    pool_.step();
    tell_places();
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
    for (const auto& allocation : pool_.all()) {
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
      result.memory_asked =
          task.resources.memory > 0 ? task.resources.memory : at->request().memory;
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
      pool_.send(*allocation, order);
    }
  }

  // -------------------------------------------------------------------- agents and records ---

  // One folder that cannot be read must not keep us from the others.
  void try_listening(Allocation& allocation) {
    try {
      listen(allocation);
    } catch (const Error& error) {
      complaints_.add(
          fmt::format("cannot read messages from {}: {}", allocation.describe(), error.what()));
    }
  }

  void listen(Allocation& allocation) {
    if (allocation.phase == Phase::kNew) return;
    const bool looks =
        seconds_since(allocation.looked) > (allocation.is_alive() ? kStateEvery : 0.05);
    if (looks) {
      allocation.looked = Clock::now();
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
    if (looks && allocation.refresh_state()) {
      tell_progress(allocation);
      send_again(allocation);
    }
  }

  void greet(Allocation& allocation) {
    allocation.enter(Phase::kRunning);
    allocation.job.node = allocation.hello().node;
    pool_.note_agent(allocation.request().shape);
    if (!allocation.hello().job.empty()) allocation.note_id(allocation.hello().job);
    if (allocation.hello().build == build_) return;
    // Not by chance: somebody has built another program, or nodes have an old copy.
    allocation.is_wanted = false;
    const std::string why = fmt::format(
        "{} has another build of headway ({}) than this run ({}); build it "
        "in a folder that all nodes share, then run again",
        allocation.node(), allocation.hello().build, build_);
    pool_.refuse(allocation.request().shape, why);
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

  // A run that was killed may have noted stages as sent without sending them. Agents ignore what
  // they already have.
  void send_again(Allocation& allocation) {
    std::vector<std::shared_ptr<Task>> unknown;
    for (const std::string& id : allocation.attempts) {
      const std::shared_ptr<Task>& task = tasks_.at(id);
      const bool is_known = task->has_begun || allocation.state().stages.contains(id);
      if (is_known || !adopted_.contains(id) || task->is_sent_again) continue;
      if (task->life != allocation.life() || !allocation.takes_work()) continue;
      task->is_sent_again = true;
      unknown.push_back(task);
    }
    if (!unknown.empty()) send_batch(allocation, unknown);
  }

  void look_at_records() {
    const Clock::time_point now = Clock::now();
    for (const std::shared_ptr<Task>& task : due(now)) {
      task->next_look = seconds_from_now(kRecordEvery);
      std::optional<AttemptEnd> record;
      try {
        record = read_end(files_, task->job);
      } catch (const Error& error) {
        complaints_.add(fmt::format("stage '{}': {}", task->job.stage, error.what()));
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
    for (const auto& allocation : pool_.all()) {
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
                 {Status::kLost, fmt::format("waited {}: {}", format_duration(waited), missing)});
    task.pause = std::min(2.0, task.pause * 2);
    task.next_look = seconds_from_now(task.pause);
    if (waited > 2)
      task.events.progress(kUnknownFraction,
                           "finished; waiting for its files to appear: " + missing);
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

  // -------------------------------------------------------------------------- sending ---

  void send_stages() {
    for (const auto& allocation : pool_.all()) note_longest(*allocation);
    for (auto& [id, group] : groups_) {
      if (group.waiting.empty()) continue;
      std::map<Allocation*, std::vector<std::shared_ptr<Task>>> batches;
      while (!group.waiting.empty()) {
        const std::shared_ptr<Task> task = group.waiting.front();
        Allocation* best = best_for(*task);
        if (!best) break;
        group.waiting.pop_front();
        attach(*task, *best);
        best->longest_mean = std::max(best->longest_mean, mean_seconds(*task));
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

  // How long stages like this one take; a large number if that is not known.
  double mean_seconds(const Task& task) const {
    const auto mean = mean_seconds_.find(family_of(task));
    return mean != mean_seconds_.end() ? std::max(1e-3, mean->second) : 1e9;
  }

  // A short stage must not be sent to wait behind a long one.
  void note_longest(Allocation& allocation) const {
    allocation.longest_mean = 0;
    for (const std::string& id : allocation.attempts)
      allocation.longest_mean = std::max(allocation.longest_mean, mean_seconds(*tasks_.at(id)));
  }

  Allocation* best_for(const Task& task) {
    Allocation* best = nullptr;
    for (const auto& allocation : pool_.all()) {
      if (allocation->request().shape != task.group || !allocation->takes_work()) continue;
      const int cpus = allocation->request().cpus;
      const double ahead = kAhead / std::max(allocation->longest_mean, mean_seconds(task));
      const int most = cpus + static_cast<int>(std::min(cpus * ahead, double{kMostAhead}));
      const bool is_empty = allocation->attempts.empty();
      if (!is_empty && allocation->cpus_used + task.resources.cpus > most) continue;
      if (!has_time_for(task, *allocation)) continue;
      if (!best || allocation->cpus_used < best->cpus_used) best = allocation.get();
    }
    return best;
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

  void ask_for_allocations() {
    for (const auto& [id, group] : groups_) {
      if (group.waiting.empty() || group.waiting.front()->interrupt.requested()) continue;
      int cpus = 0;
      for (const std::shared_ptr<Task>& task : group.waiting) cpus += task->resources.cpus;
      pool_.ask_for(group.shape, cpus);
    }
  }

  bool needs(const Allocation& allocation) const override {
    const auto group = groups_.find(allocation.request().shape);
    return group != groups_.end() &&
           std::ranges::any_of(group->second.waiting, [&](const std::shared_ptr<Task>& task) {
             return has_time_for(*task, allocation);
           });
  }

  bool may_take_over(const std::string& attempt) const override {
    return adopted_.contains(attempt);
  }

  void refuse(const std::string& shape, const std::string& why) override {
    const auto found = groups_.find(shape);
    if (found == groups_.end()) return;
    std::string message = why;
    for (const auto& task :
         std::vector(found->second.waiting.begin(), found->second.waiting.end())) {
      // Once is enough.
      const std::string next =
          message == why ? fmt::format("same reason as stage '{}'", task->job.stage) : message;
      end(*task, {Status::kFailed, std::exchange(message, next)});
    }
  }

  void lose_agent(Allocation& allocation) override {
    for (const std::string& id : allocation.attempts) {
      tasks_.at(id)->life = "gone";
      tasks_.at(id)->next_look = Clock::now();
    }
  }

  // ------------------------------------------------------------------------------ people ---

  void tell_places() {
    if (seconds_since(told_places_) < 1) return;
    told_places_ = Clock::now();
    for (const auto& [id, group] : groups_) {
      if (group.waiting.empty()) continue;
      const std::string text = pool_.waiting_text(id);
      for (const std::shared_ptr<Task>& task : group.waiting) {
        if (text.empty() || task->place == text) continue;
        task->place = text;
        task->events.placed({"", text});
      }
    }
  }

  // --------------------------------------------------------------------------- sessions ---

  const ClusterSession& add_session() {
    sessions_.push_back(std::make_unique<ClusterSession>(files_, settings_.folder,
                                                         settings_.session, settings_.pipeline));
    return *sessions_.front();
  }

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
        pool_.adopt(std::move(allocation));
      }
      for (const SentAttempt& sent : ClusterSession::sent(files_, session->folder())) {
        const Adoptable attempt{sent, session->attempts() / sent.id};
        adopted_[sent.id] = attempt;
        adoptable_[sent.key] = attempt;  // ids sort by time: the last one counts
      }
      sessions_.push_back(std::move(session));
    }
  }

  FileSystem& files_;
  const ClusterSettings settings_;
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
  std::map<std::string, double> mean_seconds_;          // of stages that ended, by family
  Clock::time_point told_places_ = {};
  Clock::time_point last_news_ = {};  // a stage was sent, or an agent told something
  bool is_detached_ = false;
  bool is_closing_ = false;

  Complaints complaints_;
  AllocationPool pool_;
  std::thread thread_;
};

ClusterExecutor::ClusterExecutor(FileSystem& files, Slurm& slurm, ClusterSettings settings,
                                 Warn warn)
    : files_(files), slurm_(slurm), settings_(std::move(settings)), warn_(std::move(warn)) {}

ClusterExecutor::~ClusterExecutor() = default;

ClusterExecutor::Impl& ClusterExecutor::impl() const {
  const std::lock_guard lock(mutex_);
  if (!impl_) impl_ = std::make_unique<Impl>(files_, slurm_, settings_, warn_);
  return *impl_;
}

void ClusterExecutor::start(const StageJob& job, double timeout_seconds, JobEvents events,
                            const Interrupt& interrupt) {
  impl().start(job, timeout_seconds, std::move(events), interrupt);
}

Path ClusterExecutor::lasting_works(const StageType&) const {
  return impl().works();
}

std::optional<AttemptFolders> ClusterExecutor::take_over(const StageType&, const Digest& key) {
  return impl().take_over(key);
}

void ClusterExecutor::drop_waiting() {
  const std::lock_guard lock(mutex_);
  if (impl_) impl_->drop_waiting();
}

}  // namespace headway
