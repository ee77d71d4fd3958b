#include "lib/numerics/random.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <numeric>
#include <set>
#include <vector>

namespace headway {
namespace {

using Catch::Matchers::WithinAbs;

TEST_CASE("the generator is SplitMix64, draw for draw", "[random]") {
  // From the reference implementation (Steele, Lea and Flood), which starts at the state itself.
  std::uint64_t state = 1234567;
  const auto reference = [&] { return scatter(state += 0x9e3779b97f4a7c15ULL); };
  CHECK(reference() == 6457827717110365317ULL);
  CHECK(reference() == 3203168211198807973ULL);
  CHECK(reference() == 9817491932198370423ULL);
}

TEST_CASE("a stream is determined by its seed and its purpose, in order", "[random]") {
  std::set<std::uint64_t> firsts;
  firsts.insert(RandomStream(1).next());
  firsts.insert(RandomStream(2).next());
  firsts.insert(RandomStream(1, {0}).next());
  firsts.insert(RandomStream(1, {1}).next());
  firsts.insert(RandomStream(1, {0, 1}).next());
  firsts.insert(RandomStream(1, {1, 0}).next());
  firsts.insert(RandomStream(0, {1}).next());
  CHECK(firsts.size() == 7);
  CHECK(RandomStream(1, {0, 1}).next() == RandomStream(1, {0, 1}).next());
}

TEST_CASE("draws below a bound are uniform over all values", "[random]") {
  RandomStream random(3);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) CHECK_THAT(count, WithinAbs(10'000, 500));
}

TEST_CASE("a bound of one leaves only one value to draw", "[random]") {
  RandomStream random(3);
  for (int i = 0; i < 10; ++i) CHECK(random.below(1) == 0);
}

TEST_CASE("draws below a bound near 2^64 have no bias", "[random]") {
  RandomStream random(5);
  const std::uint64_t bound = 3ULL << 62;  // with a plain remainder, the lowest third comes twice
  int low = 0;
  for (int i = 0; i < 30'000; ++i) low += random.below(bound) < bound / 3;
  CHECK_THAT(low, WithinAbs(10'000, 400));
}

TEST_CASE("uniform draws lie between 0 and 1 with the right mean and spread", "[random]") {
  RandomStream random(7);
  double sum = 0, squares = 0, most = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = random.uniform();
    REQUIRE(draw >= 0);
    sum += draw;
    squares += draw * draw;
    most = std::max(most, draw);
  }
  CHECK(most < 1);
  CHECK_THAT(sum / kDraws, WithinAbs(0.5, 0.005));
  CHECK_THAT(squares / kDraws, WithinAbs(1.0 / 3, 0.005));
}

TEST_CASE("every order of three items is equally likely after a shuffle", "[random]") {
  RandomStream random(11);
  std::array<int, 6> counts{};
  for (int i = 0; i < 12'000; ++i) {
    std::vector<int> items = {0, 1, 2};
    random.shuffle(std::span(items));
    ++counts.at(static_cast<std::size_t>(items[0] * 2 + (items[1] > items[2])));
  }
  for (const int count : counts) CHECK_THAT(count, WithinAbs(2'000, 200));
}

TEST_CASE("a shuffle keeps the items", "[random]") {
  std::vector<int> items(100), sorted(100);
  std::iota(sorted.begin(), sorted.end(), 0);
  items = sorted;
  RandomStream(13).shuffle(std::span(items));
  CHECK(items != sorted);
  std::sort(items.begin(), items.end());
  CHECK(items == sorted);
}

}  // namespace
}  // namespace headway
