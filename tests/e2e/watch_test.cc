// A run seen from another process: its state, its log, and what is left of it when it is killed.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;

// `train` reports progress, prints, and waits for the file `go`.
constexpr const char* kSlow = R"(
stages:
  data: {uses: shell, outs: {t: t.txt}, with: {run: "echo data > {out.t}"}}
  train:
    uses: shell
    in: {t: data}
    outs: {t: t.txt}
    with:
      run: |
        echo "42% epoch 3"
        touch started
        until test -e go; do sleep 0.02; done
        echo the end
        cp {in.t} {out.t}
  plot: {uses: shell, in: {t: train}, outs: {t: t.txt}, with: {run: "cp {in.t} {out.t}"}}
)";

std::unique_ptr<Background> start_slow(const Sandbox& sandbox, const std::string& text = kSlow) {
  sandbox.write("p.yaml", text);
  auto run = sandbox.start({"run", "p.yaml"}, {.own_group = true});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  return run;
}

std::string status(const Sandbox& sandbox) {
  return sandbox.headway({"status", "p.yaml"}).out;
}

TEST_CASE("status shows what runs, how far it is, and what is queued") {
  const Sandbox sandbox;
  const auto run = start_slow(sandbox);
  REQUIRE(eventually([&] { return status(sandbox).find("42%") != std::string::npos; }));
  const std::string text = status(sandbox);
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("p (p.yaml): 1 fresh, 1 queued, 1 running\n"));
  CHECK_THAT(text, Matches("(.|\n)*train +running +since [0-9:]+ \\(.*\\): 42% epoch 3\n(.|\n)*"));
  CHECK_THAT(text, ContainsSubstring("plot   queued   waits for train\n"));
  CHECK_THAT(text, !ContainsSubstring("interrupted"));
  CHECK(sandbox.headway({"report"}).exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/index.html"),
             ContainsSubstring("running</strong>: 1 stage, 1 queued<") &&
                 ContainsSubstring("1 was running when this page was written"));
  sandbox.write("go", "");
  CHECK(run->wait().exit_code == 0);
  CHECK_THAT(status(sandbox), ContainsSubstring("p (p.yaml): 3 fresh\n"));
  CHECK(sandbox.leftovers().empty());
}

TEST_CASE("only a stage that a dead run left is called interrupted") {
  const Sandbox sandbox;
  const auto run = start_slow(sandbox);
  run->signal_group(SIGKILL);
  CHECK(run->wait().signal == SIGKILL);
  kill_processes_in(sandbox);
  const std::string text = status(sandbox);
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("train  interrupted  the next run starts it over\n"));
  CHECK_THAT(text, ContainsSubstring("plot   never run    waits for train\n"));
  CHECK(sandbox.headway({"report"}).exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/index.html"),
             ContainsSubstring("interrupted</strong>: 1 stage<"));
}

TEST_CASE("a running stage that the file has changed since is said to run as it was") {
  const Sandbox sandbox;
  const auto run = start_slow(sandbox);
  sandbox.replace("p.yaml", "the end", "the very end");
  CHECK_THAT(status(sandbox), ContainsSubstring("with the file as it was before"));
  sandbox.write("go", "");
  CHECK(run->wait().exit_code == 0);
}

TEST_CASE("the trials of a running sweep are running and queued") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {n: 0}
stages:
  a: {uses: shell, outs: {metrics: m.json}, with: {run: "touch started; until test -e go; do sleep 0.02; done; echo '{\"x\": ${n}}' > {out.metrics}"}}
sweeps: {s: {axes: {n: [1, 2, 3]}}}
)");
  const auto run = sandbox.start({"sweep", "p.yaml", "s", "-j1"});
  REQUIRE(eventually([&] { return sandbox.exists("started"); }));
  const Words words = {"status", "p.yaml", "--sweep", "s"};
  REQUIRE(eventually([&] {
    return sandbox.headway(words).out.find("0 of 3 trials finished, 1 running") !=
           std::string::npos;
  }));
  const std::string text = sandbox.headway(words).out;
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("3 queued, 1 running\n"));  // two trials, and their table
  CHECK_THAT(text, Matches("(.|\n)*a@n=1 +running(.|\n)*"));
  sandbox.write("go", "");
  CHECK(run->wait().exit_code == 0);
}

