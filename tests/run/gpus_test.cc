// Stages that ask for gpus, where there are enough of them and where not.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

const std::string kWithGpus = R"(stages:
  a: {uses: shell, outs: {o: o.txt}, with: {run: "a {out.o}"}}
  b:
    uses: shell
    matrix: {seed: [1, 2]}
    in: {a: a.o}
    outs: {o: o.txt}
    with: {run: "b ${matrix.seed} {out.o}"}
    resources: {gpus: 2}
)";

TEST_CASE("a run refuses stages that ask for more gpus than there are, before anything runs",
          "[gpus]") {
  Project project;
  project.write(kWithGpus);
  const Outcome none = project.run();
  CHECK(none.exit_code == 2);
  CHECK(none.ran.empty());
  CHECK(none.error ==
        "/headway-test/project/p.yaml:3:3: stage 'b' asks for 2 gpus, but this machine has none; "
        "run it on a cluster (--on slurm), or remove 'gpus' from its resources");
  CHECK(project.run({.gpus = 1}).error.find("asks for 2 gpus, but this machine has 1;") !=
        std::string::npos);
}

TEST_CASE("a run with enough gpus, or with no limit, starts stages that ask for them", "[gpus]") {
  for (const int gpus : {2, 3, -1}) {
    CAPTURE(gpus);
    Project project;
    project.write(kWithGpus);
    CHECK(project.run({.gpus = gpus}).ran.size() == 3);
  }
}

TEST_CASE("stages that are fresh or not selected may ask for gpus that are not there", "[gpus]") {
  Project project;
  project.write(kWithGpus);
  CHECK(project.run({.targets = {"a"}}).ran == Names{"a"});
  project.run({.gpus = 2});
  CHECK(project.run().exit_code == 0);
  CHECK(project.run({.force = {"b@1"}}).exit_code == 2);
}

}  // namespace
}  // namespace headway::testing
