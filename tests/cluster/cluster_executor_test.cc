// The executor with stand-ins for Slurm and for agents, which misbehave in every way that we know.
#include "lib/cluster/cluster_executor.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <thread>

#include "lib/cluster/attempt_end.h"
#include "tests/cluster/stand_ins.h"
#include "tests/support/faulty_file_system.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Status = StageResult::Status;

bool has_warning(StandInCluster& cluster, const std::string& part) {
  return std::ranges::any_of(cluster.warnings(), [&](const std::string& warning) {
    return warning.find(part) != std::string::npos;
  });
}

TEST_CASE("a stage is sent to an agent, and its record ends it") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  CHECK(job.work == a->job.work);
  agent.tell({{"began", {attempt_id(job)}}});
  wait_until([&] { return a->node() == "n1"; }, "its node");
  CHECK_FALSE(a->has_ended());
  agent.finish(job, "result");
  const StageResult result = a->wait();
  CHECK(result.status == Status::kSucceeded);
  CHECK(result.machine == Json{{"node", "n1"}});
  CHECK(text_of(a->job) == "result");
  cluster.close();
  CHECK(cluster.slurm.calls("sbatch").size() == 1);
  CHECK(cluster.slurm.is_cancelled("101"));
  CHECK(cluster.disk.list(cluster.settings.folder).empty());
  CHECK(cluster.warnings().empty());
}

TEST_CASE("a stage that failed on its node has failed") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  agent.record(job, {Status::kFailed, "exit code 3"});
  agent.tell({{"ended", {attempt_id(job)}}});
  CHECK(a->wait().message == "exit code 3");
}

// ---------------------------------------------------------------------------------- sbatch ---

TEST_CASE("a job whose submission got no usable answer is found, and not submitted twice") {
  const std::string after =
      GENERATE("sleep 60", "exit 0", "echo Submitted; echo well", "kill -9 $$",
               "echo 'Socket timed out on send/recv operation'; exit 1");
  CAPTURE(after);
  StandInCluster cluster;
  if (after == "sleep 60") cluster.commands.emplace(2);
  cluster.slurm.on("sbatch", "accept\n" + after);
  cluster.open();
  const auto a = cluster.start("a");
  cluster.slurm.wait_for_calls("squeue", 3);
  StandInAgent agent(cluster.allocation(1));
  agent.finish(agent.take().front());
  CHECK(a->wait().status == Status::kSucceeded);
  cluster.close();
  CHECK(cluster.slurm.calls("sbatch").size() == 1);
  CHECK(cluster.slurm.is_cancelled("101"));
  CHECK(has_warning(cluster, "checking whether the job was submitted"));
}

TEST_CASE("a job that was lost on its way to Slurm is submitted again") {
  StandInCluster cluster;
  cluster.settings.lost_after = 0.5;
  cluster.slurm.on("sbatch", "if [ -e $d/second ]; then accept; echo $id; fi; touch $d/second");
  cluster.open();
  const auto a = cluster.start("a");
  cluster.slurm.wait_for_calls("sbatch", 2);
  StandInAgent agent(cluster.allocation(1), {.job = "102"});
  agent.finish(agent.take().front());
  CHECK(a->wait().status == Status::kSucceeded);
  cluster.close();
  CHECK(cluster.slurm.calls("sbatch").size() == 2);
}

TEST_CASE("a job whose submission is unknown when the run ends is cancelled by its name") {
  StandInCluster cluster;
  cluster.settings.site.poll = 3600;  // nobody asks before the end
  cluster.slurm.on("sbatch", "accept");
  cluster.open();
  const auto a = cluster.start("a");
  wait_until([&] { return has_warning(cluster, "no job id"); }, "a warning");
  cluster.interrupt->raise();
  CHECK(a->wait().message == "stopped before it began");
  cluster.close();
  CHECK(cluster.slurm.is_cancelled("101"));
}

TEST_CASE("a job that sbatch refuses fails its stages, with sbatch's words") {
  StandInCluster cluster;
  cluster.slurm.on("sbatch", "echo 'sbatch: error: Invalid account' >&2; exit 1");
  cluster.open();
  const auto a = cluster.start("a"), b = cluster.start("b");
  CHECK(a->wait().status == Status::kFailed);
  CHECK(a->wait().message == "sbatch refused the job: sbatch: error: Invalid account");
  CHECK(b->wait().status == Status::kFailed);
}

