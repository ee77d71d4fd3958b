// The allocations of a run: asks Slurm for as many as the waiting stages can use, watches their
// jobs and gives back those that nobody needs. What runs in them is the user's business.
//
// All is called from one thread, that of the executor. Slurm's answers come back to it through
// `deliver`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/cluster/allocation.h"
#include "lib/cluster/cluster_executor.h"
#include "lib/cluster/complaints.h"
#include "lib/cluster/slurm_desk.h"

namespace headway {

// Who uses the allocations.
class AllocationUser {
 public:
  virtual ~AllocationUser() = default;
  // Whether a stage waits that could run in it.
  virtual bool needs(const Allocation& allocation) const = 0;
  // Whether this attempt of an earlier run is still needed.
  virtual bool may_take_over(const std::string& attempt) const = 0;
  // No allocation of this shape can be had: its stages fail.
  virtual void refuse(const std::string& shape, const std::string& why) = 0;
  // Its job was requeued: what its agent was doing is lost.
  virtual void lose_agent(Allocation& allocation) = 0;
};

class AllocationPool {
 public:
  // `folder`: where new allocations are made. `build`: see build_stamp().
  AllocationPool(FileSystem& files, Slurm& slurm, const ClusterSettings& settings, Path folder,
                 std::string build, AllocationUser& user, Complaints& complaints,
                 std::function<void(SlurmDesk::Task)> deliver);

  const std::vector<std::unique_ptr<Allocation>>& all() const { return allocations_; }
  // One that an earlier run has made.
  void adopt(std::unique_ptr<Allocation> allocation);

  // Asks for as many as can use so many cpus, beside those that are on their way, within what the
  // site allows.
  void ask_for(const Shape& shape, int cpus);
  // An agent has started in an allocation of this shape.
  void note_agent(const std::string& shape) { failures_.erase(shape); }
  // Submits, asks Slurm and gives back what is idle. Forgets allocations that have ended.
  void step();
  // Fails the waiting stages of this shape, if no allocation is left that runs them. `hopes`: or
  // that may still come.
  void refuse(const std::string& shape, const std::string& why, bool hopes = false);

  // False, with a warning, if it cannot be sent.
  bool send(Allocation& allocation, const Json& order);
  // What a waiting stage of this shape waits for, for a person; "": nothing worth telling yet.
  std::string waiting_text(const std::string& shape) const;

  // Cancels all jobs, but `keeps_running` those with agents. Nothing may be called later.
  void close(bool keeps_running);

 private:
  using Phase = Allocation::Phase;
  struct Failures {
    int count = 0;  // jobs in a row that were refused, or ended before an agent had started
    SteadyClock::time_point retry = {};  // no job is asked for before
  };

  Allocation* find(const std::string& name);
  bool is_idle(const Allocation& allocation) const;
  bool has_room_for(const Shape& shape);
  void add(const Shape& shape, const std::string& id);
  void submit();
  void note_submission(const std::string& name, const Submission& submission);
  std::vector<std::string> excluded() const;
  int note_failure(const Allocation& allocation);
  void note_early_end(const Allocation& allocation);
  void give_back_idle();
  void dismiss(Allocation& allocation);
  void cancel(const std::string& id);

  void ask_slurm();
  void note_silence(const std::string& complaint);
  void note_jobs(const std::map<std::string, JobInfo>& jobs,
                 const std::map<std::string, int>& places);
  void note_job(Allocation& allocation, const JobInfo& job);
  void note_absence(Allocation& allocation);
  void ask_for_details(Allocation& allocation);
  void note_details(Allocation& allocation, const std::optional<Slurm::Details>& details);

  FileSystem& files_;
  const ClusterSettings& settings_;
  const Path folder_;
  const std::string build_;
  AllocationUser& user_;
  Complaints& complaints_;

  std::vector<std::unique_ptr<Allocation>> allocations_;
  int made_ = 0;
  std::map<std::string, Failures> failures_;  // by the shape's id
  // Nodes that failed, and since when.
  std::map<std::string, SteadyClock::time_point> excluded_;
  std::set<std::string> warned_;  // reasons of waiting
  bool is_asking_ = false;
  SteadyClock::time_point asked_ = {};
  SteadyClock::time_point asked_places_ = {};
  std::optional<SteadyClock::time_point> silent_since_;
  SlurmDesk desk_;  // the last one: it is closed first
};

}  // namespace headway
