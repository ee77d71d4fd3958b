// A training on a real Slurm that loses its node.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/slurm_lab.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a training that loses its node continues on another, to the same bytes as here") {
  SlurmLab& lab = SlurmLab::fresh();
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 1800, val: 60, test: 60}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 32, n_heads: 2, n_layers: 1, d_ff: 64}, epochs: 8, batch: 16}
    resources: {cpus: 2}
)");
  sandbox.write("headway-site.yaml",
                "slurm:\n  poll: 300ms\n  visible_within: 10s\n  allocation: {memory: 2GiB}\n");
  const auto results = [&] {
    return sandbox.contents("outputs/p/train", {"timing.csv", kEventFileName});
  };
  const Outcome local = sandbox.headway({"run", "p.yaml"});
  INFO(local.all());
  REQUIRE(local.exit_code == 0);
  const auto undisturbed = results();

  bool is_disturbed = false;  // the training may end before we get a cpu
  for (int tries = 0; tries < 10 && !is_disturbed; ++tries) {
    REQUIRE(sandbox.sh("chmod -R u+w outputs; rm -r outputs").exit_code == 0);
    const auto run = sandbox.start({"run", "p.yaml", "--on", "slurm", "--json"}, lab.where());
    const auto has_said = [&](const std::string& text) {
      return run->out_so_far().find(text) != std::string::npos;
    };
    REQUIRE(eventually([&] { return has_said("\"epoch 3") || !is_running(run->pid()); }));
    std::string node;
    for (const SlurmLab::Job& job : lab.jobs()) {
      if (job.state == "RUNNING") node = job.node;
    }
    if (!node.empty()) {
      lab.crash(node);
      lab.give_up(node);
    }
    const Outcome outcome = run->wait();
    INFO(outcome.all());
    REQUIRE(outcome.exit_code == 0);
    is_disturbed = outcome.all().find("stage 'train' was lost (") != std::string::npos;
    if (!node.empty()) lab.start(node);
  }
  CHECK(is_disturbed);
  CHECK(results() == undisturbed);
  CHECK_THAT(sandbox.headway({"logs", "p.yaml", "train"}).out,
             ContainsSubstring("continues in epoch"));
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
  CHECK(lab.all_jobs_end());
}

}  // namespace
}  // namespace headway::e2e
