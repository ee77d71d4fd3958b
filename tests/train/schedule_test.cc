#include "lib/train/training_options.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

bool close(double a, double b) {
  return std::abs(a - b) < 1e-12;
}

TEST_CASE("the learning rate warms up linearly, then falls by half a cosine to zero") {
  const LearningRate schedule{0.5, 0.1, 100};  // 10 steps of warm-up
  CHECK(close(schedule.rate(0), 0.05));
  CHECK(close(schedule.rate(4), 0.25));
  CHECK(close(schedule.rate(9), 0.5));
  CHECK(close(schedule.rate(10), 0.5));
  CHECK(close(schedule.rate(40), 0.5 * 0.75));  // a third of the way down: cos 60 degrees
  CHECK(close(schedule.rate(55), 0.25));
  CHECK(schedule.rate(99) > 0);
  CHECK(schedule.rate(99) < 0.001);
  CHECK(close(schedule.rate(100), 0));
  CHECK(close(schedule.rate(1000), 0));
}

TEST_CASE("without a warm-up the first step has the full rate") {
  CHECK(close(LearningRate{0.5, 0, 100}.rate(0), 0.5));
  CHECK(close(LearningRate{0.5, 0.05, 10}.rate(0), 0.5));  // half a step is none
}

TEST_CASE("a schedule of one step, or of only warm-up, still has a rate") {
  CHECK(close(LearningRate{0.5, 0.05, 1}.rate(0), 0.5));
  CHECK(close(LearningRate{0.5, 1, 4}.rate(3), 0.5));
}

}  // namespace
}  // namespace headway
