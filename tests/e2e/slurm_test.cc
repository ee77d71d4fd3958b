// Stages on a real Slurm, with the real program, and all that happens to clusters: nodes die, jobs
// are cancelled, pushed out or run out of memory or time, the controller is down, and the run
// itself is killed.
#include <signal.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "tests/e2e/processes.h"
#include "tests/e2e/slurm_lab.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// A sandbox whose site file sends stages to the lab. `site`: more lines of `slurm`.
class ClusterSandbox : public Sandbox {
 public:
  explicit ClusterSandbox(const std::string& pipeline, const std::string& site = "") {
    write("p.yaml", pipeline);
    write("headway-site.yaml", "on: slurm\nslurm:\n  poll: 300ms\n  visible_within: 10s\n" + site);
  }
};

// Writes a state and waits; if it finds a state, it continues from it.
constexpr const char* kLong = R"(
stages:
  long:
    uses: shell
    outs: {t: t.txt}
    with:
      run: |
        echo long >> ran.txt
        if test -e {partial}/state; then
          cat {partial}/state > {out.t}
          exit
        fi
        echo half > {partial}/state
        echo $$ > pid
        mv pid started
        exec sleep 300
)";

// Both run until the test says so.
constexpr const char* kPatient = R"(
stages:
  patient:
    uses: shell
    matrix: {i: [1, 2]}
    outs: {t: t.txt}
    with:
      run: |
        echo ${matrix.i} >> ran.txt
        touch started${matrix.i}
        until test -e go; do sleep 0.05; done
        echo ${matrix.i} > {out.t}
  after: {uses: shell, in: {t: "patient@*"}, outs: {t: t.txt}, with: {run: "echo after >> ran.txt; cat {in.t} > {out.t}"}}
)";

// Waits while the run goes on; fails the test if the run ends before.
void await(const Background& run, const std::function<bool()>& condition) {
  const bool has_come = eventually([&] { return condition() || !is_running(run.pid()); });
  INFO(run.out_so_far() << run.err_so_far());
  REQUIRE(has_come);
  REQUIRE(condition());
}

bool have_started(const Sandbox& sandbox) {
  return sandbox.exists("started1") && sandbox.exists("started2");
}

// What an undisturbed run of kPatient leaves, once.
void check_patient_result(const Sandbox& sandbox) {
  CHECK(sandbox.ran() == Words{"1", "2", "after"});
  CHECK(sandbox.read("outputs/p/after/t.txt") == "1\n2\n");
}

// Nothing of a run is left, neither here nor there.
void check_clean(const Sandbox& sandbox, const SlurmLab& lab) {
  CHECK(lab.all_jobs_end());
  CHECK(sandbox.list("outputs/.headway/cluster").empty());
  CHECK(sandbox.leftovers() == Words{});
  CHECK(all_end(sandbox));
  std::set<std::string> names;
  for (const SlurmLab::Job& job : lab.jobs()) {
    INFO(job.name);
    CHECK(names.insert(job.name).second);  // submitted once
  }
}

// Puts a program before one of Slurm's, which counts its calls in NAME.calls.
std::map<std::string, std::string> counting(const Sandbox& sandbox, const std::string& name) {
  sandbox.write("bin/" + name, "#!/bin/sh\necho \"$@\" >> '" +
                                   sandbox.at(name + ".calls").string() + "'\nexec /usr/bin/" +
                                   name + " \"$@\"\n");
  std::filesystem::permissions(sandbox.at("bin/" + name), std::filesystem::perms::owner_all);
  return {{"PATH", sandbox.at("bin").string() + ":" + std::getenv("PATH")}};
}

// The end of a run of kLong that lost its first attempt on a node.
void check_continued(const Sandbox& sandbox, Background& run, const SlurmLab& lab,
                     const std::string& why) {
  const Outcome outcome = run.wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.all(), ContainsSubstring("stage 'long' was lost (") &&
                                ContainsSubstring(why) &&
                                ContainsSubstring("trying again (1 of 3)") &&
                                ContainsSubstring("attempt 2 (the attempt before was lost"));
  CHECK(sandbox.ran() == Words{"long", "long"});
  CHECK(sandbox.read("outputs/p/long/t.txt") == "half\n");
  CHECK(sandbox.list("outputs/.headway/partial").empty());
  check_clean(sandbox, lab);
}

