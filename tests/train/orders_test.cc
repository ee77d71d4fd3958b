// The orders in which samples are taken, and work on batches by a team.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <set>
#include <thread>

#include "lib/train/batches.h"
#include "tests/train/tiny_data.h"

namespace headway::testing {
namespace {

using Order = std::vector<std::int64_t>;

// What a sample adds to a row: its input and its target.
std::int64_t size_of(const Split& split, std::int64_t sample) {
  return split.input_size(sample) + (split.target_length > 0 ? split.target_size(sample) : 0);
}

TEST_CASE("ordering by length is ascending and stable") {
  CHECK(order_by_length(labelled({{1, 2, 3}, {5}, {1, 2}, {4}, {3, 2, 1}, {2, 1}, {6}})) ==
        Order{1, 3, 6, 2, 5, 0, 4});
  // Input and target together.
  CHECK(order_by_length(split_of(plain_legend(), {{1, 2}, {1}, {1, 2, 3}},
                                 {{4, 4, 4}, {4, 4}, {4}})) == Order{1, 2, 0});
  CHECK(order_by_length(additions(1, 4)) == Order{0, 1, 2, 3});
}

bool is_permutation_of_all(Order order, std::int64_t size) {
  std::ranges::sort(order);
  Order all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

struct Padding {
  double share = 0;    // of all places
  double largest = 0;  // of a batch's places
};
Padding padding_of(const Split& split, const Order& order, std::size_t batch) {
  std::int64_t places = 0, filled = 0;
  Padding padding;
  for (std::size_t first = 0; first < order.size(); first += batch) {
    const std::size_t count = std::min(batch, order.size() - first);
    std::int64_t longest = 0, sum = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      longest = std::max(longest, size_of(split, order[i]));
      sum += size_of(split, order[i]);
    }
    const std::int64_t room = longest * static_cast<std::int64_t>(count);
    places += room;
    filled += sum;
    padding.largest =
        std::max(padding.largest, 1 - static_cast<double>(sum) / static_cast<double>(room));
  }
  padding.share = 1 - static_cast<double>(filled) / static_cast<double>(places);
  return padding;
}

TEST_CASE("a training order takes every sample once, for any sizes") {
  for (const std::int64_t size : {1, 2, 7, 63, 64, 65, 128, 1000}) {
    for (const Split& split : {random_sequences(size, 2, 9), additions(1, size)}) {
      for (const std::int64_t batch : {1, 2, 64, 2000}) {
        for (const std::uint64_t seed : {1, 2, 3, 4}) {
          CAPTURE(size, batch, seed);
          CHECK(is_permutation_of_all(training_order(split, batch, RandomStream(seed)), size));
        }
      }
    }
  }
}

TEST_CASE("batches of uneven samples have almost no padding") {
  const Split split = random_sequences(10000, 8, 16);
  const Order order = training_order(split, 64, RandomStream(5));
  const Padding padding = padding_of(split, order, 64);
  CHECK(padding.share < 0.02);
  CHECK(padding.largest < 0.5);
  // A random order, for comparison.
  Order shuffled = order;
  RandomStream(6).shuffle(std::span(shuffled));
  CHECK(padding_of(split, shuffled, 64).share > 0.2);
  const Split sums = uneven_additions(3000);
  CHECK(padding_of(sums, training_order(sums, 64, RandomStream(5)), 64).share < 0.02);
}

// A batch between two lengths has both; none has three, except where samples were left over.
TEST_CASE("at most two lengths share a batch if all lengths have enough batches") {
  const Split split = random_sequences(64 * 40 + 17, 8, 16);
  const Order order = training_order(split, 64, RandomStream(5));
  for (std::size_t first = 0; first < order.size(); first += 64) {
    std::int64_t shortest = 99, longest = 0;
    for (std::size_t i = first; i < std::min(order.size(), first + 64); ++i) {
      shortest = std::min(shortest, split.input_size(order[i]));
      longest = std::max(longest, split.input_size(order[i]));
    }
    CAPTURE(first);
    CHECK(longest - shortest <= 1);
  }
}

TEST_CASE("whole batches are shuffled, and so are samples between batches of one length") {
  const Split split = random_sequences(10000, 8, 16);
  const Order order = training_order(split, 64, RandomStream(5));
  std::int64_t shorter = 0, longer = 0;  // batches than the one before them
  for (std::size_t first = 64; first + 64 <= order.size(); first += 64) {
    const auto length = [&](std::size_t i) { return split.input_size(order[i]); };
    shorter += length(first) < length(first - 64);
    longer += length(first) > length(first - 64);
  }
  CHECK(shorter > 40);  // of 155, were they sorted: none
  CHECK(longer > 40);
  // Two samples of one length that are together in one order seldom are in another.
  const Order other = training_order(split, 64, RandomStream(6));
  std::vector<std::size_t> batch_in_other(order.size());
  for (std::size_t i = 0; i < other.size(); ++i)
    batch_in_other[static_cast<std::size_t>(other[i])] = i / 64;
  std::int64_t together = 0;
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
    together += batch_in_other[static_cast<std::size_t>(order[i])] ==
                batch_in_other[static_cast<std::size_t>(order[i + 1])];
  }
  CHECK(together < 5000 / 8);  // of 5000 pairs; of one length there are 17 batches
}

TEST_CASE("a training order is a function of its stream") {
  for (const Split& split : {random_sequences(200, 8, 16), additions(1, 200)}) {
    const auto order = [&](std::uint64_t seed) {
      return training_order(split, 16, RandomStream(seed));
    };
    CHECK(order(1) == order(1));
    CHECK(order(1) != order(2));
  }
}

TEST_CASE("the samples in the last small batch are not always the longest") {
  const Split split = random_sequences(330, 8, 16);  // 10 more than 5 batches
  std::set<std::int64_t> last_lengths;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    last_lengths.insert(split.input_size(training_order(split, 64, RandomStream(seed)).back()));
  CHECK(last_lengths.size() >= 3);
}

TEST_CASE("a scoring batch has fewer samples the longer they are, and at least one") {
  const auto of_length = [](std::int64_t length) {
    return scoring_batch(labelled({Tokens(static_cast<std::size_t>(length), 1)}));
  };
  CHECK(of_length(3) == 128);
  CHECK(of_length(48) == 32);
  CHECK(of_length(5000) == 1);
  CHECK(scoring_batch(split_of(plain_legend(), {Tokens(32, 1)}, {Tokens(16, 1)})) == 32);
}

TEST_CASE("results of batches are added in their order, whichever is ready first") {
  const Split split = random_sequences(400, 16, 16);  // batches of 96
  const auto samples_of = [&](std::size_t team_size) {
    ThreadTeam team(team_size);
    Order added;
    add_batches<Order>(
        split, team, {},
        [](std::span<const std::int64_t> samples) {
          // The first takes longest.
          if (samples[0] == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return Order(samples.begin(), samples.end());
        },
        [&](const Order& samples) { added.insert(added.end(), samples.begin(), samples.end()); });
    return added;
  };
  CHECK(samples_of(1) == order_by_length(split));
  CHECK(samples_of(3) == order_by_length(split));
}

}  // namespace
}  // namespace headway::testing
