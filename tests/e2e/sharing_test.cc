// Several processes on one store.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kParts = R"(
stages:
  part:
    uses: shell
    matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8]}
    outs: {t: t.txt}
    with: {run: "echo part ${matrix.i} >> ran.txt; sleep 0.1; date +%N > {out.t}"}
  all: {uses: shell, in: {t: "part@*"}, outs: {t: t.txt}, with: {run: "echo all >> ran.txt; sleep 0.1; cat {in.t} > {out.t}"}}
)";

TEST_CASE("two processes on one store run each stage once") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kParts);
  const auto one = sandbox.start({"run", "p.yaml"});
  const auto two = sandbox.start({"run", "p.yaml"});
  const auto three = sandbox.start({"run", "p.yaml", "all"});
  for (const auto* run : {&one, &two, &three}) {
    const Outcome outcome = (*run)->wait();
    INFO(outcome.all());
    CHECK(outcome.exit_code == 0);
  }
  CHECK(sandbox.ran() == Words{"all", "part 1", "part 2", "part 3", "part 4", "part 5", "part 6",
                               "part 7", "part 8"});
  CHECK(sandbox.leftovers().empty());
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
}

TEST_CASE("many processes at once neither fail nor damage the store") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {x: 0}
stages:
  a: {uses: shell, matrix: {i: [1, 2, 3, 4, 5]}, outs: {t: t.txt}, with: {run: "echo $((${matrix.i} % 3)) > {out.t}"}}
  b: {uses: shell, in: {t: "a@*"}, outs: {d: d}, with: {run: "mkdir {out.d}; cat {in.t} > {out.d}/all; echo ${x} > {out.d}/x"}}
)");
  std::vector<std::unique_ptr<Background>> runs;
  for (int i = 0; i < 12; ++i)
    runs.push_back(sandbox.start({"run", "p.yaml", "--set", "x=" + std::to_string(i % 2)}));
  for (const auto& run : runs) {
    const Outcome outcome = run->wait();
    INFO(outcome.all());
    CHECK(outcome.exit_code == 0);
  }
  CHECK(sandbox.leftovers().empty());
  const Outcome verified = sandbox.headway({"verify"});
  INFO(verified.all());
  CHECK(verified.exit_code == 0);
}

// The first run holds the lock of `slow` until it is killed; later runs make it immediately.
constexpr const char* kSlowOnce = R"(
stages:
  slow:
    uses: shell
    outs: {t: t.txt}
    with: {run: "echo slow >> ran.txt; if mkdir first 2>/dev/null; then exec sleep 300; fi; echo made > {out.t}"}
)";

TEST_CASE("the lock of a killed process is free") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSlowOnce);
  const auto holder = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("first"); }));
  holder->signal(SIGKILL);
  holder->wait();
  const Outcome outcome = sandbox.headway({"run", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran().size() == 2);
  CHECK(all_end(sandbox));  // what the killed one has left cleans up until its end
  CHECK(sandbox.leftovers() == Words{});
}

TEST_CASE("a process waiting for one that is killed does the work itself, once") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSlowOnce);
  const auto holder = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("first"); }));
  const auto one = sandbox.start({"run", "p.yaml"});
  const auto two = sandbox.start({"run", "p.yaml"});
  const auto waits = [](const std::unique_ptr<Background>& run) {
    return run->out_so_far().find("waiting for it") != std::string::npos;
  };
  REQUIRE(eventually([&] { return waits(one) && waits(two); }));
  holder->signal(SIGKILL);
  holder->wait();
  CHECK(one->wait().exit_code == 0);
  CHECK(two->wait().exit_code == 0);
  CHECK(sandbox.ran().size() == 2);
  CHECK(all_end(sandbox));
  CHECK(sandbox.headway({"run", "p.yaml"}).exit_code == 0);  // after the killed one
  CHECK(sandbox.leftovers() == Words{});
}

TEST_CASE("ctrl-C ends a run that waits for another process") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSlowOnce);
  const auto holder = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("first"); }));
  const auto waiter = sandbox.start({"run", "p.yaml"});
  REQUIRE(
      eventually([&] { return waiter->out_so_far().find("waiting for it") != std::string::npos; }));
  waiter->signal(SIGINT);
  CHECK(waiter->wait().exit_code == 130);
  holder->signal(SIGINT);
  CHECK(holder->wait().exit_code == 130);
  CHECK(sandbox.leftovers().empty());
}

TEST_CASE("gc refuses during a run, and removes nothing") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSlowOnce);
  const std::string garbage = "outputs/.headway/lists/" + std::string(64, '0');
  sandbox.write(garbage, "");
  const auto run = sandbox.start({"run", "p.yaml"});
  REQUIRE(eventually([&] { return sandbox.exists("first"); }));
  const Outcome gc = sandbox.headway({"gc"});
  CHECK(gc.exit_code == 1);
  CHECK_THAT(gc.err, ContainsSubstring("another headway process is running on this store"));
  CHECK(sandbox.exists(garbage));
  run->signal(SIGINT);
  CHECK(run->wait().exit_code == 130);
  CHECK(sandbox.headway({"gc"}).exit_code == 0);
  CHECK_FALSE(sandbox.exists(garbage));
}

}  // namespace
}  // namespace headway::e2e