TEST_CASE("a machine without sbatch says so") {
  StandInCluster cluster;
  cluster.slurm.on("sbatch", "exec /usr/bin/env no-such-program");
  cluster.open();
  CHECK_THAT(cluster.start("a")->wait().message, ContainsSubstring("No such file"));
}

TEST_CASE("a scheduler that is busy is asked again later") {
  StandInCluster cluster;
  cluster.slurm.on("sbatch",
                   "if [ $(wc -l < $d/sbatch.calls) -gt 2 ]; then accept; echo $id; exit; fi\n"
                   "echo 'sbatch: error: Unable to contact slurm controller'; exit 1");
  cluster.open();
  const auto a = cluster.start("a");
  cluster.slurm.wait_for_calls("sbatch", 3);
  StandInAgent agent(cluster.allocation(1));
  agent.finish(agent.take().front());
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("the end of a run does not wait for submissions that have not begun") {
  StandInCluster cluster;
  cluster.commands.emplace(3);
  cluster.slurm.on("sbatch", "sleep 60");
  cluster.open();
  std::vector<std::shared_ptr<Flight>> flights;
  for (int i = 0; i < 4; ++i)  // each has its own shape
    flights.push_back(cluster.start(cluster.job("s" + std::to_string(i), {.cpus = 10 + i})));
  cluster.slurm.wait_for_calls("sbatch", 1);
  cluster.interrupt->raise();
  for (const auto& flight : flights) CHECK(flight->wait().status == Status::kCancelled);
  cluster.close();
  CHECK(cluster.slurm.calls("sbatch").size() <= 2);
}

// ---------------------------------------------------------------------------------- squeue ---

TEST_CASE("squeue that hangs, fails or prints nonsense says nothing about jobs") {
  const std::string answer =
      GENERATE("sleep 60", "exit 1", "echo 'squeue: error: down' >&2; exit 1", "echo nonsense",
               "cat $d/queue; echo 'headway-job|'", "kill -9 $$", "head -c 100000 /dev/urandom");
  CAPTURE(answer);
  StandInCluster cluster;
  cluster.settings.lost_after = 0.1;
  cluster.commands.emplace(1);
  cluster.slurm.on("squeue", answer);
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  cluster.slurm.wait_for_calls("squeue", 3);
  CHECK_FALSE(a->has_ended());
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
  CHECK(cluster.slurm.calls("scontrol").empty());
}

TEST_CASE("a job that squeue has forgotten lives while its agent shows signs of life") {
  StandInCluster cluster;
  cluster.settings.lost_after = 4;  // signs of life are looked for once a second
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  cluster.slurm.forget_jobs();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(6000);
  while (std::chrono::steady_clock::now() < end) {
    agent.beat({job});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(cluster.slurm.calls("scontrol").empty());
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("a job that is gone for Slurm, with a silent agent, is lost with its stages") {
  StandInCluster cluster;
  cluster.settings.lost_after = 0.3;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.take();
  cluster.slurm.forget_jobs();
  const StageResult result = a->wait();
  CHECK(result.status == Status::kLost);
  CHECK(result.message == "job 101 on n1 is gone");
  wait_until([&] { return agent.was_told("stop"); }, "the order to stop");  // it may still run
}

TEST_CASE("a job that squeue does not list but scontrol shows is alive") {
  StandInCluster cluster;
  cluster.settings.lost_after = 0.3;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  cluster.slurm.set_state("101", "RUNNING");  // for scontrol
  cluster.slurm.forget_jobs();
  cluster.slurm.wait_for_calls("scontrol", 3);
  CHECK_FALSE(a->has_ended());
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("a job whose id belongs to another job now is gone") {
  StandInCluster cluster;
  cluster.settings.lost_after = 0.3;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.take();
  cluster.slurm.on("scontrol", "echo 'JobId=101 JobName=other JobState=RUNNING NodeList=n9'");
  cluster.slurm.on("squeue", "echo 'headway-job|101|RUNNING|n9|other|None'");
  CHECK(a->wait().status == Status::kLost);
}

TEST_CASE("a job in a state that we do not know is alive") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  cluster.slurm.set_state("101", "DANCING");
  const std::size_t before = cluster.slurm.calls("squeue").size();
  cluster.slurm.wait_for_calls("squeue", before + 5);
  CHECK_FALSE(a->has_ended());
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("a stage whose job has ended without a record is lost, with the state of the job") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.take();
  cluster.slurm.set_state("101", "NODE_FAIL");
  const StageResult result = a->wait();
  CHECK(result.status == Status::kLost);
  CHECK(result.message == "job 101 on n1 ended: NODE_FAIL, exit 0:9");
  const auto b = cluster.start("b");
  cluster.slurm.wait_for_calls("sbatch", 2);
  CHECK_THAT(cluster.slurm.calls("sbatch")[1], ContainsSubstring("--exclude=n1"));
  StandInAgent second(cluster.allocation(2), {.job = "102"});
  second.finish(second.take().front());
  CHECK(b->wait().status == Status::kSucceeded);
}

TEST_CASE("a stage whose job has ended after its record was written has succeeded") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  agent.write_outputs(job);
  agent.record(job);  // and it died before it could tell
  cluster.slurm.set_state("101", "FAILED");
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("a stage that was alone in a job without enough memory has failed") {
  StandInCluster cluster;
  cluster.settings.site.allocation.memory = 1'000'000'000;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.beat(agent.take(), 990'000'000);
  wait_until([&] { return a->words() == "half"; }, "its progress");
  cluster.slurm.set_state("101", "OUT_OF_MEMORY");
  const StageResult result = a->wait();
  CHECK(result.status == Status::kFailed);
  CHECK_THAT(result.message, ContainsSubstring("out of memory") &&
                                 ContainsSubstring("last seen: 990.0 MB of 1.0 GB asked"));
}

TEST_CASE("stages that shared a job without enough memory are all tried again") {
  StandInCluster cluster;
  cluster.settings.site.jobs = 1;
  cluster.settings.site.allocation.memory = 1'000'000'000;
  cluster.open();
  const auto a = cluster.start("a"), b = cluster.start("b");
  StandInAgent agent(cluster.allocation(1));
  agent.beat(agent.take(2), 990'000'000);
  wait_until([&] { return a->words() == "half" && b->words() == "half"; }, "their progress");
  cluster.slurm.set_state("101", "OUT_OF_MEMORY");
  CHECK(a->wait().status == Status::kLost);
  CHECK(b->wait().status == Status::kLost);
}

TEST_CASE("a job that was requeued has lost its stages, and its next agent gets others") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.take();
  cluster.slurm.set_state("101", "PENDING");
  const StageResult result = a->wait();
  CHECK(result.status == Status::kLost);
  CHECK(result.message == "job 101 on n1 was restarted");
  cluster.slurm.set_state("101", "RUNNING");
  const auto b = cluster.start("b");
  StandInAgent second(cluster.allocation(1), {.node = "n2", .restarts = 1});
  second.finish(second.take().front());
  CHECK(b->wait().status == Status::kSucceeded);
  CHECK(cluster.slurm.calls("sbatch").size() == 1);
}

TEST_CASE("an answer of squeue from before an agent started does not mean that it is gone") {
  StandInCluster cluster;
  cluster.commands.emplace(20);
  cluster.slurm.on("squeue",
                   "[ -e $d/asked ] && { cat $d/queue; exit; }\n"
                   "sed s/RUNNING/PENDING/ $d/queue > $d/old; touch $d/asked\n"
                   "while [ ! -e $d/go ]; do sleep 0.01; done; cat $d/old");
  cluster.open();
  const auto a = cluster.start("a");
  wait_until([&] { return cluster.slurm.exists("asked"); }, "a question");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  cluster.slurm.touch("go");
  cluster.slurm.wait_for_calls("squeue", 3);
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
  const auto b = cluster.start("b");  // and it still takes work
  agent.finish(agent.take().front());
  CHECK(b->wait().status == Status::kSucceeded);
}

TEST_CASE("stages whose jobs all end before an agent starts fail, with what the last one printed") {
  StandInCluster cluster;
  cluster.settings.site.jobs = 1;
  cluster.slurm.on("sbatch",
                   "for word; do case $word in --output=*) log=${word#*=};; esac; done\n"
                   "accept; sed -i 's/RUNNING/FAILED/' $d/queue\n"
                   "echo 'module: not found' > $log; echo $id");
  cluster.open();
  const auto a = cluster.start("a");
  const StageResult result = a->wait();
  CHECK(result.status == Status::kFailed);
  CHECK_THAT(result.message,
             ContainsSubstring("3 jobs in a row ended before headway started in them") &&
                 ContainsSubstring("ended: FAILED") && ContainsSubstring("module: not found"));
  CHECK(cluster.slurm.calls("sbatch").size() == 3);
}

TEST_CASE("scancel that fails does not keep a run from ending") {
  StandInCluster cluster;
  cluster.commands.emplace(2);
  cluster.slurm.on("scancel", GENERATE("exit 1", "sleep 60"));
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.finish(agent.take().front());
  CHECK(a->wait().status == Status::kSucceeded);
  CHECK_NOTHROW(cluster.close());
  CHECK(cluster.disk.list(cluster.settings.folder).empty());
}

// ---------------------------------------------------------------------------------- agents ---

TEST_CASE("an agent of another build gets no stages, and they fail with what to do") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1), {.build = "0.0-other"});
  CHECK(a->wait().status == Status::kFailed);
  CHECK_THAT(a->wait().message, ContainsSubstring("n1 has another build of headway (0.0-other)"));
  CHECK(agent.count_of_runs() == 0);
}

