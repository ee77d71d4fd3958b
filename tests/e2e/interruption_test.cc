// Ctrl-C and similar signals: stages are asked to stop, finished results are kept, and the next run
// resumes.
#include <signal.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// `long` writes a state and waits; if it finds a state, it continues from it.
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

// Which of a run's two processes a signal reaches: a terminal sends it to both.
enum class Reach { kGuardian, kEngine, kGroup };

void send(const Sandbox& sandbox, const Background& run, int signal, Reach reach) {
  const pid_t engine = engine_of(sandbox, run.pid());
  REQUIRE(engine != 0);
  if (reach == Reach::kGuardian) run.signal(signal);
  if (reach == Reach::kEngine) ::kill(engine, signal);
  if (reach == Reach::kGroup) run.signal_group(signal);
}

// Whether a stage's `sleep` runs.
bool is_sleeping(const Sandbox& sandbox) {
  const std::vector<ProcessInfo> all = processes_in(sandbox);
  return std::any_of(all.begin(), all.end(),
                     [](const ProcessInfo& process) { return process.name == "sleep"; });
}

void interrupt_and_resume(int signal, Reach reach) {
  CAPTURE(signal, static_cast<int>(reach));
  const Sandbox sandbox;
  sandbox.write("p.yaml", kLong);
  const auto run = sandbox.start({"run", "p.yaml"}, {.own_group = true});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  const pid_t background = std::stoi(sandbox.read("background.pid"));
  REQUIRE(is_running(background));
  send(sandbox, *run, signal, reach);
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  CHECK(outcome.exit_code == 130);
  CHECK_THAT(outcome.out, ContainsSubstring("long: interrupted"));
  CHECK(processes_in(sandbox).empty());
  CHECK(sandbox.ran() == Words{"fast", "long"});
  CHECK(sandbox.read("outputs/p/fast/t.txt") == "fast\n");
  CHECK(sandbox.leftovers().empty());
  CHECK_THAT(sandbox.headway({"status", "p.yaml"}).out,
             ContainsSubstring("interrupted  the next run goes on from its state"));

  const Outcome resumed = sandbox.headway({"run", "p.yaml"});
  INFO(resumed.all());
  CHECK(resumed.exit_code == 0);
  CHECK(sandbox.ran() == Words{"after", "long"});
  CHECK(sandbox.read("outputs/p/after/t.txt") == "fast\nhalf\n");
  CHECK(sandbox.list("outputs/.headway/partial").empty());
}

TEST_CASE(
    "ctrl-C ends the stages and all they started, keeps what is finished, and the next run "
    "resumes") {
  for (const Reach reach : {Reach::kGroup, Reach::kGuardian, Reach::kEngine})
    interrupt_and_resume(SIGINT, reach);
}

TEST_CASE("a termination signal or a closed terminal acts like ctrl-C") {
  for (const int signal : {SIGTERM, SIGHUP}) {
    for (const Reach reach : {Reach::kGuardian, Reach::kGroup}) interrupt_and_resume(signal, reach);
  }
}

void check_clean_stop(Reach reach) {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a:
    uses: shell
    outs: {t: t.txt}
    with: {run: "trap 'sleep 0.5; echo saved > saved.txt; exit 1' INT; touch started; while :; do sleep 0.05; done; : {out.t}"}
)");
  const auto run = sandbox.start({"run", "p.yaml"}, {.own_group = true});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  send(sandbox, *run, SIGINT, reach);
  CHECK(run->wait().exit_code == 130);
  CHECK_THAT(sandbox.headway({"show"}).out, ContainsSubstring("interrupted"));
  CHECK(sandbox.read("saved.txt") == "saved\n");
}

TEST_CASE("a stage may shut down cleanly after ctrl-C, and then counts as interrupted") {
  // One ctrl-C that reaches both processes is not two.
  for (const Reach reach : {Reach::kGroup, Reach::kGuardian, Reach::kEngine}) {
    CAPTURE(static_cast<int>(reach));
    check_clean_stop(reach);
  }
}

// Why the only stage of `run --json` ended.
std::string message_of_stage(const std::string& out) {
  for (const Json& event : events(out)) {
    if (event.at("event") == "stage-finished") return event.value("message", "");
  }
  return "";
}

void check_second_signal(Reach reach) {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  deaf:
    uses: shell
    outs: {t: t.txt}
    with: {run: "trap '' INT TERM; echo $$ > pid; mv pid shell.pid; while :; do sleep 0.05; done; : {out.t}"}
)");
  const auto run = sandbox.start({"run", "p.yaml", "--json"}, {.own_group = true});
  REQUIRE(eventually([&] { return sandbox.exists("shell.pid"); }));
  const pid_t shell = std::stoi(sandbox.read("shell.pid"));
  send(sandbox, *run, SIGINT, reach);
  REQUIRE(eventually([&] { return run->out_so_far().find("stopping: ") != std::string::npos; }));
  sleep_ms(500);
  CHECK(is_running(shell));  // it has its time of grace
  send(sandbox, *run, SIGINT, reach);
  const Outcome outcome = run->wait();
  CHECK(outcome.exit_code == 130);
  CHECK(processes_in(sandbox).empty());
  CHECK(sandbox.leftovers().empty());
  CHECK(message_of_stage(outcome.out) == "stopped at once");
}

TEST_CASE("a second ctrl-C immediately kills a stage that ignores the first") {
  for (const Reach reach : {Reach::kGroup, Reach::kGuardian, Reach::kEngine}) {
    CAPTURE(static_cast<int>(reach));
    check_second_signal(reach);
  }
}

TEST_CASE("an interrupted run starts nothing new") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8]}, outs: {t: t.txt}, with: {run: "echo ${matrix.i} >> ran.txt; sleep 300; : {out.t}"}}
)");
  const auto run = sandbox.start({"run", "p.yaml", "-j1", "--json"});
  // sh misses a signal that arrives between two commands.
  REQUIRE(eventually([&] { return is_sleeping(sandbox); }));
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
