#include "tests/e2e/slurm_lab.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <ranges>
#include <sstream>

namespace headway::e2e {
namespace {

constexpr int kNodes = 3;

// What the tests need beyond a plain cluster: nodes are found dead within seconds, jobs are killed
// for their memory, and jobs of one partition can push out those of others.
constexpr const char* kConfiguration = R"(
SlurmdTimeout=5
MessageTimeout=5
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherParams=OverMemoryKill
JobAcctGatherFrequency=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=requeued Nodes=ALL PriorityTier=1 PreemptMode=REQUEUE
PartitionName=cancelled Nodes=ALL PriorityTier=1 PreemptMode=CANCEL
PartitionName=urgent Nodes=ALL PriorityTier=10
)";

bool is_active(const SlurmLab::Job& job) {
  static const std::set<std::string> kActive = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING"};
  return kActive.contains(job.state);
}

}  // namespace

SlurmLab& SlurmLab::fresh() {
  if (std::system("PATH=$PATH:/usr/sbin; command -v slurmctld slurmd munged >/dev/null") != 0)
    SKIP("Slurm is not installed (./headway install-packages cluster)");
  static SlurmLab lab;
  lab.renew();
  return lab;
}

SlurmLab::SlurmLab() {
  sandbox_.write("more.conf", kConfiguration);
  // Its stdin, which ends when we do: nobody inherits our end. Read and write: opening does not
  // wait.
  const Path pipe = sandbox_.at("orders");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  process_ =
      sandbox_.start_program({"sh", "-c", "exec bash \"$0\" \"$1\" \"$2\" more.conf < orders",
                              std::string(HEADWAY_SOURCE_DIR) + "/tests/e2e/slurm/lab.sh",
                              sandbox_.folder().string(), std::to_string(kNodes)});
  orders_ = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(orders_ >= 0);
  await("ready");
}

SlurmLab::~SlurmLab() {
  ::close(orders_);
  process_->wait();
}

void SlurmLab::await(const std::string& answer) {
  const bool has_come = eventually([&] {
    return lines(process_->out_so_far()).size() > answers_ || !is_running(process_->pid());
  });
  const Words said = lines(process_->out_so_far());
  INFO(process_->err_so_far());
  REQUIRE(has_come);
  REQUIRE(said.size() > answers_);
  CHECK(said[answers_++] == answer);
}

void SlurmLab::order(const std::string& line) {
  const std::string text = line + "\n";
  REQUIRE(::write(orders_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  await("done");
}

void SlurmLab::kill(const std::string& daemon) {
  killed_.insert(daemon);
  order("kill " + daemon);
}

void SlurmLab::crash(const std::string& node) {
  killed_.insert(node);
  order("crash " + node);
}

void SlurmLab::give_up(const std::string& node) {
  call({"scontrol", "update", "NodeName=" + node, "State=DOWN", "Reason=test"});
}

void SlurmLab::start(const std::string& daemon) {
  killed_.erase(daemon);
  order("start " + daemon);
}

void SlurmLab::renew() {
  for (const std::string& daemon : std::set(killed_)) start(daemon);
  sandbox_.program({"scancel", "--user=" + std::to_string(::getuid())}, where());
  REQUIRE(all_jobs_end());
  REQUIRE(eventually([&] {
    return lines(call({"sinfo", "--noheader", "--Node", "--partition=main", "--states=idle"}))
               .size() == kNodes;
  }));
  if (const std::vector<Job> all = jobs(); !all.empty()) before_ = all.back().id;
}

Surroundings SlurmLab::where(std::map<std::string, std::string> env) const {
  env["SLURM_CONF"] = sandbox_.at("slurm.conf").string();
  return {.env = std::move(env)};
}

std::string SlurmLab::call(const Words& command) const {
  const Outcome outcome = sandbox_.program(command, where());
  INFO(command.front() << ": " << outcome.all());
  REQUIRE(outcome.exit_code == 0);
  return outcome.out;
}

std::vector<SlurmLab::Job> SlurmLab::jobs() const {
  std::vector<Job> jobs;
  for (const std::string& line :
       lines(call({"squeue", "--noheader", "--states=all", "--sort=i", "--format=%A %j %T %N"}))) {
    Job job;
    std::istringstream(line) >> job.id >> job.name >> job.state >> job.node;
    if (job.id > before_) jobs.push_back(std::move(job));
  }
  return jobs;
}

SlurmLab::Job SlurmLab::job(int id) const {
  for (Job& job : jobs()) {
    if (job.id == id) return job;
  }
  FAIL("there is no job " << id);
  return {};
}

SlurmLab::Job SlurmLab::running_job() const {
  Job found;
  REQUIRE(eventually([&] {
    for (const Job& job : jobs()) {
      if (job.state == "RUNNING") found = job;
    }
    return found.id != 0;
  }));
  return found;
}

std::string SlurmLab::detail(int id, const std::string& name) const {
  std::istringstream words(call({"scontrol", "--oneliner", "show", "job", std::to_string(id)}));
  for (std::string word; words >> word;) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return "";
}

bool SlurmLab::all_jobs_end() const {
  return eventually([&] { return std::ranges::none_of(jobs(), is_active); });
}

}  // namespace headway::e2e