TEST_CASE("what an agent says of stages that are not its own has no effect") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  agent.tell({{"began", {"nobody", 3}}, {"ended", {"nobody", "../../x"}}});
  agent.tell({{"ended", 3}, {"began", {{"a", "b"}}}});
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("an agent that said goodbye gets nothing more, and what it has not recorded is lost") {
  StandInCluster cluster;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.take();
  agent.tell({{"bye", "its time was up"}});
  const StageResult result = a->wait();
  CHECK(result.status == Status::kLost);
  CHECK(result.message == "job 101 on n1: no record of its end appeared within 0.30 s");
  cluster.start("b");
  cluster.slurm.wait_for_calls("sbatch", 2);
  CHECK(agent.count_of_runs() == 0);
  cluster.interrupt->raise();
}

TEST_CASE("one allocation whose folder cannot be read does not keep the others from working") {
  StandInCluster cluster;
  FaultyFileSystem files(cluster.disk);
  cluster.open(files);
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  files.break_path(cluster.allocation(1));
  const auto b = cluster.start(cluster.job("b", {.cpus = 10}));
  StandInAgent second(cluster.allocation(2), {.node = "n2", .job = "102"});
  second.finish(second.take().front());
  CHECK(b->wait().status == Status::kSucceeded);
  wait_until([&] { return has_warning(cluster, "cannot read messages from job 101 on n1"); },
             "a warning");
  files.heal();
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
  cluster.close();
}

