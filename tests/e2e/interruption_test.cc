// Kills and interrupts: whatever the moment, the next run ends where an undisturbed one would have.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// 14 stages: a matrix, another on top of it, fan-ins, a folder, metrics.
constexpr const char* kMany = R"(
name: many
stages:
  root: {uses: shell, outs: {t: t.txt}, with: {run: "seq 500 > {out.t}"}}
  part:
    uses: shell
    matrix: {i: [1, 2, 3, 4, 5]}
    in: {t: root}
    outs: {t: t.txt, u: u.txt}
    with: {run: "awk '{print $1 * ${matrix.i}}' {in.t} > {out.t}; echo ${matrix.i} > {out.u}"}
  sum:
    uses: shell
    matrix: {i: [1, 2, 3, 4, 5]}
    in: {t: "part@${matrix.i}.t"}
    outs: {metrics: m.json}
    with: {run: "awk '{s += $1} END {print \"{\\\"sum\\\": \" s \"}\"}' {in.t} > {out.metrics}"}
    expect: {sum: "> 0"}
  folder:
    uses: shell
    in: {u: "part@*.u"}
    outs: {site: site}
    with: {run: "mkdir -p {out.site}/deep; cat {in.u} > {out.site}/deep/all; cp {in.u} {out.site}"}
  all: {uses: shell, in: {m: "sum@*"}, outs: {t: t.txt}, with: {run: "cat {in.m} > {out.t}"}}
  last: {uses: shell, in: {a: all, f: folder}, outs: {t: t.txt}, with: {run: "cat {in.a} {in.f}/deep/all > {out.t}"}}
)";

TEST_CASE(
    "killed at any moment, the next run ends with the same outputs and leaves nothing behind") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kMany);
  // Commands run in the file's folder and objects are named by contents, so all stores must be
  // equal.
  const Clock::time_point start = Clock::now();
  REQUIRE(sandbox.headway({"run", "p.yaml", "--outputs", "calm"}).exit_code == 0);
  double whole = milliseconds_since(start);  // how long a run takes: a guess, on a busy machine
  const auto expected = sandbox.exported("calm");
  REQUIRE(expected.size() == 1 + 10 + 5 + 6 + 1 + 1);

  constexpr int kMoments = 40;
  int killed = 0;
  for (int i = 0; i < kMoments; ++i) {
    const std::string outputs = "out" + std::to_string(i);
    const double delay = i < 5 ? 1 + i : whole * 1.1 * i / kMoments;
    const auto run = sandbox.start({"run", "p.yaml", "--outputs", outputs});
    sleep_ms(delay);
    run->signal(SIGKILL);
    const bool was_killed = run->wait().signal == SIGKILL;
    killed += was_killed;

    const Outcome again = sandbox.headway({"run", "p.yaml", "--outputs", outputs});
    INFO("killed after " << delay << " ms of " << whole << "\n" << again.all());
    REQUIRE(again.exit_code == 0);
    CHECK(sandbox.exported(outputs) == expected);
    // A child that was just being started dies a little later than the program, and holds its locks
    // so long.
    if (!sandbox.leftovers(outputs).empty())
      CHECK(sandbox.headway({"run", "p.yaml", "--outputs", outputs}).exit_code == 0);
    CHECK(sandbox.leftovers(outputs) == Words{});
    const Outcome verified = sandbox.headway({"verify", "--outputs", outputs});
    CHECK(verified.exit_code == 0);
    CHECK_THAT(verified.out, ContainsSubstring("14 records") && ContainsSubstring("all whole"));
    CHECK(sandbox.headway({"gc", "--outputs", outputs}).exit_code == 0);
    CHECK(sandbox.temporaries(outputs) == Words{});
    CHECK(sandbox.exported(outputs) == expected);
    if (!was_killed) whole = 0.8 * delay;  // the run was quicker than the guess
  }
  CHECK(killed > kMoments / 4);
}

TEST_CASE("killed again and again on one store, it still gets there") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kMany);
  REQUIRE(sandbox.headway({"run", "p.yaml", "--outputs", "calm"}).exit_code == 0);
  for (int i = 0; i < 25; ++i) {
    const auto run = sandbox.start({"run", "p.yaml"});
    sleep_ms(3 + i);
    run->signal(SIGKILL);
    run->wait();
  }
  const Outcome last = sandbox.headway({"run", "p.yaml"});
  INFO(last.all());
  REQUIRE(last.exit_code == 0);
  CHECK(sandbox.exported() == sandbox.exported("calm"));
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.leftovers() == Words{});
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

// `long` writes a state, waits, and where it finds a state goes on from it.
constexpr const char* kLong = R"(
stages:
  fast: {uses: shell, outs: {t: t.txt}, with: {run: "echo fast >> ran.txt; echo fast > {out.t}"}}
  long:
    uses: shell
    in: {t: fast}
    outs: {t: t.txt}
    with:
      run: |
        echo long >> ran.txt
        if test -e {partial}/state; then
          cat {in.t} {partial}/state > {out.t}
          exit
        fi
        echo half > {partial}/state
        sleep 300 & echo $! > background.pid
        touch started
        wait
  after: {uses: shell, in: {t: long}, outs: {t: t.txt}, with: {run: "echo after >> ran.txt; cat {in.t} > {out.t}"}}
)";

