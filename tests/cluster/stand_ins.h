// A cluster without Slurm: stand-ins for its commands and for agents, which do what a test says,
// and an executor that works with them.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/cluster/cluster_executor.h"
#include "lib/cluster/mailbox.h"
#include "tests/support/project.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {

// Tries for a minute, and fails the test if it never becomes true.
void wait_until(const std::function<bool()>& condition, const std::string& what);

// Scripts at the front of PATH. Unless a test says otherwise, sbatch accepts every job, with ids
// from 101, and squeue lists them as running on n1; scontrol and sacct know no job.
class StandInSlurm {
 public:
  StandInSlurm();

  // What a command does from now on, in sh. $d is a folder of the stand-ins, and $d/queue what
  // squeue prints; `accept` does what sbatch usually does, without printing the id.
  void on(const std::string& command, const std::string& script);
  // The arguments of all calls so far, one line each.
  Names calls(const std::string& command) const;
  void wait_for_calls(const std::string& command, std::size_t count) const;
  // Whether scancel was called for the job.
  bool is_cancelled(const std::string& id) const;

  // Changes what squeue lists, and what scontrol shows.
  void set_state(const std::string& id, const std::string& state);
  void forget_jobs();
  bool exists(const std::string& name) const;  // in $d
  void touch(const std::string& name) const;

 private:
  TemporaryFolder folder_;
  ScopedVariable path_;
};

// An agent that does only what a test tells it to.
class StandInAgent {
 public:
  struct Self {
    std::string build = {};  // "": that of the test
    std::string node = "n1";
    std::string job = "101";
    int restarts = 0;
  };
  // Waits for the allocation, and says hello.
  explicit StandInAgent(const Path& allocation) : StandInAgent(allocation, Self()) {}
  StandInAgent(const Path& allocation, Self self);

  // Waits until so many stages were sent, since the last call, and returns their jobs.
  std::vector<StageJob> take(std::size_t count = 1);
  // Whether an order with this name has come: "cancel", "stop".
  bool was_told(const std::string& order);
  std::size_t count_of_runs();  // sent and not taken

  void beat(const std::vector<StageJob>& running = {}, std::uint64_t memory = 0);
  // Writes its outputs, with this text.
  void write_outputs(const StageJob& job, const std::string& text = "made") const;
  void record(const StageJob& job, StageResult result = {});
  void tell(const Json& news);
  // Does all of it, as an agent does.
  void finish(const StageJob& job, const std::string& text = "made");

  const Path life;

 private:
  void look();

  RealFileSystem files_;
  std::unique_ptr<MailReader> orders_;
  std::unique_ptr<MailWriter> notices_;
  std::vector<StageJob> sent_;
  Names told_;
  int beats_ = 0;
};

// A stage that was started.
class Flight : public std::enable_shared_from_this<Flight> {
 public:
  explicit Flight(StageJob started) : job(std::move(started)) {}
  JobEvents events();  // keep it alive
  bool has_ended();
  StageResult wait();  // for its end
  std::string node();  // where it began; "": it has not
  std::string waits_for();
  std::string words();  // of its progress

  const StageJob job;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<StageResult> result_;
  int ends_ = 0;
  JobPlace place_;
  std::string words_;
};

// An executor with its settings: patient with nothing.
class StandInCluster {
 public:
  StandInCluster();
  // What a failed test has left running is killed.
  ~StandInCluster();

  // The executor of the run's session, made with the settings as they are now.
  void open(const std::string& session = "1");
  void open(FileSystem& files, const std::string& session = "1");
  void close() { executor.reset(); }

  // Makes its folders. Each has an output `o`.
  StageJob job(const std::string& name, const Resources& resources = {}) const;
  std::shared_ptr<Flight> start(const StageJob& job);
  std::shared_ptr<Flight> start(const std::string& name) { return start(job(name)); }

  Path session_folder(const std::string& session = "1") const { return settings.folder / session; }
  Path allocation(int number, const std::string& session = "1") const;
  std::vector<std::string> warnings();

  TemporaryFolder folder;
  StandInSlurm slurm;
  RealFileSystem disk;
  std::optional<Slurm> commands{20};  // tests of commands that hang have less patience
  ClusterSettings settings;
  std::unique_ptr<Interrupt> interrupt = std::make_unique<Interrupt>();
  std::unique_ptr<ClusterExecutor> executor;

 private:
  std::mutex mutex_;
  std::vector<std::string> warnings_;
  std::vector<std::shared_ptr<Flight>> flights_;  // the executor refers to them
  mutable int jobs_ = 0;
};

std::string text_of(const StageJob& job);  // that of its output

}  // namespace headway::testing