TEST_CASE("on Slurm, a pipeline gives the same bytes as here, in fewer jobs than it has stages") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(R"(
stages:
  part: {uses: shell, matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8]}, outs: {t: t.txt}, with: {run: "seq ${matrix.i} 100 > {out.t}"}}
  doubled: {uses: shell, matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8]}, in: {t: "part@${matrix.i}"}, outs: {d: d}, with: {run: "mkdir {out.d}; cat {in.t} {in.t} > {out.d}/t"}}
  all: {uses: shell, in: {d: "doubled@*"}, outs: {t: t.txt}, with: {run: "for d in {in.d}; do cat $d/t; done > {out.t}"}}
)");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"}, lab.where());
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  check_clean(sandbox, lab);
  CHECK(lab.jobs().size() < 17);
  CHECK(!lab.jobs().empty());
  const auto there = sandbox.exported();
  REQUIRE(sandbox.sh("chmod -R u+w outputs; rm -r outputs").exit_code == 0);
  const Outcome local = sandbox.headway({"run", "p.yaml", "--on", "local"});
  INFO(local.all());
  REQUIRE(local.exit_code == 0);
  CHECK(there == sandbox.exported());
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

TEST_CASE("a stage whose node stops answering runs elsewhere, and is ended where it was") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kLong);
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where());
  await(*run, [&] { return sandbox.exists("started"); });
  const pid_t stage = std::stoi(sandbox.read("started"));
  const SlurmLab::Job first = lab.running_job();
  lab.kill(first.node);
  CHECK(is_running(stage));  // only the daemon is gone
  lab.give_up(first.node);
  check_continued(sandbox, *run, lab, " on " + first.node + " ended: NODE_FAIL");
  CHECK(!is_running(stage));
  REQUIRE(lab.jobs().size() == 2);
  CHECK(lab.detail(lab.jobs()[1].id, "ExcNodeList") == first.node);
}

TEST_CASE("a stage whose node loses power runs elsewhere") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kLong);
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where());
  await(*run, [&] { return sandbox.exists("started"); });
  const pid_t stage = std::stoi(sandbox.read("started"));
  const SlurmLab::Job first = lab.running_job();
  lab.crash(first.node);
  CHECK(!is_running(stage));
  check_continued(sandbox, *run, lab, " on " + first.node + " ended: NODE_FAIL");
  REQUIRE(lab.jobs().size() == 2);
  CHECK(lab.jobs()[1].node != first.node);
  CHECK(lab.detail(lab.jobs()[1].id, "ExcNodeList") == first.node);
}

// A stage's processes up to the agent, and the agent's.
std::vector<pid_t> agents_of(pid_t stage) {
  std::vector<pid_t> found;
  for (pid_t pid = stage; pid > 1;) {
    const std::string folder = "/proc/" + std::to_string(pid);
    std::ifstream stat(folder + "/stat"), name_file(folder + "/comm");
    std::string name, skipped;
    std::getline(name_file, name);
    if (name.starts_with("slurmstepd")) return found;
    found.push_back(pid);
    char state = 0;
    std::getline(stat, skipped, ')');
    if (!(stat >> state >> pid)) break;
  }
  FAIL("stage " << stage << " is not in a job");
  return {};
}

TEST_CASE("a stage whose agent is killed runs elsewhere, and the node is avoided") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kLong);
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where());
  await(*run, [&] { return sandbox.exists("started"); });
  const SlurmLab::Job first = lab.running_job();
  const std::vector<pid_t> processes = agents_of(std::stoi(sandbox.read("started")));
  CHECK(processes.size() >= 2);
  for (const int signal : {SIGSTOP, SIGKILL}) {  // none may see another die
    for (const pid_t pid : processes) ::kill(pid, signal);
  }
  check_continued(sandbox, *run, lab, " on " + first.node + " ended: FAILED, exit 0:9");
  REQUIRE(lab.jobs().size() == 2);
  CHECK(lab.jobs()[1].node != first.node);
  CHECK(lab.detail(lab.jobs()[1].id, "ExcNodeList") == first.node);
}

TEST_CASE("a stage whose job somebody cancels is tried again, and continues from its state") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kLong);
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where());
  await(*run, [&] { return sandbox.exists("started"); });
  const SlurmLab::Job first = lab.running_job();
  lab.call({"scancel", std::to_string(first.id)});
  check_continued(sandbox, *run, lab, "job " + std::to_string(first.id) + " on " + first.node);
  CHECK(lab.job(first.id).state == "CANCELLED");
  CHECK(lab.jobs().size() == 2);
}

