// `--on slurm` with the real program on both sides, and stand-ins for Slurm's commands and for what
// starts its jobs.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// Starts each job that sbatch has noted, in a session of its own, and notes how it ended. None
// begins while there is a file `hold`.
constexpr const char* kStarter = R"(d=$1
while sleep 0.02; do
  for job in $d/*.new; do
    [ -e "$job" ] && [ ! -e $d/hold ] || continue
    id=$(basename $job .new)
    . $job
    mv $job $d/$id.job
    (
      export SLURM_JOB_ID=$id SLURMD_NODENAME=n$id
      setsid --wait sh -c 'echo $$ > $0; exec sh "$1"' $d/$id.pid "$script" >> "$output" 2>&1
      code=$?
      state=COMPLETED
      [ $code = 0 ] || state=FAILED
      [ ! -e $d/$id.cancelled ] || state=CANCELLED
      echo $state > $d/$id.end
    ) &
  done
done
)";
constexpr const char* kSbatch = R"(for word; do
  case $word in --job-name=*) name=${word#*=};; --output=*) output=${word#*=};; esac
  script=$word
done
id=$(($(cat $d/last) + 1))
echo $id > $d/last
printf 'name=%s\noutput=%s\nscript=%s\n' "$name" "$output" "$script" > $d/new
mv $d/new $d/$id.new
echo $id
)";
constexpr const char* kSqueue = R"(case "$*" in *--states=PENDING*) exit;; esac
for job in $d/*.new $d/*.job; do
  [ -e "$job" ] || continue
  . $job
  file=${job##*/}
  id=${file%.*}
  state=PENDING node=
  [ ! -e $d/$id.pid ] || { state=RUNNING; node=n$id; }
  [ ! -e $d/$id.end ] || state=$(cat $d/$id.end)
  echo "headway-job|$id|$state|$node|$name|None"
done
)";
constexpr const char* kScontrol = R"(id=$4
[ -e $d/$id.end ] || { echo 'Invalid job id specified'; exit 1; }
. $d/$id.job
echo "JobId=$id JobName=$name JobState=$(cat $d/$id.end) ExitCode=1:0 NodeList=n$id"
)";
constexpr const char* kScancel = R"(for id; do
  touch $d/$id.cancelled
  rm -f $d/$id.new
  [ ! -e $d/$id.pid ] || kill -TERM -- -$(cat $d/$id.pid)
done 2>/dev/null
)";

class ClusterSandbox : public Sandbox {
 public:
  explicit ClusterSandbox(const std::string& settings = "") {
    std::filesystem::create_directories(at("slurm"));
    write("slurm/last", "100\n");
    for (const auto& [name, script] : {std::pair("sbatch", kSbatch),
                                       {"squeue", kSqueue},
                                       {"scontrol", kScontrol},
                                       {"scancel", kScancel},
                                       {"sinfo", "echo main\n"},
                                       {"sacct", "exit 1\n"}}) {
      write(Path("bin") / name, "#!/bin/sh\nd=" + at("slurm").string() + "\n" + script);
      std::filesystem::permissions(at("bin") / name, std::filesystem::perms::owner_all);
    }
    write("headway-site.yaml",
          "on: slurm\nslurm: {poll: 50ms, jobs: 2, visible_within: 500ms" + settings + "}\n");
    starter_ = start_program({"sh", "-c", kStarter, "sh", at("slurm").string()});
  }
  ~ClusterSandbox() {
    for (int id = 101; exists(file(id, "pid")); ++id) kill_job(id);
  }

  Surroundings where() const {
    return {.env = {{"PATH", at("bin").string() + ":/usr/bin:/bin"}}, .own_group = true};
  }
  Outcome run() const { return headway({"run", "p.yaml"}, where()); }
  int jobs() const { return std::stoi(read("slurm/last")) - 100; }
  void kill_job(int id) const {
    if (!exists(file(id, "end"))) ::kill(-std::stoi(read(file(id, "pid"))), SIGKILL);
  }
  // Whether all jobs have ended.
  bool is_quiet() const {
    for (int id = 101; id <= 100 + jobs(); ++id) {
      if (exists(file(id, "job")) && !exists(file(id, "end"))) return false;
    }
    return true;
  }
  static Path file(int id, const std::string& kind) {
    return Path("slurm") / (std::to_string(id) + "." + kind);
  }

