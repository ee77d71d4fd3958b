// Kill -9 of the program: what its stages had started ends with it, and processes that could not be
// ended do not affect the next run.
#include <signal.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

enum class Victim { kGuardianAlone, kEngineAlone, kBothAtOnce };

void kill_run(const Sandbox& sandbox, const Background& run, Victim victim) {
  const pid_t engine = engine_of(sandbox, run.pid());
  REQUIRE(engine != 0);
  if (victim == Victim::kGuardianAlone) run.signal(SIGKILL);
  if (victim == Victim::kEngineAlone) ::kill(engine, SIGKILL);
  if (victim == Victim::kBothAtOnce) run.signal_group(SIGKILL);
}

// A training of ten steps, whose state is a file: each step counts what is there and adds a line.
// Two that do so side by side, or a state that is taken over while another adds to it, give
// different lines. It can run in its own session and keep the file open. After the first steps it
// waits for the file `go`. `meanwhile` is what its stage does until it waits for it.
std::string counting(const std::string& append, const std::string& meanwhile = ":") {
  return R"(
stages:
  a:
    uses: shell
    outs: {t: t.txt}
    retries: 1
    with:
      run: |
        touch {partial}/state
        setsid sh -c '
          exec 3>>"$1"
          while :; do
            n=$(wc -l < "$1")
            if test "$n" -ge 10; then exit 0; fi
            while test "$n" -ge 3 && test ! -e go; do sleep 0.01; done
            sleep 0.1
            touch started
            echo "$n" )" +
         append + R"(
          done' sh {partial}/state &
        )" +
         meanwhile + R"(
        wait $!
        cp {partial}/state {out.t}
)";
}

constexpr const char* kCounted = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";

void kill_and_repeat(Victim victim, const std::string& append) {
  CAPTURE(static_cast<int>(victim), append);
  const Sandbox sandbox;
  sandbox.write("p.yaml", counting(append));
  const auto run = sandbox.start({"run", "p.yaml"}, {.own_group = true});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  kill_run(sandbox, *run, victim);
  const Outcome killed = run->wait();
  INFO(killed.all());
  CHECK(killed.exit_code != 0);
  // Immediately, while processes that are still dying, or will not die, may run beside it.
  sandbox.write("go", "");
  const Outcome again = sandbox.headway({"run", "p.yaml"});
  INFO(again.all() << to_text(processes_in(sandbox)));
  CHECK(again.exit_code == 0);
  CHECK(sandbox.read("outputs/p/a/t.txt") == kCounted);
  if (victim == Victim::kBothAtOnce) kill_processes_in(sandbox);
  CHECK(all_end(sandbox));
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.leftovers() == Words{});
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

TEST_CASE("after kill -9 of any of our processes, the next run has the undisturbed result") {
  for (const Victim victim : {Victim::kGuardianAlone, Victim::kEngineAlone, Victim::kBothAtOnce}) {
    kill_and_repeat(victim, ">> \"$1\"");
    kill_and_repeat(victim, ">&3");
  }
}

TEST_CASE("what an attempt left running does not affect the next attempt") {
  for (const char* append : {">> \"$1\"", ">&3"}) {
    CAPTURE(append);
    const Sandbox sandbox;
    sandbox.write("go", "");
    sandbox.write("p.yaml", counting(append,
                                     "if mkdir first 2>/dev/null; then while test ! -e started; do "
                                     "sleep 0.01; done; exit 1; fi"));
    const Outcome run = sandbox.headway({"run", "p.yaml"});
    INFO(run.all());
    CHECK(run.exit_code == 0);
    CHECK_THAT(run.all(), ContainsSubstring("attempt 2"));
    CHECK(sandbox.read("outputs/p/a/t.txt") == kCounted);
    CHECK(sandbox.list("outputs/.headway/partial").empty());
    CHECK(processes_in(sandbox).empty());
  }
}

// Every way for a stage's process to escape: background, session, both, a daemon without a parent.
constexpr const char* kEscapes = R"(
stages:
  a:
    uses: shell
    outs: {t: t.txt}
    with:
      run: |
        sleep 300 &
        setsid sleep 301 &
        (setsid sh -c 'sleep 302 & trap "" INT TERM HUP; sleep 303' &) &
        (trap '' INT TERM HUP; setsid setsid sh -c 'sleep 304 & sleep 305 &') &
        sleep 306
        : {out.t}
)";

// All of them, and nothing that is still to become one.
bool have_escaped(const Sandbox& sandbox) {
  const std::vector<ProcessInfo> all = processes_in(sandbox);
  return std::ranges::count(all, "sleep", &ProcessInfo::name) == 7;
}

