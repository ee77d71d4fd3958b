// Slurm as Headway sees it: a few commands, each of which may fail, hang or print nonsense. Every
// call waits for its command, for a limited time; none throws. Knows nothing of stages.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/cluster/site.h"
#include "lib/stage/resources.h"

namespace headway {

inline constexpr const char* kJobPrefix = "headway-";  // of the names of all our jobs

struct JobRequest {
  std::string name;  // unlike that of any other job, ever: an id can be reused, and a name is ours
  Path script;
  Path output;  // of the script
  Resources resources;
  SlurmOptions options;
  std::vector<std::string> excluded = {};  // nodes
};

// What became of a request.
struct Submission {
  enum class Status {
    kAccepted,
    kRefused,  // for good: the same request would be refused again
    kBusy,     // not now: the controller is down, or a limit is reached
    kUnknown,  // the command gave no answer: the job may be there or not
  };
  Status status = Status::kUnknown;
  std::string id = {};    // if accepted
  std::string said = {};  // otherwise: what the command printed, for a person
};

struct JobInfo {
  enum class Phase { kPending, kRunning, kEnded };
  std::string id = {};
  std::string name = {};
  std::string state = {};  // "RUNNING"
  std::string node = {};
  std::string reason = {};     // why it waits, or why it ended: "Resources"
  std::string exit_code = {};  // of details(): "0:9" is code and signal

  // A state that we do not know is one of a job that is alive.
  Phase phase() const;
};

class Slurm {
 public:
  // `seconds`: how long a command may take.
  explicit Slurm(double seconds = 20) : seconds_(seconds) {}

  // Why Slurm cannot be used on this machine at all, for a person; "": it can, or only its
  // controller does not answer now.
  std::string missing();

  Submission submit(const JobRequest& request);
  // All of the user's jobs, also those that ended lately, by name. Nothing if the answer cannot be
  // used; that says nothing about the jobs. One call, whatever the number of jobs.
  std::optional<std::map<std::string, JobInfo>> jobs();
  // One job, also one that ended long ago where the cluster keeps accounts. `is_gone`: Slurm says
  // that there is no such job. Nothing if it says nothing.
  struct Details {
    bool is_gone = false;
    JobInfo job = {};
  };
  std::optional<Details> details(const JobInfo& job);
  // The place of each waiting job in its partition's queue, from 1, by id.
  std::map<std::string, int> places();
  // A few calls, with many ids each. False if one of them failed.
  bool cancel(const std::vector<std::string>& ids);

  // What the last command that failed printed; "": none has failed since the last that worked.
  const std::string& complaint() const { return complaint_; }

 private:
  struct Answer {
    bool succeeded = false;
    bool has_ended = false;  // in time
    std::string text = {};   // what it printed on stdout and stderr
  };
  Answer call(std::vector<std::string> words);

  const double seconds_;
  std::string complaint_;
  bool has_accounts_ = true;  // until sacct says otherwise
};

// What the commands print. Pure, for tests.
Submission parse_submission(bool succeeded, bool has_ended, const std::string& text);
std::optional<std::map<std::string, JobInfo>> parse_queue(const std::string& text);
std::optional<JobInfo> parse_job_line(const std::string& text);  // of scontrol -o show job

// sbatch's flags for a request, without the program's name.
std::vector<std::string> submission_flags(const JobRequest& request);

// The environment of Slurm's commands, and so of jobs: ours, without the variables of a job that we
// may be part of ourselves.
std::vector<std::string> environment_outside_jobs();

}  // namespace headway
