// Sweeps over trainings: what is retrained, what continues, and what successive halving decides.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

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
    uses: prune-heads
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

TEST_CASE("successive halving continues shorter trainings, and decides the same on any cores") {
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

TEST_CASE("a killed sweep of trainings repeats no finished one and continues the others") {
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
  const Words sweep = {"sweep", "p.yaml", "--axis", "seed=1,2,3,4", "--json"};
  const auto run = sandbox.start(sweep);
  const auto finished = [&] {  // trainings that were recorded
    std::size_t count = 0;
    const std::string out = run->out_so_far();
    for (std::size_t at = 0; (at = out.find("\"status\":\"done\"", at)) != std::string::npos; ++at)
      ++count;
    return count > 0 ? count - 1 : 0;  // the data
  };
  // One of the second pair has run some epochs.
  REQUIRE(eventually([&] {
    const std::string out = run->out_so_far();
    const std::size_t third = out.find("\"stage\":\"train@seed=3\"");
    return finished() >= 2 && third != std::string::npos &&
           out.find("epoch 3 of 6", third) != std::string::npos;
  }));
  run->signal(SIGKILL);
  CHECK(run->wait().signal == SIGKILL);
  const std::size_t done = finished();
  REQUIRE(done < 4);
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