TEST_CASE("a stage is stopped before the time of its job is up, and continues in the next") {
  SlurmLab& lab = SlurmLab::fresh();
  // The agent ends half a minute before its time.
  const ClusterSandbox sandbox(kLong, "  allocation: {time: 60s}\n");
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where());
  check_continued(sandbox, *run, lab,
                  "its job's time limit of 1 min 00 s was nearly reached; for more, set "
                  "`resources: {time: …}`");
  CHECK(lab.jobs().size() == 2);
}

TEST_CASE("a stage that needs more memory than it asked for fails, and is told how much it had") {
  SlurmLab& lab = SlurmLab::fresh();
  // tail keeps all that it may have to print. Agents look at memory once a second.
  const ClusterSandbox sandbox(R"(
stages:
  greedy:
    uses: shell
    outs: {t: t.txt}
    resources: {memory: 200MB}
    with:
      run: |
        echo greedy >> ran.txt
        { head -c 150000000 /dev/zero; sleep 8; head -c 300000000 /dev/zero; sleep 300; } | tail -c 450000000 > {out.t}
)");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"}, lab.where());
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  REQUIRE(!lab.jobs().empty());
  const SlurmLab::Job job = lab.jobs().front();
  CHECK_THAT(
      outcome.all(),
      ContainsSubstring("out of memory (job " + std::to_string(job.id) + " on " + job.node +
                        " ended: FAILED, exit 0:9); last seen: ") &&
          ContainsSubstring("MB of 200.0 MB asked; ask for more with `resources: {memory: …}`"));
  CHECK(sandbox.ran() == Words{"greedy"});
  check_clean(sandbox, lab);
}

TEST_CASE("while the controller is down, stages go on, and nothing is lost or submitted twice") {
  SlurmLab& lab = SlurmLab::fresh();
  // `after` needs a job of its own.
  const ClusterSandbox sandbox(kPatient);
  sandbox.replace("p.yaml", "in: {t: \"patient@*\"}, ",
                  "in: {t: \"patient@*\"}, resources: {time: 2h}, ");
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where(counting(sandbox, "sbatch")));
  await(*run, [&] { return have_started(sandbox); });
  const auto submissions = [&] { return lines(sandbox.read("sbatch.calls")).size(); };
  const std::size_t before = submissions();
  lab.kill("slurmctld");
  sandbox.write("go", "");
  await(*run, [&] { return submissions() > before; });
  CHECK(is_running(run->pid()));
  lab.start("slurmctld");
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.all(), !ContainsSubstring("was lost"));
  check_patient_result(sandbox);
  check_clean(sandbox, lab);
  // A controller that is killed forgets its last seconds, so we ask what it was told.
  std::set<std::string> names;
  std::istringstream words(sandbox.read("sbatch.calls"));
  for (std::string word; words >> word;) {
    if (word.starts_with("--job-name=")) names.insert(word);
  }
  CHECK(names.size() == before + 1);
}

TEST_CASE("a stage whose job sbatch refuses fails at once, with the words of sbatch") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kLong, "  partition: nowhere\n");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"}, lab.where());
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.all(), ContainsSubstring("sbatch refused the job: ") &&
                                ContainsSubstring("invalid partition specified: nowhere"));
  CHECK(sandbox.ran() == Words{});
  CHECK(lab.jobs().empty());
  check_clean(sandbox, lab);
}

// Lets a job that needs the whole cluster push out that of a run of kLong, and end when the run
// knows. Returns that of the run.
SlurmLab::Job push_out(const Sandbox& sandbox, SlurmLab& lab, Background& run) {
  await(run, [&] { return sandbox.exists("started"); });
  const SlurmLab::Job first = lab.running_job();
  lab.call({"sbatch", "--partition=urgent", "--nodes=3", "--exclusive", "--output=/dev/null",
            "--wrap=touch '" + sandbox.at("urgent").string() + "'; until test -e '" +
                sandbox.at("enough").string() + "'; do sleep 0.05; done"});
  await(run, [&] { return sandbox.exists("urgent"); });
  await(run, [&] {
    return (run.out_so_far() + run.err_so_far()).find("was lost") != std::string::npos;
  });
  sandbox.write("enough", "");
  return first;
}