TEST_CASE("whichever of our processes is killed, everything that stages started ends") {
  for (const Victim victim : {Victim::kGuardianAlone, Victim::kEngineAlone}) {
    CAPTURE(static_cast<int>(victim));
    const Sandbox sandbox;
    sandbox.write("p.yaml", kEscapes);
    const auto run = sandbox.start({"run", "p.yaml"}, {.own_group = true});
    REQUIRE(eventually([&] { return have_escaped(sandbox); }));
    kill_run(sandbox, *run, victim);
    CHECK(run->wait().exit_code != 0);
    const bool ended = all_end(sandbox);
    INFO(to_text(processes_in(sandbox)));
    CHECK(ended);
    kill_processes_in(sandbox);
  }
}

TEST_CASE("what a stage left running is ended with the run") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "sleep 300 & setsid sleep 301 & (setsid setsid sleep 302 &) ; echo a > {out.t}"}}
)");
  const Outcome run = sandbox.headway({"run", "p.yaml"});
  INFO(run.all());
  CHECK(run.exit_code == 0);
  INFO(to_text(processes_in(sandbox)));
  CHECK(processes_in(sandbox).empty());
  kill_processes_in(sandbox);
}

TEST_CASE("what a stage left running cannot change the stage's result") {
  const Sandbox sandbox;
  // `a` ends while a program that it started still has its output open; `b` reads it after that
  // program, if it lives, has written once more.
  sandbox.write("p.yaml", R"(
stages:
  a:
    uses: shell
    outs: {o: o.txt}
    with:
      run: |
        echo good > {out.o}
        setsid sh -c '
          exec 3>>"$1"
          touch open
          while test ! -e go; do sleep 0.01; done
          echo BAD >&3
          touch written' sh {out.o} &
        while test ! -e open; do sleep 0.01; done
  b:
    uses: shell
    in: {x: a}
    outs: {o: o.txt}
    with:
      run: |
        touch go
        for i in $(seq 50); do if test -e written; then break; fi; sleep 0.01; done
        cat {in.x} > {out.o}
)");
  for (int i = 0; i < 2; ++i) {
    for (const char* file : {"open", "go", "written"}) std::filesystem::remove(sandbox.at(file));
    const Outcome run = sandbox.headway({"run", "p.yaml"});
    INFO(run.all());
    const std::string status = sandbox.headway({"status", "p.yaml"}).out;
    if (status.find("2 fresh") != std::string::npos) {
      CHECK(sandbox.read("outputs/p/a/o.txt") == "good\n");
      CHECK(sandbox.read("outputs/p/b/o.txt") == "good\n");
    }
  }
  kill_processes_in(sandbox);
}

TEST_CASE("a stage's state survives kill -9 and is used by the next run") {
  for (const Victim victim : {Victim::kGuardianAlone, Victim::kEngineAlone, Victim::kBothAtOnce}) {
    CAPTURE(static_cast<int>(victim));
    const Sandbox sandbox;
    sandbox.write("p.yaml", R"(
stages:
  long:
    uses: shell
    outs: {t: t.txt}
    with:
      run: |
        if test -e {partial}/state; then
          cp {partial}/state {out.t}
          exit
        fi
        echo half > {partial}/state
        touch started
        sleep 300
)");
    const auto run = sandbox.start({"run", "p.yaml"}, {.own_group = true});
    REQUIRE(eventually([&] { return sandbox.exists("started"); }));
    kill_run(sandbox, *run, victim);
    CHECK(run->wait().exit_code != 0);
    // The other process may live for a moment.
    CHECK(eventually([&] {
      return sandbox.headway({"status", "p.yaml"})
                 .out.find("interrupted  the next run goes on from its state") != std::string::npos;
    }));
    // It cleans up after itself until its end. If both were killed, the stage's own child lives on.
    if (victim != Victim::kBothAtOnce) CHECK(all_end(sandbox));
    const Outcome resumed = sandbox.headway({"run", "p.yaml"});
    INFO(resumed.all());
    CHECK(resumed.exit_code == 0);
    CHECK(sandbox.read("outputs/p/long/t.txt") == "half\n");
    CHECK(sandbox.leftovers() == Words{});
    CHECK(sandbox.list("outputs/.headway/partial").empty());
    kill_processes_in(sandbox);
  }
}

TEST_CASE(
    "processes that cannot be ended may still write in their folder, and the next run works") {
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
  const auto run = sandbox.start({"run", "p.yaml"}, {.own_group = true});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  run->signal_group(SIGKILL);
  run->wait();
  const Outcome again = sandbox.headway({"run", "p.yaml"});
  sandbox.write("stop", "");
  INFO(again.all());
  CHECK(again.exit_code == 0);
  CHECK(sandbox.read("outputs/p/a/t.txt") == "made\n");
  REQUIRE(all_end(sandbox));
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.leftovers() == Words{});
}

}  // namespace
}  // namespace headway::e2e
