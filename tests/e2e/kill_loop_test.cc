// Some kills in every test run; as many as wanted with `./headway soak`.
#include "tests/e2e/kill_loop.h"

#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>

namespace headway::e2e {
namespace {

// "12 guardian, 9 engine, …"
std::string kinds_text(const KillLoop& loop) {
  std::string text;
  for (std::size_t i = 0; i < kAllKills.size(); ++i) {
    if (loop.kills()[i] == 0) continue;
    text += std::to_string(loop.kills()[i]) + " " + name_of(kAllKills[i]) + ", ";
  }
  return text + std::to_string(loop.missed()) + " ended before";
}

void kill_some(KillLoop::Pipeline pipeline, int rounds) {
  CAPTURE(Catch::getSeed());
  KillLoop loop(pipeline, Catch::getSeed());
  for (int i = 0; i < rounds; ++i) {
    const std::string problems = loop.round();
    INFO(problems);
    CHECK(problems.empty());
  }
  INFO(kinds_text(loop));
  CHECK(loop.missed() < rounds);  // how many it was depends on how busy the machine is
}

TEST_CASE(
    "whichever process is killed at any moment, the next run has the same outputs and leaves "
    "nothing behind",
    "[long]") {
  kill_some(KillLoop::Pipeline::kCommands, 32);
}

TEST_CASE("whichever process of a training is killed at any moment, the next run ends the same",
          "[long]") {
  if (!has_worker()) SKIP("needs headway-worker");
  kill_some(KillLoop::Pipeline::kTraining, 8);
}

int soak_kills() {
  const char* text = std::getenv("HEADWAY_SOAK_KILLS");
  const int kills = text ? std::atoi(text) : 0;
  return kills > 0 ? kills : 1000;
}

TEST_CASE("soak", "[.soak]") {
  const int rounds = soak_kills();
  const unsigned seed = Catch::getSeed();
  KillLoop commands(KillLoop::Pipeline::kCommands, seed);
  KillLoop training(KillLoop::Pipeline::kTraining, seed + 1);
  int failures = 0;
  const auto summary = [&](int done) {
    std::printf("%d of %d; commands: %s; training: %s; %d failures; seed %u\n", done, rounds,
                kinds_text(commands).c_str(), kinds_text(training).c_str(), failures, seed);
    std::fflush(stdout);
  };
  for (int i = 0; i < rounds; ++i) {
    const std::string problems = (i % 5 == 4 ? training : commands).round();
    if (!problems.empty()) {
      ++failures;
      std::printf("failure %d, in round %d: %s\n", failures, i + 1, problems.c_str());
    }
    if ((i + 1) % 20 == 0 || i + 1 == rounds) summary(i + 1);
  }
  CHECK(failures == 0);
}

}  // namespace
}  // namespace headway::e2e