TEST_CASE("watching a run from a program gives a line for each change, and ends with the run") {
  const Sandbox sandbox;
  const auto run = start_slow(sandbox);
  const auto watch = sandbox.start({"status", "--watch"});
  REQUIRE(
      eventually([&] { return watch->out_so_far().find("train  running") != std::string::npos; }));
  sandbox.write("go", "");
  CHECK(run->wait().exit_code == 0);
  const Outcome outcome = watch->wait();
  INFO(outcome.out);
  CHECK(outcome.exit_code == 0);
  const Words printed = lines(outcome.out);
  REQUIRE(printed.size() >= 6);
  CHECK(printed[0] == "p (p.yaml): 1 fresh, 1 queued, 1 running");
  CHECK_THAT(outcome.out, Matches("(.|\n)*[0-9:]{8} train: fresh, took .*\n(.|\n)*"));
  CHECK_THAT(outcome.out, Matches("(.|\n)*[0-9:]{8} plot: fresh, took .*\n(.|\n)*"));
  CHECK(printed.back() == "p (p.yaml): 3 fresh");
  CHECK_THAT(outcome.out, !ContainsSubstring("\x1b"));
}

TEST_CASE("watching ends at once if nothing runs, and quietly at ctrl-C") {
  const Sandbox sandbox;
  CHECK(sandbox.headway({"status", "--watch"}).out == "nothing is running (outputs: outputs)\n");
  const auto run = start_slow(sandbox);
  const auto watch = sandbox.start({"status", "p.yaml", "--watch"});
  REQUIRE(eventually([&] { return !watch->out_so_far().empty(); }));
  watch->signal(SIGINT);
  const Outcome stopped = watch->wait();
  CHECK(stopped.exit_code == 130);
  CHECK(stopped.err.empty());
  sandbox.write("go", "");
  CHECK(run->wait().exit_code == 0);  // the run did not notice
  const Outcome after = sandbox.headway({"status", "p.yaml", "--watch"});
  CHECK_THAT(after.out, ContainsSubstring("3 fresh") && ContainsSubstring("nothing is running"));
}

TEST_CASE("a watched terminal is drawn anew in place") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v script && command -v stty").exit_code != 0)
    SKIP("script is not installed");
  const auto run = start_slow(sandbox);
  const auto watch = sandbox.start_program(
      {"script", "-qec", "stty cols 50 rows 10; \"$HEADWAY\" status --watch", "/dev/null"},
      {.env = {{"TERM", "xterm"}, {"HEADWAY", program_path()}, {"SHELL", "/bin/sh"}}});
  REQUIRE(eventually([&] { return watch->out_so_far().find("\x1b[4A") != std::string::npos; }));
  sandbox.write("go", "");
  CHECK(run->wait().exit_code == 0);
  CHECK_THAT(watch->wait().out, ContainsSubstring("p (p.yaml): 3 fresh"));
}

TEST_CASE("a log can be followed through attempts until the stage ends") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a:
    uses: shell
    retries: 1
    outs: {t: t.txt}
    with:
      run: |
        echo begin
        if test ! -e second; then
          until test -e once; do sleep 0.02; done
          touch second
          printf 'no line end'
          exit 3
        fi
        until test -e go; do sleep 0.02; done
        echo end > {out.t}
        echo end
)");
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.headway({"logs", "a"}).out == "begin\n"; }));
  const auto logs = sandbox.start({"logs", "-f", "a"});
  REQUIRE(eventually([&] { return logs->out_so_far() == "begin\n"; }));
  sandbox.write("once", "");
  REQUIRE(eventually([&] { return logs->out_so_far().ends_with("---\nbegin\n"); }));
  sandbox.write("go", "");
  CHECK(run->wait().exit_code == 0);
  const Outcome outcome = logs->wait();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == sandbox.headway({"logs", "a"}).out);
  CHECK_THAT(outcome.out, Matches("begin\nno line end\n--- attempt 2 of 2, .* ---\nbegin\nend\n"));
}

TEST_CASE("following a queued stage waits for its start; ctrl-C ends it quietly") {
  const Sandbox sandbox;
  const auto run = start_slow(sandbox);
  const auto logs = sandbox.start({"logs", "p.yaml", "plot", "--follow"});
  REQUIRE(eventually([&] { return !logs->err_so_far().empty(); }));
  logs->signal(SIGINT);
  const Outcome stopped = logs->wait();
  CHECK(stopped.exit_code == 130);
  CHECK(stopped.err == "stage 'plot' is queued; its log follows when it starts\n");
  sandbox.write("go", "");
  CHECK(run->wait().exit_code == 0);
  const Outcome after = sandbox.headway({"logs", "-f", "train"});
  CHECK(after.exit_code == 0);
  CHECK(after.out == "42% epoch 3\nthe end\n");
  CHECK(after.err == "stage 'train' is not running\n");
}

}  // namespace
}  // namespace headway::e2e
