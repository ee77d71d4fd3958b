// Sweeps over trainings: what is retrained, what continues, and what successive halving decides.
#include <signal.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdio>

#include "tests/e2e/processes.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kSweptTrainings = R"(
params: {lr: 0.002, seed: 1}
stages:
  data: {uses: generate-addition, with: {digits: 1, train: 40, val: 20, test: 20}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 16, n_heads: 2, n_layers: 1, d_ff: 16}, epochs: 9, lr: "${lr}", seed: "${seed}"}
  prune:
    uses: prune-model
    in: {model: train, data: data}
    with: {tolerances: [5], random_orders: 1, fine_tune: {epochs: 0}}
sweeps:
  rates:
    method: halving
    resource: train.epochs
    axes: {lr: [0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5], seed: [1, 2]}
    minimize: train.val_loss
)";

Words started(const std::string& out) {
  Words stages;
  for (const Json& event : events(out)) {
    if (event.at("event") == "stage-started") stages.push_back(event.at("stage"));
  }
  std::sort(stages.begin(), stages.end());
  return stages;
}

TEST_CASE("a sweep over a pruning tolerance retrains nothing") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSweptTrainings);
  REQUIRE(sandbox.headway({"run", "p.yaml", "train"}).exit_code == 0);
  const Outcome outcome =
      sandbox.headway({"sweep", "p.yaml", "--axis", "prune.tolerances=[[1],[2],[10]]", "--json"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(started(outcome.out) == Words{"prune@prune.tolerances=1", "prune@prune.tolerances=10",
                                      "prune@prune.tolerances=2", "trials"});
}

TEST_CASE("successive halving continues shorter trainings, and decides the same on any cores",
          "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kSweptTrainings);
  const Outcome two = sandbox.headway({"sweep", "p.yaml", "rates", "--outputs", "two"});
  INFO(two.all());
  REQUIRE(two.exit_code == 0);
  REQUIRE(sandbox.headway({"sweep", "p.yaml", "rates", "--outputs", "one", "-j1"}).exit_code == 0);
  const std::string decisions = sandbox.read("two/p/rates/trials/decisions.csv");
  CHECK(decisions == sandbox.read("one/p/rates/trials/decisions.csv"));
  INFO(decisions);
  REQUIRE(lines(decisions).size() == 1 + 9 + 3);
  CHECK_THAT(two.out, ContainsSubstring("rung 1 of 3, train.epochs=1:"));
  CHECK_THAT(two.out, ContainsSubstring("rung 2 of 3, train.epochs=3:"));

  // The one that continued to the end: its training was continued twice, and equals that of a plain
  // run.
  std::string winner;
  for (const std::string& name : sandbox.list("two/p/rates")) {
    if (name.ends_with("seed=1,train.epochs=9")) winner = name;
  }
  REQUIRE(!winner.empty());
  const std::string rate = winner.substr(0, winner.find(','));
  const Outcome log = sandbox.headway(
      {"logs", "p.yaml", "train@" + winner, "--sweep", "rates", "--outputs", "two"});
  CHECK_THAT(log.out, ContainsSubstring("continues in epoch 4"));
  REQUIRE(sandbox.headway({"run", "p.yaml", "--set", rate, "--outputs", "plain"}).exit_code == 0);
  CHECK(sandbox.contents("plain/p/" + rate + "/train", {"timing.csv", kEventFileName}) ==
        sandbox.contents("two/p/rates/" + winner + "/train", {"timing.csv", kEventFileName}));
  const Outcome same = sandbox.headway({"run", "p.yaml", "--set", rate, "--outputs", "two"});
  CHECK_THAT(same.out, ContainsSubstring("nothing to do"));

  const Outcome again = sandbox.headway({"sweep", "p.yaml", "rates", "--outputs", "two", "--json"});
  CHECK(started(again.out).empty());
  const Outcome compared = sandbox.headway(
      {"compare", "p.yaml", "--outputs", "two", "--csv", "--metrics", "train.val_loss"});
  CHECK(lines(compared.out).size() == 1 + 9 + 3 + 1);
  CHECK(sandbox.headway({"verify", "--outputs", "two"}).exit_code == 0);
}

// What `sweep --json` has printed so far about trainings.
struct Trainings {
  explicit Trainings(const std::string& out) {
    for (const std::string& line : lines(out)) {
      const Json event = Json::parse(line, nullptr, false);  // the last may not be whole
      if (!event.is_object() || !event.value("stage", "").starts_with("train@")) continue;
      if (event.value("status", "") == "done") done.push_back(event.at("stage"));
      if (event.at("event") == "stage-progress" && event.at("stage") == "train@seed=3")
        std::sscanf(event.at("words").get<std::string>().c_str(), "epoch %d", &epoch_of_third);
    }
  }
  Words done;  // those that were recorded
  int epoch_of_third = 0;
};

// Kills the sweep when one of the second pair has run some epochs, and returns how many trainings
// were finished. If that one is among them, since this process had no cpu for long, all begins
// again.
std::size_t kill_in_third_training(const Sandbox& sandbox, const Words& sweep) {
  for (int tries = 0; tries < 10; ++tries) {
    const auto run = sandbox.start(sweep);
    eventually([&] {
      const Trainings so_far(run->out_so_far());
      return (so_far.done.size() >= 2 && so_far.epoch_of_third >= 3) || !is_running(run->pid());
    });
    run->signal(SIGKILL);
    run->wait();
    REQUIRE(all_end(sandbox));
    const Trainings trainings(run->out_so_far());
    if (trainings.epoch_of_third >= 3 && std::ranges::count(trainings.done, "train@seed=3") == 0)
      return trainings.done.size();
    sandbox.sh("chmod -R u+w outputs; rm -rf outputs");
  }
  FAIL("the third training always ended before the kill");
  return 0;
}

TEST_CASE("a killed sweep of trainings repeats no finished one and continues the others",
          "[long]") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
params: {seed: 1}
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 1800, val: 60, test: 60}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 32, n_heads: 2, n_layers: 1, d_ff: 64}, epochs: 6, batch: 16, seed: "${seed}"}
)");
  const Words sweep = {"sweep", "p.yaml", "--axis", "seed=1,2,3,4", "--json", "-j2"};
  const std::size_t done = kill_in_third_training(sandbox, sweep);
  CHECK(done >= 2);
  const Outcome again = sandbox.headway(sweep);
  INFO(again.all());
  CHECK(again.exit_code == 0);
  Words trained = started(again.out);
  std::erase(trained, "trials");
  CHECK(trained.size() == 4 - done);
  CHECK_THAT(sandbox.headway({"logs", "p.yaml", "train@seed=3", "--sweep", "by-seed"}).out,
             ContainsSubstring("continues in epoch"));

  REQUIRE(
      sandbox.headway({"sweep", "p.yaml", "--axis", "seed=3", "--outputs", "fresh"}).exit_code ==
      0);
  CHECK(sandbox.contents("fresh/p/by-seed/seed=3/train", {"timing.csv", kEventFileName}) ==
        sandbox.contents("outputs/p/by-seed/seed=3/train", {"timing.csv", kEventFileName}));
}

}  // namespace
}  // namespace headway::e2e