TEST_CASE("a stage that is preempted runs again when its job is requeued") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kLong, "  partition: requeued\n  flags: [--requeue]\n  jobs: 1\n");
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where());
  const SlurmLab::Job first = push_out(sandbox, lab, *run);
  // Slurm lets a requeued job wait for two minutes.
  REQUIRE(eventually([&] { return lab.job(first.id).state == "PENDING"; }));
  lab.call({"scontrol", "update", "JobId=" + std::to_string(first.id), "StartTime=now"});
  check_continued(sandbox, *run, lab, "job " + std::to_string(first.id));
  CHECK(lab.detail(first.id, "Restarts") == "1");
  CHECK(lab.jobs().size() == 2);  // ours and the urgent one
}

TEST_CASE("a stage whose job is preempted and not requeued runs again in another job") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kLong, "  partition: cancelled\n");
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where());
  const SlurmLab::Job first = push_out(sandbox, lab, *run);
  check_continued(sandbox, *run, lab, "job " + std::to_string(first.id));
  CHECK(lab.job(first.id).state == "PREEMPTED");
  CHECK(lab.jobs().size() == 3);
}

TEST_CASE("a run that is killed leaves its stages running, and the next one takes them over") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kPatient);
  const auto killed = sandbox.start({"run", "p.yaml"}, lab.where());
  await(*killed, [&] { return have_started(sandbox); });
  const std::size_t jobs = lab.jobs().size();
  const pid_t engine = engine_of(sandbox, killed->pid());
  REQUIRE(engine != 0);
  const bool kills_both = GENERATE(true, false);  // a run is two processes (lib/base/guardian.h)
  if (kills_both) ::kill(engine, SIGKILL);
  killed->signal(SIGKILL);
  killed->wait();
  REQUIRE(eventually([&] { return !is_running(engine); }));
  const auto next = sandbox.start({"run", "p.yaml"}, lab.where());
  await(*next, [&] {
    return next->out_so_far().find("takes over an earlier attempt") != std::string::npos;
  });
  sandbox.write("go", "");
  const Outcome outcome = next->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  check_patient_result(sandbox);
  check_clean(sandbox, lab);
  CHECK(lab.jobs().size() == jobs);
}

TEST_CASE("ctrl-C ends stages on the cluster and gives all jobs back, with few calls of scancel") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(R"(
stages:
  long:
    uses: shell
    matrix: {i: [1, 2, 3, 4, 5, 6]}
    outs: {t: t.txt}
    with:
      run: |
        echo ${matrix.i} >> ran.txt
        if test -e {partial}/state; then
          cat {partial}/state > {out.t}
          exit
        fi
        echo half > {partial}/state
        touch started${matrix.i}
        exec sleep 300
)");
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where(counting(sandbox, "scancel")));
  await(*run, [&] { return lines(sandbox.sh("ls started*").out).size() == 6; });
  CHECK(lab.jobs().size() == 3);
  run->signal(SIGINT);
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 130);
  check_clean(sandbox, lab);
  CHECK(lines(sandbox.read("scancel.calls")).size() <= 1);
  CHECK(sandbox.list("outputs/.headway/partial").size() > 0);
  CHECK(sandbox.ran() == Words{"1", "2", "3", "4", "5", "6"});

  const Outcome resumed = sandbox.headway({"run", "p.yaml"}, lab.where());
  INFO(resumed.all());
  CHECK(resumed.exit_code == 0);
  CHECK(sandbox.ran() == Words{"1", "2", "3", "4", "5", "6"});
  CHECK(sandbox.read("outputs/p/long@6/t.txt") == "half\n");
  CHECK(sandbox.list("outputs/.headway/partial").empty());
  check_clean(sandbox, lab);
}

TEST_CASE("ctrl-C of a run with --detach leaves stages running for the next") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kPatient);
  const auto run = sandbox.start({"run", "p.yaml", "--detach"}, lab.where());
  await(*run, [&] { return have_started(sandbox); });
  const std::size_t jobs = lab.jobs().size();
  run->signal(SIGINT);
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 130);
  CHECK_THAT(sandbox.headway({"status", "p.yaml"}).out,
             ContainsSubstring("detached") &&
                 ContainsSubstring("(job " + std::to_string(lab.running_job().id) + ")"));
  const Outcome refused = sandbox.headway({"gc"});
  INFO(refused.all());
  CHECK(refused.exit_code != 0);
  CHECK_THAT(refused.err, ContainsSubstring("takes them over"));

  sandbox.write("go", "");
  const Outcome next = sandbox.headway({"run", "p.yaml"}, lab.where());
  INFO(next.all());
  CHECK(next.exit_code == 0);
  check_patient_result(sandbox);
  check_clean(sandbox, lab);
  CHECK(lab.jobs().size() == jobs);
  CHECK(sandbox.headway({"gc"}).exit_code == 0);
}