TEST_CASE("a long stage does not cost hundreds of questions to the file system") {
  StandInCluster cluster;
  FaultyFileSystem files(cluster.disk);
  cluster.open(files);
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // without news
  const std::size_t before = files.operations();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const std::size_t asked = files.operations() - before;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  CHECK(static_cast<double>(asked) < 100 * passed.count());
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
  cluster.close();
}

TEST_CASE("a stage whose order could not be written is lost, and not sent to anybody else") {
  StandInCluster cluster;
  FaultyFileSystem files(cluster.disk);
  cluster.open(files);
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.finish(agent.take().front());
  CHECK(a->wait().status == Status::kSucceeded);
  files.make_read_only(agent.life / "orders");
  const auto b = cluster.start("b");
  const StageResult result = b->wait();
  CHECK(result.status == Status::kLost);
  CHECK_THAT(result.message, ContainsSubstring("cannot send it to job 101 on n1: "));
  files.heal();
  cluster.close();
}

TEST_CASE("as many stages run at once as the site's resources of their type allow") {
  StandInCluster cluster;
  cluster.settings.site.jobs = 1;
  cluster.settings.site.stages["shell"].resources.cpus = 2;  // the allocation has two
  cluster.open();
  const auto a = cluster.start("a"), b = cluster.start("b");
  StandInAgent agent(cluster.allocation(1));
  const StageJob first = agent.take().front();
  CHECK(first.resources.cpus == 2);
  const std::size_t before = cluster.slurm.calls("squeue").size();
  cluster.slurm.wait_for_calls("squeue", before + 2);
  CHECK(agent.count_of_runs() == 0);
  agent.finish(first);
  agent.finish(agent.take().front());
  CHECK(a->wait().status == Status::kSucceeded);
  CHECK(b->wait().status == Status::kSucceeded);
}

