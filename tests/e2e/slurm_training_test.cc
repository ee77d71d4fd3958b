// A training on a real Slurm that loses its node.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdlib>

#include "tests/e2e/slurm_lab.h"
#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// Of the 30; not every one is told.
int last_epoch(const std::string& progress) {
  const std::string before = "\"epoch ";
  const std::size_t found = progress.rfind(before);
  return found == std::string::npos ? 0 : std::atoi(progress.c_str() + found + before.size());
}

TEST_CASE("a training that loses its node continues on another, to the same bytes as here") {
  SlurmLab& lab = SlurmLab::fresh();
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  data: {uses: generate-addition, with: {digits: 2, train: 1800, val: 60, test: 60}}
  train:
    uses: train-seq2seq
    in: {data: data}
    with: {model: {d_model: 32, n_heads: 2, n_layers: 1, d_ff: 64}, epochs: 30, batch: 16}
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

  REQUIRE(sandbox.sh("chmod -R u+w outputs; rm -r outputs").exit_code == 0);
  const auto run = sandbox.start({"run", "p.yaml", "--on", "slurm", "--json"}, lab.where());
  REQUIRE(eventually([&] { return last_epoch(run->out_so_far()) >= 3; }));
  const SlurmLab::Job job = lab.jobs().back();
  REQUIRE(job.state == "RUNNING");
  const std::string node = job.node;
  lab.crash(node);
  lab.give_up(node);
  const Outcome outcome = run->wait();
  INFO(outcome.all());
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.all(), ContainsSubstring("stage 'train' was lost ("));
  lab.start(node);
  CHECK(results() == undisturbed);
  CHECK_THAT(sandbox.headway({"logs", "p.yaml", "train"}).out,
             ContainsSubstring("continues in epoch"));
  CHECK(sandbox.headway({"verify"}).exit_code == 0);
  CHECK(lab.all_jobs_end());
}

}  // namespace
}  // namespace headway::e2e