TEST_CASE("stages of other resources get jobs of their own, and idle jobs are given back") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(R"(
stages:
  wide: {uses: shell, matrix: {i: [1, 2]}, resources: {cpus: 2}, outs: {t: t.txt}, with: {run: "echo ${matrix.i} > {out.t}"}}
  heavy:
    uses: shell
    resources: {memory: 500MiB}
    outs: {t: t.txt}
    with: {run: "touch started; until test -e go; do sleep 0.05; done; echo heavy > {out.t}"}
)",
                               "  idle: 1s\n");
  const auto run = sandbox.start({"run", "p.yaml"}, lab.where());
  await(*run, [&] { return sandbox.exists("started"); });
  const SlurmLab::Job heavy = [&] {
    for (const SlurmLab::Job& job : lab.jobs()) {
      if (lab.detail(job.id, "MinMemoryNode") == "500M") return job;
    }
    return SlurmLab::Job{};
  }();
  CHECK(heavy.id != 0);
  CHECK(lab.detail(heavy.id, "NumCPUs") == "1");
  CHECK(lab.jobs().size() >= 2);
  // All others end while the run goes on.
  CHECK(eventually([&] {
    return std::ranges::all_of(lab.jobs(), [&](const SlurmLab::Job& job) {
      return job.id == heavy.id ? job.state == "RUNNING"
                                : job.state == "COMPLETED" || job.state == "CANCELLED";
    });
  }));
  CHECK(is_running(run->pid()));
  sandbox.write("go", "");
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.read("outputs/p/wide@2/t.txt") == "2\n");
  CHECK(sandbox.read("outputs/p/heavy/t.txt") == "heavy\n");
  check_clean(sandbox, lab);
}

TEST_CASE("nodes with another build of Headway are refused") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(kLong, "  setup: export HEADWAY_WORKER=/bin/false\n");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"}, lab.where());
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  REQUIRE(lab.jobs().size() == 1);
  CHECK_THAT(outcome.all(),
             ContainsSubstring(lab.jobs()[0].node + " has another build of headway (") &&
                 ContainsSubstring("build it in a folder that all nodes share"));
  CHECK(sandbox.ran() == Words{});
  check_clean(sandbox, lab);
}

TEST_CASE("a run inside a job of Slurm submits jobs of its own") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(R"(
stages:
  a: {uses: shell, resources: {memory: 50MiB}, outs: {t: t.txt}, with: {run: "echo a > {out.t}"}}
)");
  // sbatch refuses memory for each node beside memory for each cpu, which the job's variables ask
  // for.
  sandbox.write("job.sh", "#!/bin/sh\ncd '" + sandbox.folder().string() + "'\n'" + program_path() +
                              "' run p.yaml 2>&1\n");
  const Outcome outcome = sandbox.program({"sbatch", "--wait", "--mem-per-cpu=60", "--ntasks=2",
                                           "--time=5", "--output=job.out", "job.sh"},
                                          lab.where());
  INFO(outcome.all() << sandbox.read("job.out"));
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.read("outputs/p/a/t.txt") == "a\n");
  REQUIRE(lab.jobs().size() == 2);
  CHECK(lab.detail(lab.jobs()[1].id, "NumCPUs") == "1");
  check_clean(sandbox, lab);
}

TEST_CASE("the set-up lines of the site are run before the stages of a job") {
  SlurmLab& lab = SlurmLab::fresh();
  const ClusterSandbox sandbox(R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "only-on-nodes > {out.t}"}}
)");
  sandbox.write("headway-site.yaml", sandbox.read("headway-site.yaml") +
                                         "  setup: |\n    echo set up\n    export PATH=\"$PATH:" +
                                         sandbox.at("tools").string() + "\"\n");
  sandbox.write("tools/only-on-nodes", "#!/bin/sh\necho found\n");
  std::filesystem::permissions(sandbox.at("tools/only-on-nodes"),
                               std::filesystem::perms::owner_all);
  const Outcome outcome = sandbox.headway({"run", "p.yaml"}, lab.where());
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.read("outputs/p/a/t.txt") == "found\n");
  check_clean(sandbox, lab);
}

}  // namespace
}  // namespace headway::e2e