// ------------------------------------------------------------------- interrupt and take-over ---

TEST_CASE("an interrupt cancels what runs and ends what waits") {
  StandInCluster cluster;
  cluster.settings.site.jobs = 1;
  cluster.open();
  const auto a = cluster.start(cluster.job("a", {.cpus = 2}));
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  const auto b = cluster.start(cluster.job("b", {.cpus = 2}));
  cluster.interrupt->raise();
  CHECK(b->wait().message == "stopped before it began");
  CHECK_FALSE(a->has_ended());
  wait_until([&] { return agent.was_told("cancel"); }, "the order to cancel");
  agent.record(job, {Status::kCancelled, "saved its state"});
  agent.tell({{"ended", {attempt_id(job)}}});
  const StageResult result = a->wait();
  CHECK(result.status == Status::kCancelled);
  CHECK_FALSE(result.is_left_running);
  cluster.close();
  CHECK(cluster.disk.list(cluster.settings.folder).empty());
}

// A run with a stage `a` at an agent, which was detached from it.
struct Detached {
  StandInCluster cluster;
  std::shared_ptr<Flight> first;
  std::unique_ptr<StandInAgent> agent;
  StageJob job;

  explicit Detached(const StandInAgent::Self& self = {}) {
    cluster.settings.detach = true;
    cluster.open();
    first = cluster.start("a");
    agent = std::make_unique<StandInAgent>(cluster.allocation(1), StandInAgent::Self{});
    job = agent->take().front();
    agent->beat({job});
    cluster.interrupt->raise();
    CHECK(first->wait().is_left_running);
    cluster.close();
    CHECK_FALSE(cluster.slurm.is_cancelled("101"));
    cluster.settings.detach = false;
    cluster.interrupt = std::make_unique<Interrupt>();
    if (!self.build.empty()) StandInAgent(cluster.allocation(1), self);
  }

  // The stage `a` of the next run.
  std::shared_ptr<Flight> next() {
    const auto folders = cluster.executor->take_over({}, digest_of("a"));
    REQUIRE(folders);
    CHECK(folders->work == job.work);
    CHECK(folders->partial == first->job.partial);
    auto flight = std::make_shared<Flight>(first->job);
    cluster.executor->start(flight->job, 0, flight->events(), *cluster.interrupt);
    return flight;
  }
};

TEST_CASE("a run takes over what an earlier one left running") {
  Detached left;
  left.cluster.open("2");
  const auto a = left.next();
  CHECK_FALSE(left.cluster.executor->take_over({}, digest_of("a")));  // it has it
  CHECK_FALSE(left.cluster.executor->take_over({}, digest_of("b")));
  left.agent->finish(left.job);
  CHECK(a->wait().status == Status::kSucceeded);
  left.cluster.close();
  CHECK(left.agent->count_of_runs() == 0);  // it was not sent again
  CHECK(left.cluster.slurm.calls("sbatch").size() == 1);
  CHECK(left.cluster.slurm.is_cancelled("101"));
  CHECK(left.cluster.disk.list(left.cluster.settings.folder).empty());
}

TEST_CASE("a run that asks for no stage leaves alone what an earlier one left running") {
  Detached left;
  left.cluster.settings.session = "2";
  const ClusterExecutor refused(left.cluster.disk, *left.cluster.commands, left.cluster.settings,
                                [](const std::string&) {});
  CHECK_FALSE(left.cluster.slurm.is_cancelled("101"));
  CHECK(left.cluster.disk.exists(left.cluster.session_folder()));
}

