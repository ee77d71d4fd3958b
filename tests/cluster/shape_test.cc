// Which stages share an allocation, and what others get.
#include "lib/cluster/shape.h"

#include <catch2/catch_test_macros.hpp>

namespace headway::testing {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

SlurmSite site() {
  SlurmSite site;
  site.options.partition = "cpu";
  site.allocation = {.cpus = 4, .memory = 8 * kGiB, .time = 3600};
  return site;
}

StageJob asking_for(const Resources& resources, const std::string& type = "shell") {
  StageJob job;
  job.type = type;
  job.resources = resources;
  return job;
}

TEST_CASE("a stage that fits goes into the common allocation") {
  const Shape common{site().allocation, site().options};
  CHECK(shape_of(asking_for({}), 0, site()) == common);
  CHECK(shape_of(asking_for({4, 8 * kGiB, 1800, 0}), 0, site()) == common);
  CHECK(shape_of(asking_for({}), 1800, site()) == common);
}

TEST_CASE("a stage that does not fit gets an allocation of its own shape") {
  CHECK(shape_of(asking_for({.cpus = 5}), 0, site()).resources == Resources{5, 8 * kGiB, 3600, 0});
  CHECK(shape_of(asking_for({.memory = 9 * kGiB}), 0, site()).resources ==
        Resources{1, 9 * kGiB, 3600, 0});
  CHECK(shape_of(asking_for({.gpus = 1}), 0, site()).resources == Resources{1, 8 * kGiB, 3600, 1});
}

TEST_CASE("a stage that takes more than half of the common time gets its own, and some more") {
  CHECK(shape_of(asking_for({.time = 1801}), 0, site()).resources ==
        Resources{1, 8 * kGiB, 1801 + kTimeAround, 0});
  CHECK(shape_of(asking_for({}), 7200, site()).resources.time == 7200 + kTimeAround);
}

TEST_CASE("a stage's time is what it asks for, or else its timeout") {
  CHECK(time_of(asking_for({.time = 10}), 500, site()) == 10);
  CHECK(time_of(asking_for({}), 500, site()) == 500);
  CHECK(time_of(asking_for({}), 0, site()) == 0);
}

TEST_CASE("what the site says of a type wins over what the stage asks for") {
  SlurmSite slurm = site();
  slurm.stages["train"].resources.cpus = 16;
  slurm.stages["train"].options.partition = "large";
  slurm.stages["small"].resources.cpus = 1;
  slurm.stages["slow"].resources.time = 7200;
  const Shape shape = shape_of(asking_for({.cpus = 2}, "train"), 0, slurm);
  CHECK(shape.resources.cpus == 16);
  CHECK(shape.options.partition == "large");
  CHECK(shape_of(asking_for({.cpus = 32}, "small"), 0, slurm).resources == slurm.allocation);
  CHECK(time_of(asking_for({.time = 10}, "slow"), 0, slurm) == 7200);
}

TEST_CASE("other options alone make another shape") {
  SlurmSite slurm = site();
  slurm.stages["train"].options.partition = "large";
  CHECK(shape_of(asking_for({}, "train"), 0, slurm).options.partition == "large");
  CHECK(id_of(shape_of(asking_for({}, "train"), 0, slurm)) !=
        id_of(shape_of(asking_for({}), 0, slurm)));
}

TEST_CASE("equal shapes have one id, and each difference makes another") {
  const Shape shape{{4, kGiB, 3600, 0}, {"cpu", "lab", "low", "avx2", {"--a", "--b"}}};
  CHECK(id_of(shape) == id_of(Shape(shape)));
  std::vector<Shape> others(10, shape);
  others[0].resources.cpus = 5;
  others[1].resources.memory = 1;
  others[2].resources.time = 60;
  others[3].resources.gpus = 1;
  others[4].options.partition = "";
  others[5].options.account = "cpu";
  others[6].options.qos = "high";
  others[7].options.constraint = "a\",\"b";
  others[8].options.flags = {"--a,--b"};
  others[9].options.flags = {};
  for (std::size_t i = 0; i < others.size(); ++i) {
    CHECK(id_of(others[i]) != id_of(shape));
    for (std::size_t k = 0; k < i; ++k) CHECK(id_of(others[i]) != id_of(others[k]));
  }
}

}  // namespace
}  // namespace headway::testing
