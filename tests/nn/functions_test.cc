// Every fused function against plain tensor operations: values and gradients.
#include "lib/nn/functions.h"

#include <cmath>

#include "tests/nn/function_checks.h"

namespace headway::testing {
namespace {

using at::Tensor;

TEST_CASE("a linear layer is x W^T + b") {
  check_same(
      {leaf({5, 3}, 1), leaf({4, 3}, 2), leaf({4}, 3)},
      [](const auto& in) { return headway::linear(in[0], in[1], in[2]); },
      [](const auto& in) { return at::linear(in[0], in[1], in[2]); });
}

TEST_CASE("a linear layer without input columns is its bias") {
  check_same(
      {leaf({5, 0}, 1), leaf({4, 0}, 2), leaf({4}, 3)},
      [](const auto& in) { return headway::linear(in[0], in[1], in[2]); },
      [](const auto& in) {
        return in[2].expand({5, 4}) + in[0].sum() + in[1].sum();
      });
}

TEST_CASE("relu and dropout after a linear layer drop the right elements, forward and backward") {
  for (const double probability : {0.0, 0.4}) {
    const Dropout dropout = some_dropout(probability);
    check_same(
        {leaf({9, 6}, 1), leaf({33, 6}, 2), leaf({33}, 3)},
        [&](const auto& in) { return linear_relu_dropout(in[0], in[1], in[2], dropout); },
        [&](const auto& in) {
          return at::relu(at::linear(in[0], in[1], in[2])) * factors(dropout, {9, 33});
        });
  }
}

TEST_CASE("fused residual, dropout and norm equal the three in sequence") {
  for (const double probability : {0.0, 0.4}) {
    const Dropout dropout = some_dropout(probability);
    check_same(
        {leaf({7, 20}, 1), leaf({7, 20}, 2), leaf({20}, 3), leaf({20}, 4)},
        [&](const auto& in) { return add_norm(in[0], in[1], in[2], in[3], dropout); },
        [&](const auto& in) {
          return at::layer_norm(in[1] + in[0] * factors(dropout, {7, 20}), {20}, in[2], in[3],
                                1e-5);
        });
  }
}

TEST_CASE("a norm alone is layer normalisation") {
  check_same(
      {leaf({7, 20}, 1), leaf({20}, 2), leaf({20}, 3)},
      [](const auto& in) { return norm(in[0], in[1], in[2]); },
      [](const auto& in) { return at::layer_norm(in[0], {20}, in[1], in[2], 1e-5); });
}

TEST_CASE("a branch is dropped, and added to a residual if there is one") {
  for (const double probability : {0.0, 0.4}) {
    const Dropout dropout = some_dropout(probability);
    check_same(
        {leaf({7, 20}, 1), leaf({7, 20}, 2)},
        [&](const auto& in) { return add_dropped(in[0], in[1], dropout); },
        [&](const auto& in) {
          return in[1] + in[0] * factors(dropout, {7, 20});
        });
    check_same(
        {leaf({7, 20}, 1)}, [&](const auto& in) { return add_dropped(in[0], {}, dropout); },
        [&](const auto& in) {
          return in[0] * factors(dropout, {7, 20});
        });
  }
}

TEST_CASE("embedding scales, adds positions and applies dropout") {
  const Tensor tokens = at::tensor({3, 0, 3, 1, 2, 3}, at::kInt).view({2, 3});
  const Tensor positions = draw({3, 8}, 5);
  for (const double probability : {0.0, 0.4}) {
    const Dropout dropout = some_dropout(probability);
    check_same(
        {leaf({4, 8}, 1)},
        [&](const auto& in) { return embed(tokens, in[0], positions, 2.5, dropout); },
        [&](const auto& in) {
          const Tensor rows = at::embedding(in[0], tokens.to(at::kLong)) * 2.5;
          return (rows + positions).view({6, 8}) * factors(dropout, {6, 8});
        });
  }
}

TEST_CASE("learned positions get the sum of the gradients of the tokens at their position") {
  const Tensor tokens = at::tensor({3, 0, 3, 1, 2, 3}, at::kInt).view({2, 3});
  for (const double probability : {0.0, 0.4}) {
    const Dropout dropout = some_dropout(probability);
    check_same(
        {leaf({4, 5}, 1), leaf({3, 5}, 2)},
        [&](const auto& in) { return embed(tokens, in[0], in[1], 2.5, dropout); },
        [&](const auto& in) {
          const Tensor rows = at::embedding(in[0], tokens.to(at::kLong)) * 2.5;
          return (rows + in[1]).view({6, 5}) * factors(dropout, {6, 5});
        });
  }
}

TEST_CASE("each token of each sample can have a position of its own") {
  const Tensor tokens = at::tensor({3, 0, 3, 1, 2, 3}, at::kInt).view({2, 3});
  for (const double probability : {0.0, 0.4}) {
    const Dropout dropout = some_dropout(probability);
    check_same(
        {leaf({4, 5}, 1), leaf({6, 5}, 2)},
        [&](const auto& in) { return embed(tokens, in[0], in[1], 2.5, dropout); },
        [&](const auto& in) {
          const Tensor rows = at::embedding(in[0], tokens.to(at::kLong)) * 2.5;
          return (rows.view({6, 5}) + in[1]) * factors(dropout, {6, 5});
        });
  }
}

TEST_CASE("embedding without positions gives the scaled rows of its table") {
  const Tensor tokens = at::tensor({3, 0, 3, 1, 2, 3}, at::kInt).view({2, 3});
  for (const double probability : {0.0, 0.4}) {
    const Dropout dropout = some_dropout(probability);
    check_same(
        {leaf({4, 5}, 1)}, [&](const auto& in) { return embed(tokens, in[0], {}, 2.5, dropout); },
        [&](const auto& in) {
          const Tensor rows = at::embedding(in[0], tokens.to(at::kLong)) * 2.5;
          return rows.view({6, 5}) * factors(dropout, {6, 5});
        });
  }
}

// Attention by whole-tensor operations. q [B, T, H, D], k and v [B, S, H, D] -> [B, T, H, D].
Tensor plain_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                       const AttentionSizes& sizes, const Dropout& dropout) {
  const auto& [B, H, T, S, D, causal, lengths, keep_weights] = sizes;
  Tensor scores = at::matmul(q.permute({0, 2, 1, 3}), k.permute({0, 2, 3, 1})) /
                  std::sqrt(static_cast<double>(D));  // [B, H, T, S]
  Tensor hidden = at::zeros({B, 1, T, S}, at::kBool);
  if (causal) hidden = hidden | at::ones({T, S}, at::kBool).triu(1 + S - T);
  if (lengths.defined()) hidden = hidden | (at::arange(S) >= lengths.view({B, 1, 1, 1}));
  const Tensor weights = at::softmax(scores.masked_fill(hidden, -INFINITY), -1);
  return at::matmul(weights * factors(dropout, {B, H, T, S}), v.permute({0, 2, 1, 3}))
      .permute({0, 2, 1, 3});
}

struct AttentionCase {
  std::int64_t B, H, T, S, D;
  bool causal, padded;
};
const AttentionCase kCases[] = {
    {2, 3, 5, 5, 8, false, false},  {2, 3, 5, 5, 8, true, false}, {3, 2, 7, 7, 5, false, true},
    {3, 2, 9, 9, 16, true, true},   {1, 1, 1, 1, 1, true, false}, {2, 2, 17, 17, 32, false, true},
    {3, 2, 4, 4, 32, true, true},   {2, 2, 6, 6, 40, true, true}, {4, 1, 8, 8, 16, false, true},
    {2, 1, 50, 50, 8, true, false},
};

AttentionSizes sizes_of(const AttentionCase& test) {
  AttentionSizes sizes{test.B, test.H, test.T, test.S, test.D, test.causal, {}};
  if (test.padded) {
    sizes.key_lengths = at::arange(1, test.B + 1, at::kInt) + static_cast<int>(test.S - test.B);
  }
  return sizes;
}

TEST_CASE("self attention is softmax(q k^T / sqrt(D)) v, with mask and dropout") {
  for (const AttentionCase& test : kCases) {
    for (const double probability : {0.0, 0.3}) {
      CAPTURE(test.B, test.T, test.D, test.causal, test.padded, probability);
      const AttentionSizes sizes = sizes_of(test);
      const Dropout dropout = some_dropout(probability);
      check_same(
          {leaf({test.B * test.T, 3 * test.H * test.D}, 1)},
          [&](const auto& in) { return self_attention(in[0], {}, sizes, dropout).z; },
          [&](const auto& in) {
            const Tensor qkv = in[0].view({test.B, test.T, 3, test.H, test.D});
            return plain_attention(qkv.select(2, 0), qkv.select(2, 1), qkv.select(2, 2), sizes,
                                   dropout);
          });
    }
  }
}

TEST_CASE("cross attention takes its keys and values from elsewhere") {
  for (AttentionCase test : kCases) {
    test.S += 2;
    for (const double probability : {0.0, 0.3}) {
      CAPTURE(test.B, test.T, test.S, test.D, test.causal, test.padded, probability);
      const AttentionSizes sizes = sizes_of(test);
      const Dropout dropout = some_dropout(probability);
      check_same(
          {leaf({test.B * test.T, test.H * test.D}, 1),
           leaf({test.B * test.S, 2 * test.H * test.D}, 2)},
          [&](const auto& in) { return cross_attention(in[0], in[1], {}, sizes, dropout).z; },
          [&](const auto& in) {
            const Tensor kv = in[1].view({test.B, test.S, 2, test.H, test.D});
            return plain_attention(in[0].view({test.B, test.T, test.H, test.D}), kv.select(2, 0),
                                   kv.select(2, 1), sizes, dropout);
          });
    }
  }
}

TEST_CASE("cross attention may have many more queries than keys") {
  for (const std::int64_t queries : {21, 64}) {
    for (const std::int64_t keys : {1, 4, 40}) {
      CAPTURE(queries, keys);
      const AttentionSizes sizes = sizes_of({1, 2, queries, keys, 8, false, false});
      check_same(
          {leaf({queries, 16}, 1), leaf({keys, 32}, 2)},
          [&](const auto& in) { return cross_attention(in[0], in[1], {}, sizes, {}).z; },
          [&](const auto& in) {
            const Tensor kv = in[1].view({1, keys, 2, 2, 8});
            return plain_attention(in[0].view({1, queries, 2, 8}), kv.select(2, 0), kv.select(2, 1),
                                   sizes, {});
          });
    }
  }
}

TEST_CASE("attention weights sum to 1 over the visible keys") {
  const AttentionSizes sizes = sizes_of({3, 2, 7, 7, 5, true, true});
  const Tensor weights =
      self_attention(draw({21, 30}, 1), {}, sizes, some_dropout(0.3)).weights;  // [3, 2, 7, 7]
  CHECK(largest_difference(weights.sum(-1), at::ones({3, 2, 7})) < 1e-5);
  CHECK(weights.triu(1).abs().max().item<float>() == 0);
  CHECK(weights[0].narrow(-1, 5, 2).abs().max().item<float>() == 0);  // the first sample has 5 keys
  CHECK(weights[2].narrow(-1, 6, 1).abs().max().item<float>() > 0);   // the last one all 7
}

TEST_CASE("a query that sees no key has weights and result 0, however many keys there are") {
  for (const std::int64_t length : {7, 9}) {
    for (const std::int64_t size : {5, 8}) {
      AttentionSizes sizes = sizes_of({3, 2, length, length, size, false, false});
      sizes.key_lengths = at::tensor({0, 3, 0}, at::kInt);
      const Tensor qkv = leaf({3 * length, 3 * 2 * size}, 1);
      const AttentionResult result = self_attention(qkv, {}, sizes, {});
      for (const std::int64_t sample : {0, 2}) {
        CHECK(result.weights.select(0, sample).abs().max().item<float>() == 0);
        CHECK(result.z.select(0, sample).abs().max().item<float>() == 0);
      }
      CHECK(largest_difference(result.weights.select(0, 1).sum(2), at::ones({2, length})) < 1e-6);
      const auto slopes = torch::autograd::grad({result.z.sum()}, {qkv});
      CHECK(slopes[0].isfinite().all().item<bool>());
    }
  }
}

TEST_CASE("rows are taken by their numbers, and get the sum of the gradients of their copies") {
  const Tensor numbers = at::tensor({2, 0, 2, 3, 2}, at::kInt);
  check_same(
      {leaf({4, 5}, 1)}, [&](const auto& in) { return take_rows(in[0], numbers); },
      [&](const auto& in) { return at::index_select(in[0], 0, numbers.to(at::kLong)); });
}

TEST_CASE("cross entropy sums over everything but padding") {
  const Tensor targets = at::tensor({2, 9, 0, 4, 9}, at::kInt);
  check_same(
      {leaf({5, 6}, 1)}, [&](const auto& in) { return cross_entropy_sum(in[0], targets, 9, 0.25); },
      [&](const auto& in) {
        const Tensor kept = at::tensor({0, 2, 3}, at::kLong);
        const Tensor wanted = targets.to(at::kLong).index_select(0, kept);
        const Tensor picked = at::log_softmax(in[0], 1).index_select(0, kept);
        return -picked.gather(1, wanted.unsqueeze(1)).sum() * 0.25;
      });
}

TEST_CASE("dropout keeps the right share, and a different key keeps different elements") {
  DropoutStream stream({0.1, 0}, RandomStream(7));
  const Dropout first = stream.next(), second = stream.next();
  int kept = 0, same = 0, neighbours = 0;
  constexpr int kCount = 100000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const bool mine = first.factor(i) > 0;
    kept += mine;
    same += mine == (second.factor(i) > 0);
    neighbours += !mine && first.factor(i + 1) == 0;
  }
  CHECK(std::abs(kept - 0.9 * kCount) < 400);         // 4 deviations
  CHECK(std::abs(same - 0.82 * kCount) < 500);        // 0.9^2 + 0.1^2
  CHECK(std::abs(neighbours - 0.01 * kCount) < 130);  // 0.1^2
}

}  // namespace
}  // namespace headway::testing
