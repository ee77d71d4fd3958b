// A real Slurm with three nodes of two cpus (slurm/lab.sh), and what tests ask it. Tests share one,
// since starting it takes a second.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace headway::e2e {

class SlurmLab {
 public:
  struct Job {
    int id = 0;
    std::string name;
    std::string state;  // "RUNNING"
    std::string node;   // "": none yet
  };

  // The lab, as new: all daemons run, and there are no jobs. Skips the test where Slurm is not
  // installed.
  static SlurmLab& fresh();
  ~SlurmLab();
  SlurmLab(const SlurmLab&) = delete;
  SlurmLab& operator=(const SlurmLab&) = delete;

  // For programs that use it. `env`: beside what they need for that.
  Surroundings where(std::map<std::string, std::string> env = {}) const;
  // One of Slurm's commands. Returns what it printed; fails the test if it fails.
  std::string call(const Words& command) const;

  // A daemon: "slurmctld", or a node's: "n2".
  void kill(const std::string& daemon);
  void start(const std::string& daemon);
  // All that runs on a node, at once.
  void crash(const std::string& node);
  // Tells the controller that a node is down, which it would find after some timeouts.
  void give_up(const std::string& node);

  // Those of this test, also those that have ended, in the order in which they came.
  std::vector<Job> jobs() const;
  Job job(int id) const;
  // Waits until one of them runs.
  Job running_job() const;
  // What `scontrol show job` has for the name; "" if there is nothing.
  std::string detail(int id, const std::string& name) const;
  // Whether all jobs of this test end.
  bool all_jobs_end() const;

 private:
  SlurmLab();
  void order(const std::string& line);
  void await(const std::string& answer);
  void renew();

  Sandbox sandbox_{"lab"};
  std::unique_ptr<Background> process_;
  int orders_ = -1;          // to its stdin, which ends with us
  std::size_t answers_ = 0;  // read so far
  std::set<std::string> killed_;
  int before_ = 0;  // the last job of earlier tests
};

}  // namespace headway::e2e
