#include "lib/cluster/allocation_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cluster/loss.h"

namespace headway {
namespace {

constexpr double kPlacesEvery = 15;     // seconds, between two looks at places in the queue
constexpr double kUnwantedPending = 5;  // before a queued job that nobody needs is cancelled
constexpr double kExcludedFor = 600;
constexpr double kLongSubmission = 3;
constexpr double kWarnAfter = 30;  // of a scheduler that does not answer, or a job that is stuck
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

AllocationPool::AllocationPool(FileSystem& files, Slurm& slurm, const ClusterSettings& settings,
                               Path folder, std::string build, AllocationUser& user,
                               Complaints& complaints, std::function<void(SlurmDesk::Task)> deliver)
    : files_(files),
      settings_(settings),
      folder_(std::move(folder)),
      build_(std::move(build)),
      user_(user),
      complaints_(complaints),
      desk_(slurm, std::move(deliver)) {}

void AllocationPool::adopt(std::unique_ptr<Allocation> allocation) {
  // Its agent would refuse to start: the program was built again meanwhile.
  if (!allocation->is_alive() && allocation->request().build != build_) {
    allocation->is_wanted = false;
    if (!allocation->job.id.empty()) cancel(allocation->job.id);
  }
  allocations_.push_back(std::move(allocation));
}

void AllocationPool::step() {
  submit();
  give_back_idle();
  ask_slurm();
  std::erase_if(allocations_, [](const auto& allocation) {
    return allocation->phase == Phase::kEnded && allocation->attempts.empty();
  });
}

Allocation* AllocationPool::find(const std::string& name) {
  for (const auto& allocation : allocations_) {
    if (allocation->name() == name) return allocation.get();
  }
  return nullptr;
}

// Whether it runs nothing, neither for us nor what an earlier run has left in it.
bool AllocationPool::is_idle(const Allocation& allocation) const {
  return allocation.attempts.empty() &&
         std::ranges::none_of(allocation.state().stages,
                              [&](const auto& stage) { return user_.may_take_over(stage.first); });
}

void AllocationPool::ask_for(const Shape& shape, int cpus) {
  const std::string id = id_of(shape);
  if (const auto failures = failures_.find(id);
      failures != failures_.end() && SteadyClock::now() < failures->second.retry)
    return;
  const auto is_coming = [&](const auto& allocation) {
    return allocation->request().shape == id && allocation->phase != Phase::kEnded &&
           !allocation->takes_work() && allocation->is_wanted && !allocation->said_bye;
  };
  const int coming = static_cast<int>(std::ranges::count_if(allocations_, is_coming));
  const int each = std::max(1, shape.resources.cpus);
  const int wanted = (cpus + each - 1) / each - coming;
  for (int i = 0; i < wanted && has_room_for(shape); ++i) add(shape, id);
}

// A node that failed is avoided for a while: it may be repaired, or the only one.
std::vector<std::string> AllocationPool::excluded() const {
  std::vector<std::string> nodes;
  for (const auto& [node, since] : excluded_) {
    if (seconds_since(since) < kExcludedFor) nodes.push_back(node);
  }
  return nodes;
}

bool AllocationPool::has_room_for(const Shape& shape) {
  int jobs = 0, cpus = 0;
  Allocation* idle = nullptr;
  for (const auto& allocation : allocations_) {
    if (allocation->phase == Phase::kEnded) continue;
    ++jobs;
    cpus += allocation->request().cpus;
    if (is_idle(*allocation) && allocation->is_wanted && !user_.needs(*allocation))
      idle = allocation.get();
  }
  const bool has_room =
      jobs < settings_.site.jobs &&
      (settings_.cpus == 0 || jobs == 0 || cpus + shape.resources.cpus <= settings_.cpus);
  if (!has_room && idle) dismiss(*idle);  // its place is needed
  return has_room;
}

void AllocationPool::add(const Shape& shape, const std::string& id) {
  const Resources& wanted = shape.resources;
  const AgentRequest request{.build = build_,
                             .shape = id,
                             .cpus = wanted.cpus,
                             .memory = wanted.memory,
                             .time = wanted.time,
                             .idle = settings_.site.idle * 2 + 30,
                             .visible_within = settings_.site.visible_within,
                             .env = settings_.site.env};
  const Path folder = folder_ / fmt::format("{:04}", ++made_);
  try {
    allocations_.push_back(std::make_unique<Allocation>(files_, folder, shape, request,
                                                        settings_.site.setup, settings_.program));
  } catch (const Error& error) {
    refuse(id, error.what());
  }
}

void AllocationPool::submit() {
  for (const auto& allocation : allocations_) {
    if (allocation->phase != Phase::kNew ||
        seconds_since(allocation->retry.value_or(SteadyClock::time_point())) < 0)
      continue;
    allocation->enter(Phase::kSubmitting);
    const std::string name = allocation->name();
    const JobRequest request = allocation->job_request(excluded());
    desk_.ask([request](Slurm& slurm) { return slurm.submit(request); },
              [this, name](const Submission& submission) { note_submission(name, submission); });
  }
}

void AllocationPool::note_submission(const std::string& name, const Submission& submission) {
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
      complaints_.add("sbatch: " + submission.said + "; checking whether the job was submitted");
      if (allocation->phase == Phase::kSubmitting) allocation->enter(Phase::kQueued);
      return;
    case Submission::Status::kBusy:
      allocation->enter(Phase::kNew);
      allocation->backoff = std::min(60.0, std::max(0.5, allocation->backoff * 2));
      allocation->retry = seconds_from_now(allocation->backoff);
      if (allocation->backoff > 8) complaints_.add("sbatch: " + submission.said + "; trying again");
      return;
    case Submission::Status::kRefused:
      if (!excluded_.empty()) {  // perhaps no node is left
        excluded_.clear();
        return allocation->enter(Phase::kNew);
      }
      allocation->enter(Phase::kEnded);
      note_failure(*allocation);
      refuse(allocation->request().shape, "sbatch refused the job: " + submission.said,
             /*hopes=*/true);
  }
}

// The next job of this shape may fail too: it is asked for later and later. Returns how many have
// failed in a row.
int AllocationPool::note_failure(const Allocation& allocation) {
  Failures& failures = failures_[allocation.request().shape];
  ++failures.count;
  failures.retry = seconds_from_now(std::min(60.0, 0.1 * std::exp2(failures.count)));
  return failures.count;
}

// A job that was wanted has ended before an agent had started in it.
void AllocationPool::note_early_end(const Allocation& allocation) {
  if (note_failure(allocation) < kMostFailures) return;
  std::string printed;
  try {
    printed = trim(files_.read_end(allocation.folder() / allocation_files::kOutput, 400));
  } catch (const Error&) {
  }
  refuse(allocation.request().shape,
         fmt::format("{} jobs in a row ended before headway started in them; the last one: "
                     "{}{}",
                     kMostFailures, loss_of(allocation).message,
                     printed.empty() ? "" : "; it printed: " + printable(printed)));
}

void AllocationPool::refuse(const std::string& shape, const std::string& why, bool hopes) {
  for (const auto& allocation : allocations_) {
    const bool may_come = allocation->is_wanted && allocation->phase != Phase::kEnded;
    if (allocation->request().shape == shape && (allocation->takes_work() || (hopes && may_come)))
      return complaints_.add(why);
  }
  user_.refuse(shape, why);
}

void AllocationPool::give_back_idle() {
  for (const auto& allocation : allocations_) {
    if (!is_idle(*allocation) || !allocation->is_wanted || allocation->phase == Phase::kEnded ||
        allocation->phase == Phase::kSubmitting)
      continue;
    if (user_.needs(*allocation)) continue;
    const bool is_running = allocation->is_alive();
    const double idle = seconds_since(std::max(allocation->idle_since, allocation->changed));
    if (idle > (is_running ? settings_.site.idle : kUnwantedPending)) dismiss(*allocation);
  }
}

void AllocationPool::dismiss(Allocation& allocation) {
  allocation.is_wanted = false;
  if (send(allocation, {{"stop", true}})) return;
  if (allocation.job.id.empty()) return allocation.enter(Phase::kEnded);
  cancel(allocation.job.id);
}

void AllocationPool::cancel(const std::string& id) {
  desk_.ask([id](Slurm& slurm) { return slurm.cancel({id}); }, [](bool) {});
}

void AllocationPool::ask_slurm() {
  const bool has_jobs = std::ranges::any_of(allocations_, [](const auto& allocation) {
    return allocation->phase == Phase::kQueued || allocation->phase == Phase::kRunning;
  });
  if (!has_jobs || is_asking_ || seconds_since(asked_) < settings_.site.poll) return;
  is_asking_ = true;
  asked_ = SteadyClock::now();
  const bool wants_places = seconds_since(asked_places_) > kPlacesEvery &&
                            std::ranges::any_of(allocations_, [](const auto& allocation) {
                              return allocation->phase == Phase::kQueued;
                            });
  if (wants_places) asked_places_ = SteadyClock::now();
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
void AllocationPool::note_silence(const std::string& complaint) {
  if (!silent_since_) silent_since_ = SteadyClock::now();
  if (seconds_since(*silent_since_) > kWarnAfter)
    complaints_.add("Slurm does not answer (" + complaint +
                    "); still asking. Running stages are not affected");
}

void AllocationPool::note_jobs(const std::map<std::string, JobInfo>& jobs,
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

void AllocationPool::note_job(Allocation& allocation, const JobInfo& job) {
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
        user_.lose_agent(allocation);
      }
      allocation.enter(Phase::kQueued);
      if (needs_somebody(job.reason) && seconds_since(allocation.changed) > kWarnAfter &&
          warned_.insert(job.reason).second)
        complaints_.add(
            fmt::format("job {} may never start; Slurm gives the reason {}", job.id, job.reason));
      return;
    case JobInfo::Phase::kRunning:
      return allocation.enter(Phase::kRunning);
    case JobInfo::Phase::kEnded:
      if (is_news) ask_for_details(allocation);
  }
}

// It may have ended long ago, or the list may be wrong.
void AllocationPool::note_absence(Allocation& allocation) {
  if (!allocation.absent) allocation.absent = SteadyClock::now();
  if (!allocation.life().empty()) allocation.refresh_state();
  const bool is_silent = allocation.life().empty() || allocation.silence() > settings_.lost_after;
  if (seconds_since(*allocation.absent) < settings_.lost_after || !is_silent) return;
  if (allocation.job.id.empty()) {  // the answer to sbatch was lost, and so was the job
    allocation.enter(allocation.is_taken_over ? Phase::kEnded : Phase::kNew);
    allocation.absent.reset();
    return;
  }
  ask_for_details(allocation);
}

void AllocationPool::ask_for_details(Allocation& allocation) {
  const std::string name = allocation.name();
  JobInfo job = allocation.job;
  job.name = name;
  desk_.ask([job](Slurm& slurm) { return slurm.details(job); },
            [this, name](const std::optional<Slurm::Details>& details) {
              if (Allocation* found = find(name)) note_details(*found, details);
            });
}

void AllocationPool::note_details(Allocation& allocation,
                                  const std::optional<Slurm::Details>& details) {
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
                           allocation.job.state == "BOOT_FAIL" || allocation.job.state == "FAILED";
  if (is_bad_node && allocation.is_wanted && !allocation.node().empty() && !allocation.said_bye)
    excluded_[allocation.node()] = SteadyClock::now();
  // An agent that Slurm has given up may still run: its stages are tried elsewhere.
  if (!allocation.life().empty()) {
    try {
      allocation.send({{"stop", true}});
    } catch (const Error&) {
    }
  }
}

std::string AllocationPool::waiting_text(const std::string& shape) const {
  const Allocation* first = nullptr;
  for (const auto& allocation : allocations_) {
    if (allocation->request().shape != shape || allocation->phase == Phase::kEnded) continue;
    if (allocation->takes_work()) return "other stages run first";
    if (!first || (allocation->place > 0 && allocation->place < first->place))
      first = allocation.get();
  }
  if (!first) return fmt::format("no free job yet (at most {} at once)", settings_.site.jobs);
  // Told only if it takes long: nobody wants to read it before each reason of the queue.
  if (first->phase == Phase::kNew || first->phase == Phase::kSubmitting || first->job.id.empty())
    return seconds_since(first->changed) > kLongSubmission ? "its job is being submitted" : "";
  if (first->phase == Phase::kRunning) return first->describe() + " is starting";
  const bool has_reason = !first->job.reason.empty() && first->job.reason != "None";
  std::string text = "job " + first->job.id + ": " + (has_reason ? first->job.reason : "queued");
  if (first->place > 0) text += fmt::format(", {} in the queue", ordinal(first->place));
  return text;
}

bool AllocationPool::send(Allocation& allocation, const Json& order) {
  if (!allocation.is_alive()) return false;
  try {
    allocation.send(order);
    return true;
  } catch (const Error& error) {
    complaints_.add(fmt::format("cannot send work to {}: {}", allocation.describe(), error.what()));
    return false;
  }
}

void AllocationPool::close(bool keeps_running) {
  std::vector<std::string> ids;
  bool is_unknown = false;
  for (const auto& allocation : allocations_) {
    if (allocation->phase == Phase::kEnded || allocation->phase == Phase::kNew) continue;
    if (keeps_running && allocation->is_alive()) continue;
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
}

}  // namespace headway
