// Batches of labelled sequences, and the orders they are taken in.
#include "lib/train/batches.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <set>

#include "tests/nn/tiny_classifiers.h"

namespace headway::testing {
namespace {

using Order = std::vector<std::int64_t>;

std::vector<std::int32_t> values_of(const at::Tensor& tensor) {
  const auto* first = tensor.data_ptr<std::int32_t>();
  return {first, first + tensor.numel()};
}

TEST_CASE("a batch is as long as its longest sequence, with lengths if some are shorter") {
  const LabelledSequences sequences = labelled({{5, 4}, {1, 2, 3, 4}, {7, 7, 8}, {9}});
  const ClassifierBatch batch = make_batch(sequences, Order{2, 0});
  CHECK(batch.tokens.sizes() == at::IntArrayRef({2, 3}));
  CHECK(values_of(batch.labels) == std::vector<std::int32_t>{1, 0});
  REQUIRE(batch.lengths.defined());
  CHECK(values_of(batch.lengths) == std::vector<std::int32_t>{3, 2});
  const std::vector<std::int32_t> tokens = values_of(batch.tokens);
  CHECK(std::vector(tokens.begin(), tokens.begin() + 5) ==
        std::vector<std::int32_t>{7, 7, 8, 5, 4});
  CHECK(tokens[5] >= 0);  // padding is a token that there is: it is looked up all the same
}

TEST_CASE("a batch of equally long sequences has no lengths") {
  const LabelledSequences sequences = labelled({{5, 4}, {1, 2, 3, 4}, {7, 8}});
  const ClassifierBatch batch = make_batch(sequences, Order{0, 2, 0});
  CHECK_FALSE(batch.lengths.defined());
  CHECK(values_of(batch.tokens) == std::vector<std::int32_t>{5, 4, 7, 8, 5, 4});
  CHECK(values_of(batch.labels) == std::vector<std::int32_t>{0, 1, 0});
}

TEST_CASE("ordering by length is ascending and stable") {
  const LabelledSequences sequences =
      labelled({{1, 2, 3}, {5}, {1, 2}, {4}, {3, 2, 1}, {2, 1}, {6}});
  CHECK(order_by_length(sequences) == Order{1, 3, 6, 2, 5, 0, 4});
}

bool is_permutation_of_all(Order order, std::int64_t size) {
  std::sort(order.begin(), order.end());
  Order all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

struct Padding {
  double share = 0;    // of all places
  double largest = 0;  // of a batch's places
};
Padding padding_of(const LabelledSequences& sequences, const Order& order, std::size_t batch) {
  std::int64_t places = 0, filled = 0;
  Padding padding;
  for (std::size_t first = 0; first < order.size(); first += batch) {
    const std::size_t count = std::min(batch, order.size() - first);
    std::int64_t longest = 0, sum = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      const std::int64_t length = sequences.lengths[static_cast<std::size_t>(order[i])];
      longest = std::max(longest, length);
      sum += length;
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

TEST_CASE("a bucketed order takes every sample once, for any sizes") {
  for (const std::int64_t size : {1, 2, 7, 63, 64, 65, 128, 1000}) {
    const LabelledSequences sequences = random_sequences(size, 2, 9);
    for (const std::int64_t batch : {1, 2, 64, 2000}) {
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        CAPTURE(size, batch, seed);
        const Order order = bucketed_order(sequences, batch, RandomStream(seed));
        CHECK(is_permutation_of_all(order, size));
      }
    }
  }
}

TEST_CASE("batches of a bucketed order have almost no padding") {
  const LabelledSequences sequences = random_sequences(10000, 8, 16);
  const Order order = bucketed_order(sequences, 64, RandomStream(5));
  const Padding padding = padding_of(sequences, order, 64);
  CHECK(padding.share < 0.02);
  CHECK(padding.largest < 0.5);
  // A random order, for comparison.
  Order shuffled = order;
  RandomStream(6).shuffle(std::span(shuffled));
  CHECK(padding_of(sequences, shuffled, 64).share > 0.2);
}

// A batch between two lengths has both; none has three, except where samples were left over.
TEST_CASE("at most two lengths share a batch if all lengths have enough batches") {
  const LabelledSequences sequences = random_sequences(64 * 40 + 17, 8, 16);
  const Order order = bucketed_order(sequences, 64, RandomStream(5));
  for (std::size_t first = 0; first < order.size(); first += 64) {
    std::int32_t shortest = 99, longest = 0;
    for (std::size_t i = first; i < std::min(order.size(), first + 64); ++i) {
      shortest = std::min(shortest, sequences.lengths[static_cast<std::size_t>(order[i])]);
      longest = std::max(longest, sequences.lengths[static_cast<std::size_t>(order[i])]);
    }
    CAPTURE(first);
    CHECK(longest - shortest <= 1);
  }
}

TEST_CASE("whole batches are shuffled, and so are samples between batches of one length") {
  const LabelledSequences sequences = random_sequences(10000, 8, 16);
  const Order order = bucketed_order(sequences, 64, RandomStream(5));
  std::int64_t shorter = 0, longer = 0;  // batches than the one before them
  for (std::size_t first = 64; first + 64 <= order.size(); first += 64) {
    const auto length = [&](std::size_t i) {
      return sequences.lengths[static_cast<std::size_t>(order[i])];
    };
    shorter += length(first) < length(first - 64);
    longer += length(first) > length(first - 64);
  }
  CHECK(shorter > 40);  // of 155, were they sorted: none
  CHECK(longer > 40);
  // Two samples of one length that are together in one order seldom are in another.
  const Order other = bucketed_order(sequences, 64, RandomStream(6));
  std::vector<std::size_t> batch_in_other(order.size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    batch_in_other[static_cast<std::size_t>(other[i])] = i / 64;
  }
  std::int64_t together = 0;
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
    together += batch_in_other[static_cast<std::size_t>(order[i])] ==
                batch_in_other[static_cast<std::size_t>(order[i + 1])];
  }
  CHECK(together < 5000 / 8);  // of 5000 pairs; of one length there are 17 batches
}

TEST_CASE("a bucketed order is a function of its stream") {
  const LabelledSequences sequences = random_sequences(200, 8, 16);
  const auto order = [&](std::uint64_t seed) {
    return bucketed_order(sequences, 16, RandomStream(seed));
  };
  CHECK(order(1) == order(1));
  CHECK(order(1) != order(2));
}

TEST_CASE("the samples in the last small batch are not always the longest") {
  const LabelledSequences sequences = random_sequences(330, 8, 16);  // 10 more than 5 batches
  std::set<std::int32_t> last_lengths;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Order order = bucketed_order(sequences, 64, RandomStream(seed));
    last_lengths.insert(sequences.lengths[static_cast<std::size_t>(order.back())]);
  }
  CHECK(last_lengths.size() >= 3);
}

}  // namespace
}  // namespace headway::testing
