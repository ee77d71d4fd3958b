// One allocation as the engine sees it: a job of the cluster, the agent in it, and the messages
// between us. Knows nothing of stages but the ids of attempts.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/cluster/allocation_files.h"
#include "lib/cluster/clock.h"
#include "lib/cluster/mailbox.h"
#include "lib/cluster/shape.h"
#include "lib/cluster/slurm.h"

namespace headway {

// What an agent has told.
struct AgentNews {
  std::vector<std::string> began;  // attempts
  std::vector<std::string> ended;  // attempts whose records are written
  bool is_bye = false;             // it takes nothing more
};

class Allocation {
 public:
  using Clock = SteadyClock;
  enum class Phase { kNew, kSubmitting, kQueued, kRunning, kEnded };

  // A new one: writes its folder. Throws Error.
  Allocation(FileSystem& files, const Path& folder, const Shape& shape, AgentRequest request,
             const std::string& setup, const Path& program);
  // One that an earlier run has made; nothing if the folder is not that of an allocation.
  static std::unique_ptr<Allocation> open(FileSystem& files, const Path& folder);

  // The job's name: unique, since the folder's is.
  std::string name() const;
  JobRequest job_request(const std::vector<std::string>& excluded) const;
  void note_id(const std::string& id);  // the job's, also on the disk

  // Looks for an agent that has started. True if there is a new one: after a requeue, what the one
  // before was doing is lost.
  bool find_life();
  bool is_alive() const { return life_.has_value() && phase != Phase::kEnded; }
  // Whether its agent may be sent stages.
  bool takes_work() const {
    return is_alive() && phase == Phase::kRunning && is_wanted && !said_bye;
  }
  std::string life() const { return life_ ? life_name_ : ""; }  // "": none
  const AgentHello& hello() const { return life_->hello; }      // there must be an agent
  // Its job was requeued: the agent is gone, and so are those before it.
  void forget_life() { life_.reset(); }
  Clock::time_point found_life() const { return life_->found; }  // there must be an agent

  // Throws Error if it cannot be written. There must be an agent.
  void send(const Json& order) { life_->orders.send(order); }
  AgentNews receive();
  // Rereads what the agent is doing. False if nothing is new.
  bool refresh_state();
  const AgentState& state() const { return state_; }
  // Since its agent last showed a sign of life.
  double silence() const;
  // Seconds that its job has left; a large number if it has no limit.
  double time_left() const;

  const Path& folder() const { return folder_; }
  const AgentRequest& request() const { return request_; }
  std::string node() const;      // "": not known
  std::string describe() const;  // "job 17 on n2"

  // Kept by the executor.
  Phase phase = Phase::kNew;
  bool is_taken_over = false;  // made by an earlier run
  JobInfo job = {};
  int place = 0;          // in the queue, from 1; 0: not known
  bool is_wanted = true;  // false: it was told to end
  bool said_bye = false;
  std::set<std::string> attempts = {};  // sent to it and not ended
  std::size_t attempts_at_end = 0;      // how many there were when it ended
  double longest_mean = 0;              // seconds that stages like its slowest attempt take
  int cpus_used = 0;
  std::uint64_t memory_used = 0;
  Clock::time_point idle_since = Clock::now();
  Clock::time_point looked = {};                 // for an agent, and what it is doing
  Clock::time_point changed = Clock::now();      // when the phase changed
  std::optional<Clock::time_point> absent = {};  // since Slurm does not list it
  std::optional<Clock::time_point> retry = {};   // when to submit it (again)
  double backoff = 0;                            // seconds

  void enter(Phase next);

 private:
  struct Life {
    AgentHello hello;
    MailWriter orders;
    MailReader notices;
    Clock::time_point found;
  };

  Allocation(FileSystem& files, const Path& folder) : files_(files), folder_(folder) {}

  FileSystem& files_;
  const Path folder_;
  Shape shape_;
  AgentRequest request_;
  std::string life_name_;       // of the last agent, also if it is gone
  std::int64_t restarts_ = -1;  // of the job, when that agent started
  std::optional<Life> life_;
  AgentState state_;
  std::string state_text_;
  Clock::time_point heard_ = Clock::now();
};

}  // namespace headway