void interrupt_and_resume(int signal) {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kLong);
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  const pid_t background = std::stoi(sandbox.read("background.pid"));
  REQUIRE(is_running(background));
  run->signal(signal);
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 130);
  CHECK_THAT(outcome.out, ContainsSubstring("long: interrupted"));
  CHECK(eventually([&] { return !is_running(background); }));
  CHECK(sandbox.ran() == Words{"fast", "long"});
  CHECK(sandbox.read("outputs/p/fast/t.txt") == "fast\n");
  CHECK(sandbox.leftovers().empty());
  CHECK_THAT(sandbox.headway({"status", "p.yaml"}).out, ContainsSubstring("partial"));

  const Outcome resumed = sandbox.headway({"run", "p.yaml"});
  INFO(resumed.all());
  CHECK(resumed.exit_code == 0);
  CHECK(sandbox.ran() == Words{"after", "long"});
  CHECK(sandbox.read("outputs/p/after/t.txt") == "fast\nhalf\n");
  CHECK(sandbox.list("outputs/.headway/partial").empty());
}

TEST_CASE(
    "ctrl-C ends the stages with all they started, keeps what is finished, and the next run "
    "resumes") {
  interrupt_and_resume(SIGINT);
}

TEST_CASE("a termination signal is as good as ctrl-C") {
  interrupt_and_resume(SIGTERM);
}

TEST_CASE("a stage's state survives kill -9 and is used by the next run") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kLong);
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  run->signal(SIGKILL);
  CHECK(run->wait().signal == SIGKILL);
  const Outcome resumed = sandbox.headway({"run", "p.yaml"});
  INFO(resumed.all());
  CHECK(resumed.exit_code == 0);
  CHECK(sandbox.read("outputs/p/long/t.txt") == "fast\nhalf\n");
  CHECK(sandbox.leftovers() == Words{});
  ::kill(std::stoi(sandbox.read("background.pid")), SIGKILL);  // nobody could end it but us
}

TEST_CASE("a stage does not outlive a program that was killed") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo $$ > pid; mv pid shell.pid; while :; do sleep 0.05; done; : {out.t}"}}
)");
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("shell.pid"); }));
  run->signal(SIGKILL);
  run->wait();
  const pid_t shell = std::stoi(sandbox.read("shell.pid"));
  CHECK(eventually([&] { return !is_running(shell); }));
}

TEST_CASE("what a killed stage had started is killed too, and the next run works") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a:
    uses: shell
    outs: {t: t.txt}
    with:
      run: |
        if mkdir first 2>/dev/null; then
          folder=$(dirname {out.t})
          (i=0; while test ! -e stop; do i=$((i + 1)); echo > $folder/$i || mkdir -p $folder; done) &
          echo $! > loop.pid
          touch started
          wait
        fi
        echo made > {out.t}
)");
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  run->signal(SIGKILL);
  run->wait();
  const pid_t loop = std::stoi(sandbox.read("loop.pid"));
  CHECK(eventually([&] { return !is_running(loop); }));
  const Outcome again = sandbox.headway({"run", "p.yaml"});
  sandbox.write("stop", "");
  INFO(again.all());
  CHECK(again.exit_code == 0);
  CHECK(sandbox.read("outputs/p/a/t.txt") == "made\n");
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.leftovers() == Words{});
}

TEST_CASE("a stage may finish its own way after ctrl-C, and then counts as interrupted") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a:
    uses: shell
    outs: {t: t.txt}
    with: {run: "trap 'echo saved > saved.txt; exit 1' INT; touch started; while :; do sleep 0.05; done; : {out.t}"}
)");
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  run->signal(SIGINT);
  CHECK(run->wait().exit_code == 130);
  CHECK(sandbox.read("saved.txt") == "saved\n");
  CHECK_THAT(sandbox.headway({"show"}).out, ContainsSubstring("interrupted"));
}

TEST_CASE("a second ctrl-C kills at once a stage that ignores the first") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  deaf:
    uses: shell
    outs: {t: t.txt}
    with: {run: "trap '' INT TERM; echo $$ > pid; mv pid shell.pid; while :; do sleep 0.05; done; : {out.t}"}
)");
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("shell.pid"); }));
  const pid_t shell = std::stoi(sandbox.read("shell.pid"));
  run->signal(SIGINT);
  sleep_ms(500);
  CHECK(is_running(shell));  // it has its time of grace
  const Clock::time_point second = Clock::now();
  run->signal(SIGINT);
  CHECK(run->wait().exit_code == 130);
  CHECK(milliseconds_since(second) < 8000);  // the grace would be 10 s
  CHECK_FALSE(is_running(shell));
  CHECK(sandbox.leftovers().empty());
}

TEST_CASE("an interrupted run starts nothing new") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8]}, outs: {t: t.txt}, with: {run: "echo ${matrix.i} >> ran.txt; touch started; sleep 300; : {out.t}"}}
)");
  const auto run = sandbox.start({"run", "p.yaml", "-j1", "--json"});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  sleep_ms(300);  // sh is deaf to a signal that comes between two commands
  run->signal(SIGINT);
  const Outcome outcome = run->wait();
  CHECK(outcome.exit_code == 130);
  CHECK(sandbox.ran().size() == 1);
  const Json last = events(outcome.out).back();
  CHECK(last.at("interrupted") == 1);
  CHECK(last.at("not_started") == 7);
}

}  // namespace
}  // namespace headway::e2e