TEST_CASE(
    "a stage that was noted as sent but never arrived is sent by the run that takes it over") {
  Detached left;
  left.agent->beat();  // it does not know the stage
  left.cluster.open("2");
  const auto a = left.next();
  left.agent->finish(left.agent->take().front());
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("stages that wait for a node are dropped when the run stops, and others go on") {
  StandInCluster cluster;
  cluster.settings.site.jobs = 1;
  cluster.open();
  const auto a = cluster.start(cluster.job("a", {.cpus = 2}));
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  const auto b = cluster.start(cluster.job("b", {.cpus = 2}));
  cluster.executor->drop_waiting();
  CHECK(b->wait().status == Status::kCancelled);
  CHECK_FALSE(a->has_ended());
  agent.finish(job);
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("a run takes over what has ended unseen, though its job is gone") {
  Detached left;
  left.agent->finish(left.job);
  left.cluster.slurm.forget_jobs();
  left.cluster.open("2");
  CHECK(left.next()->wait().status == Status::kSucceeded);
}

TEST_CASE("what was left running in a job that is gone is lost") {
  Detached left;
  left.cluster.settings.lost_after = 0.3;
  left.cluster.slurm.forget_jobs();
  left.cluster.open("2");
  CHECK(left.next()->wait().status == Status::kLost);
}

TEST_CASE("a stage that an earlier run has cancelled is lost for the next one, not cancelled") {
  Detached left;
  left.agent->record(left.job, {Status::kCancelled, "saved its state"});
  left.cluster.open("2");
  const StageResult result = left.next()->wait();
  CHECK(result.status == Status::kLost);
  CHECK_THAT(result.message, ContainsSubstring("an earlier run stopped it"));
}

TEST_CASE("an agent keeps what the next run has not asked for yet") {
  Detached left;
  left.cluster.settings.site.idle = 0.1;
  left.cluster.open("2");
  const std::size_t before = left.cluster.slurm.calls("squeue").size();
  left.cluster.slurm.wait_for_calls("squeue", before + 8);  // it is idle for 0.3 s and more
  CHECK_FALSE(left.agent->was_told("stop"));
  const auto a = left.next();
  left.agent->finish(left.job);
  CHECK(a->wait().status == Status::kSucceeded);
  left.agent->beat();
  wait_until([&] { return left.agent->was_told("stop"); }, "the order to stop, as it is idle");
}

TEST_CASE("an agent of another build that was taken over finishes its stages and gets no others") {
  Detached left({.build = "0.0-other", .restarts = 0});
  left.cluster.open("2");
  const auto a = left.next();
  const auto b = left.cluster.start("b");
  StandInAgent ours(left.cluster.allocation(1, "2"), {.job = "102"});
  ours.finish(ours.take().front());
  CHECK(b->wait().status == Status::kSucceeded);
  CHECK(left.agent->count_of_runs() == 0);
  left.agent->finish(left.job);
  CHECK(a->wait().status == Status::kSucceeded);
}

TEST_CASE("a run that is detached cancels jobs that still wait") {
  StandInCluster cluster;
  cluster.settings.detach = true;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  agent.take();
  const auto b = cluster.start(cluster.job("b", {.cpus = 10}));
  wait_until([&] { return b->waits_for().find("job 102") != std::string::npos; }, "its job");
  cluster.interrupt->raise();
  CHECK(a->wait().is_left_running);
  CHECK_FALSE(b->wait().is_left_running);
  cluster.close();
  CHECK_FALSE(cluster.slurm.is_cancelled("101"));
  CHECK(cluster.slurm.is_cancelled("102"));
  CHECK(cluster.disk.exists(cluster.session_folder()));
}

TEST_CASE("a job that an earlier run asked for without an answer is not submitted by the next") {
  StandInCluster cluster;
  cluster.settings.detach = true;
  cluster.open();
  const auto a = cluster.start("a");
  StandInAgent agent(cluster.allocation(1));
  const StageJob job = agent.take().front();
  agent.beat({job});
  cluster.interrupt->raise();
  a->wait();
  cluster.close();
  cluster.interrupt = std::make_unique<Interrupt>();
  // As if the run had been killed while it submitted another one.
  std::filesystem::create_directories(cluster.allocation(2));
  cluster.disk.copy(cluster.allocation(1) / "request.json", cluster.allocation(2) / "request.json");
  cluster.settings.site.jobs = 2;
  cluster.open("2");
  const std::size_t before = cluster.slurm.calls("squeue").size();
  cluster.slurm.wait_for_calls("squeue", before + 10);
  CHECK(cluster.slurm.calls("sbatch").size() == 1);
}

}  // namespace
}  // namespace headway::testing