 private:
  std::unique_ptr<Background> starter_;
};

TEST_CASE("a pipeline runs in jobs of a cluster, and its results are kept") {
  const ClusterSandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  part: {uses: shell, matrix: {i: [1, 2, 3, 4, 5]}, outs: {t: t.txt}, with: {run: "echo part ${matrix.i} >> ran.txt; echo ${matrix.i} > {out.t}"}}
  all: {uses: shell, in: {t: "part@*"}, outs: {t: t.txt}, with: {run: "echo all >> ran.txt; cat {in.t} > {out.t}"}}
)");
  const Outcome outcome = sandbox.run();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran() == Words{"all", "part 1", "part 2", "part 3", "part 4", "part 5"});
  CHECK(sandbox.read("outputs/p/all/t.txt") == "1\n2\n3\n4\n5\n");
  CHECK(sandbox.jobs() <= 2);
  CHECK(eventually([&] { return sandbox.is_quiet(); }));
  CHECK(sandbox.list("outputs/.headway/cluster").empty());
  CHECK(sandbox.run().exit_code == 0);
  CHECK(sandbox.ran().empty());
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

TEST_CASE("where Slurm cannot be used, a run says so and begins nothing") {
  const ClusterSandbox sandbox;
  sandbox.write("bin/sinfo", "#!/bin/sh\necho 'sinfo: fatal: no configuration'; exit 1\n");
  sandbox.write("p.yaml",
                "stages:\n  a: {uses: shell, outs: {t: t}, with: {run: \"cp x {out.t}\"}}\n");
  const Outcome outcome = sandbox.run();
  CHECK(outcome.exit_code == 2);
  CHECK(
      outcome.err ==
      "headway: Slurm cannot be used here (sinfo: sinfo: fatal: no configuration); --on local runs "
      "stages on this machine\n");
  CHECK(sandbox.jobs() == 0);
}

TEST_CASE("a stage whose job dies is tried again in another one") {
  const ClusterSandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo a >> ran.txt; if mkdir first 2>/dev/null; then sleep 300; fi; echo made > {out.t}"}}
)");
  const auto run = sandbox.start({"run", "p.yaml"}, sandbox.where());
  REQUIRE(eventually([&] { return sandbox.exists("first"); }));
  sandbox.kill_job(101);
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.all(), ContainsSubstring("stage 'a' was lost (job 101 on n101 ended: FAILED"));
  CHECK(sandbox.read("outputs/p/a/t.txt") == "made\n");
  CHECK(sandbox.ran() == Words{"a", "a"});
}

TEST_CASE("an output that is a pipe fails its stage on a cluster, and not the agent") {
  const ClusterSandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  bad: {uses: shell, outs: {t: t.txt}, with: {run: "mkfifo {out.t}; sleep 1.1"}}
  good: {uses: shell, outs: {t: t.txt}, with: {run: "echo good > {out.t}"}}
)");
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--keep-going"}, sandbox.where());
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.all(), ContainsSubstring("output 't' is neither a file nor a folder"));
  CHECK(sandbox.read("outputs/p/good/t.txt") == "good\n");
}

TEST_CASE("a setup that fails on the nodes fails the run, with what it printed") {
  const ClusterSandbox sandbox(", setup: \"echo no such module; exit 3\"");
  sandbox.write("p.yaml",
                "stages: {a: {uses: shell, outs: {t: t.txt}, with: {run: 'echo > {out.t}'}}}\n");
  const Outcome outcome = sandbox.run();
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.all(), ContainsSubstring("3 jobs in a row ended before headway started") &&
                                ContainsSubstring("no such module"));
}

// A stage that waits for a file `go`.
constexpr const char* kWaiting = R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo a >> ran.txt; while [ ! -e go ]; do sleep 0.02; done; echo made > {out.t}"}}
)";

TEST_CASE("ctrl-C ends what runs on the cluster and gives its jobs back") {
  const ClusterSandbox sandbox;
  sandbox.write("p.yaml", kWaiting);
  const auto run = sandbox.start({"run", "p.yaml"}, sandbox.where());
  REQUIRE(eventually([&] { return sandbox.exists("ran.txt"); }));
  run->signal(SIGINT);
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 130);
  CHECK(eventually([&] { return sandbox.is_quiet(); }));
  CHECK(sandbox.list("outputs/.headway/cluster").empty());
}

TEST_CASE("what a run left on the cluster goes on, is shown, and is taken over") {
  const ClusterSandbox sandbox;
  sandbox.write("p.yaml", kWaiting);
  const bool is_detached = GENERATE(true, false);
  const auto run = is_detached ? sandbox.start({"run", "p.yaml", "--detach"}, sandbox.where())
                               : sandbox.start({"run", "p.yaml"}, sandbox.where());
  REQUIRE(eventually([&] { return sandbox.exists("ran.txt"); }));
  if (is_detached)
    run->signal(SIGINT);
  else
    run->signal_group(SIGKILL);  // both of its processes, as when its machine fails
  run->wait();
  REQUIRE(eventually([&] {
    return sandbox.headway({"status", "p.yaml"}).out.find("n101 (job 101)") != std::string::npos;
  }));
  const auto next = sandbox.start({"run", "p.yaml"}, sandbox.where());
  REQUIRE(eventually([&] { return next->out_so_far().find("takes over") != std::string::npos; }));
  sandbox.write("go", "");
  const Outcome outcome = next->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran() == Words{"a"});
  CHECK(sandbox.read("outputs/p/a/t.txt") == "made\n");
  CHECK(eventually([&] { return sandbox.is_quiet(); }));
  CHECK(sandbox.jobs() == 1);
  CHECK(sandbox.list("outputs/.headway/cluster").empty());
}

// Prints, waits for a file `go`, and prints again.
constexpr const char* kPrinting = R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo begin; echo a >> ran.txt; while [ ! -e go ]; do sleep 0.02; done; echo end; echo made > {out.t}"}}
)";

TEST_CASE("the log of a stage that a run left on the cluster is followed to its end") {
  const ClusterSandbox sandbox;
  sandbox.write("p.yaml", kPrinting);
  const auto run = sandbox.start({"run", "p.yaml", "--detach"}, sandbox.where());
  REQUIRE(eventually([&] { return sandbox.exists("ran.txt"); }));
  run->signal(SIGINT);
  run->wait();
  const auto logs = sandbox.start({"logs", "-f", "a"});
  REQUIRE(eventually([&] { return logs->out_so_far() == "begin\n"; }));
  CHECK(logs->err_so_far() == "stage 'a' is on n101 (job 101); its run has ended\n");
  sandbox.write("go", "");
  const Outcome outcome = logs->wait();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "begin\nend\n");
  const Outcome after = sandbox.headway({"logs", "-f", "a"});
  CHECK(after.out == "begin\nend\n");
  CHECK(after.err == "stage 'a' has ended on the cluster\n");
  const Outcome next = sandbox.run();
  INFO(next.all());
  CHECK(next.exit_code == 0);
}

TEST_CASE("following a stage that waits for a node says what it waits for") {
  const ClusterSandbox sandbox;
  sandbox.write("p.yaml", kPrinting);
  sandbox.write("go", "");
  sandbox.write("slurm/hold", "");
  const auto run = sandbox.start({"run", "p.yaml"}, sandbox.where());
  REQUIRE(eventually([&] {
    return sandbox.headway({"status", "p.yaml"}).out.find("waiting") != std::string::npos;
  }));
  const auto logs = sandbox.start({"logs", "-f", "a"});
  CHECK(eventually([&] {
    return logs->err_so_far().find("stage 'a' is waiting: job 101: ") != std::string::npos;
  }));
  std::filesystem::remove(sandbox.at("slurm/hold"));
  CHECK(run->wait().exit_code == 0);
  const Outcome outcome = logs->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "begin\nend\n");
}

TEST_CASE("a stage that ended while no run was there is not run again") {
  const ClusterSandbox sandbox;
  sandbox.write("p.yaml", kWaiting);
  const auto run = sandbox.start({"run", "p.yaml"}, sandbox.where());
  REQUIRE(eventually([&] { return sandbox.exists("ran.txt"); }));
  run->signal_group(SIGKILL);
  run->wait();
  sandbox.write("go", "");
  REQUIRE(eventually([&] {
    return sandbox.headway({"status", "p.yaml"}).out.find("has ended on the cluster") !=
           std::string::npos;
  }));
  const Outcome outcome = sandbox.run();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran() == Words{"a"});
  CHECK(sandbox.read("outputs/p/a/t.txt") == "made\n");
}

}  // namespace
}  // namespace headway::e2e
