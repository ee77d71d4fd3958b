// Attention whose scores have a bias by distance, against plain tensor operations.
#include <c10/core/GradMode.h>

#include <cmath>

#include "lib/nn/functions.h"
#include "tests/nn/function_checks.h"

namespace headway::testing {
namespace {

using at::Tensor;

struct BiasCase {
  std::int64_t T, D, R;
};
// Queries go four at a time and dimensions eight at a time: whole groups, and some left over.
const BiasCase kBiasCases[] = {{1, 3, 1},  {1, 8, 4},   {2, 4, 2},    {5, 5, 5},   {8, 8, 8},
                               {5, 12, 9}, {33, 1, 33}, {33, 16, 40}, {70, 6, 70}, {70, 32, 77}};
constexpr std::int64_t kBatch = 3, kHeads = 2;

AttentionSizes biased_sizes(const BiasCase& test, bool padded) {
  AttentionSizes sizes{.batch = kBatch,
                       .heads = kHeads,
                       .queries = test.T,
                       .keys = test.T,
                       .head_size = test.D,
                       .key_lengths = {}};
  if (padded) {
    sizes.key_lengths = at::tensor(
        {static_cast<int>(test.T), static_cast<int>((test.T + 1) / 2), 1}, at::kInt);  // [B]
  }
  return sizes;
}

// int64 [B, n].
Tensor places(const Tensor& positions, std::int64_t count) {
  return positions.defined() ? positions.to(at::kLong) : at::arange(count).expand({kBatch, count});
}

// q [B, T, H, D], k and v [B, S, H, D] -> [B, T, H, D]. A query that sees nothing has weights 0,
// where softmax would be undefined.
Tensor biased_attention(const Tensor& q, const Tensor& k, const Tensor& v, const ScoreBias& bias,
                        const AttentionSizes& sizes, const Dropout& dropout) {
  const std::int64_t T = sizes.queries, S = sizes.keys, reach = (bias.values.size(1) + 1) / 2;
  const Tensor distance = places(bias.key_positions, S).unsqueeze(1) -
                          places(bias.query_positions, T).unsqueeze(2);  // [B, T, S]
  const Tensor by_pair = bias.values.index_select(1, (distance + reach - 1).flatten())
                             .view({kHeads, kBatch, T, S})
                             .transpose(0, 1);
  Tensor hidden = by_pair.isinf();
  if (sizes.key_lengths.defined())
    hidden = hidden | (at::arange(S) >= sizes.key_lengths.view({-1, 1, 1, 1}));
  if (sizes.causal) hidden = hidden | at::ones({T, S}, at::kBool).triu(1 + S - T);
  const Tensor scores = at::matmul(q.transpose(1, 2), k.permute({0, 2, 3, 1})) /
                            std::sqrt(static_cast<double>(sizes.head_size)) +
                        by_pair.masked_fill(by_pair.isinf(), 0);  // [B, H, T, S]
  const Tensor weights = at::softmax(scores.masked_fill(hidden, -1e30), -1).masked_fill(hidden, 0);
  return at::matmul(weights * factors(dropout, weights.sizes()), v.transpose(1, 2)).transpose(1, 2);
}

Tensor biased_self_attention(const Tensor& flat, const ScoreBias& bias, const AttentionSizes& sizes,
                             const Dropout& dropout) {
  const Tensor qkv = flat.view({kBatch, sizes.queries, 3, kHeads, sizes.head_size});
  return biased_attention(qkv.select(2, 0), qkv.select(2, 1), qkv.select(2, 2), bias, sizes,
                          dropout);
}

void check_bias(const BiasCase& test, const Tensor& bias) {
  for (const bool padded : {false, true}) {
    for (const double probability : {0.0, 0.3}) {
      CAPTURE(test.T, test.D, test.R, padded, probability);
      const AttentionSizes sizes = biased_sizes(test, padded);
      const Dropout dropout = some_dropout(probability);
      check_same(
          {leaf({kBatch * test.T, 3 * kHeads * test.D}, 1), bias},
          [&](const auto& in) {
            return self_attention(in[0], {in[1], {}, {}}, sizes, dropout).z;
          },
          [&](const auto& in) {
            return biased_self_attention(in[0], {in[1], {}, {}}, sizes, dropout);
          });
    }
  }
}

Tensor drawn_bias(const BiasCase& test) {
  return draw({kHeads, 2 * test.R - 1}, 2) * 2;
}

// The first head looks back only, itself included; the second ahead only, itself excluded, so that
// the last query sees no key, nor does one in the padding.
Tensor directional_bias(const BiasCase& test) {
  Tensor bias = drawn_bias(test);
  bias[0].narrow(0, test.R, test.R - 1).fill_(-INFINITY);
  bias[1].narrow(0, 0, test.R).fill_(-INFINITY);
  return bias;
}

TEST_CASE("a distance bias is added to scores, and has a gradient") {
  for (const BiasCase& test : kBiasCases)
    check_bias(test, drawn_bias(test).set_requires_grad(true));
}

TEST_CASE("a bias of minus infinity hides keys, even from all queries, and gradients stay finite") {
  for (const BiasCase& test : kBiasCases) {
    check_bias(test, directional_bias(test).set_requires_grad(true));
  }
}

TEST_CASE("a fixed bias leaves the other gradients unchanged") {
  for (const BiasCase& test : kBiasCases) check_bias(test, directional_bias(test));
}

// Positions below R, not in order.
Tensor drawn_positions(std::int64_t count, std::int64_t reach, std::uint64_t seed) {
  return draw({kBatch, count}, seed).abs().mul(static_cast<double>(reach)).to(at::kInt);
}

TEST_CASE("a distance can be that of positions that each sample has of its own") {
  for (const BiasCase& test : kBiasCases) {
    for (const bool padded : {false, true}) {
      CAPTURE(test.T, test.D, test.R, padded);
      const AttentionSizes sizes = biased_sizes(test, padded);
      const Dropout dropout = some_dropout(0.3);
      const Tensor positions = drawn_positions(test.T, test.R, 4);
      check_same(
          {leaf({kBatch * test.T, 3 * kHeads * test.D}, 1),
           directional_bias(test).set_requires_grad(true)},
          [&](const auto& in) {
            return self_attention(in[0], {in[1], positions, positions}, sizes, dropout).z;
          },
          [&](const auto& in) {
            return biased_self_attention(in[0], {in[1], positions, positions}, sizes, dropout);
          });
    }
  }
}

TEST_CASE("queries and keys of different sequences have distances by their positions") {
  for (const BiasCase& test : kBiasCases) {
    for (const bool causal : {false, true}) {
      CAPTURE(test.T, test.D, test.R, causal);
      AttentionSizes sizes = biased_sizes(test, false);
      sizes.keys += 2;
      sizes.causal = causal;
      const Tensor queries = drawn_positions(test.T, test.R, 4);
      const Tensor keys = drawn_positions(sizes.keys, test.R, 5);
      check_same(
          {leaf({kBatch * test.T, kHeads * test.D}, 1),
           leaf({kBatch * sizes.keys, 2 * kHeads * test.D}, 2),
           drawn_bias(test).set_requires_grad(true)},
          [&](const auto& in) {
            return cross_attention(in[0], in[1], {in[2], queries, keys}, sizes, {}).z;
          },
          [&](const auto& in) {
            const Tensor kv = in[1].view({kBatch, sizes.keys, 2, kHeads, test.D});
            return biased_attention(in[0].view({kBatch, test.T, kHeads, test.D}), kv.select(2, 0),
                                    kv.select(2, 1), {in[2], queries, keys}, sizes, {});
          });
    }
  }
}

TEST_CASE("positions that are counted give the same bytes as none") {
  for (const BiasCase& test : kBiasCases) {
    const AttentionSizes sizes = biased_sizes(test, true);
    const Tensor qkv = draw({kBatch * test.T, 3 * kHeads * test.D}, 1);
    const Tensor bias = directional_bias(test);
    const Tensor counted = places({}, test.T).to(at::kInt).contiguous();
    CHECK(at::equal(self_attention(qkv, {bias, counted, counted}, sizes, {}).z,
                    self_attention(qkv, {bias, {}, {}}, sizes, {}).z));
  }
}

TEST_CASE("a bias of zero everywhere has no effect") {
  const BiasCase test{33, 12, 40};
  const AttentionSizes sizes = biased_sizes(test, true);
  const Tensor qkv = draw({kBatch * test.T, 3 * kHeads * test.D}, 1);
  const AttentionResult with = self_attention(qkv, {at::zeros({kHeads, 79}), {}, {}}, sizes, {});
  const AttentionResult without = self_attention(qkv, {}, sizes, {});
  CHECK(largest_difference(with.z, without.z) < 1e-6);
  CHECK(largest_difference(with.weights, without.weights) < 1e-6);
}

TEST_CASE("weights sum to 1 over the keys left by a bias, and are 0 if none are left") {
  const BiasCase test{5, 5, 7};
  const AttentionSizes sizes = biased_sizes(test, false);
  const Tensor qkv = draw({kBatch * 5, 3 * kHeads * 5}, 1);
  const AttentionResult result = self_attention(qkv, {directional_bias(test), {}, {}}, sizes, {});
  CHECK(largest_difference(result.weights.select(1, 0).sum(-1), at::ones({kBatch, 5})) < 1e-5);
  CHECK(result.weights.select(1, 0).triu(1).abs().max().item<float>() == 0);
  CHECK(result.weights.select(1, 1).tril().abs().max().item<float>() == 0);
  CHECK(result.weights.select(1, 1).select(1, 4).abs().max().item<float>() == 0);  // the last query
  CHECK(result.z.select(1, 4).select(1, 1).abs().max().item<float>() == 0);
  CHECK(largest_difference(result.weights.select(1, 1).narrow(1, 0, 4).sum(-1),
                           at::ones({kBatch, 4})) < 1e-5);
}

TEST_CASE("outputs are the same if weights are not kept") {
  for (const BiasCase& test : kBiasCases) {
    for (const double probability : {0.0, 0.3}) {
      CAPTURE(test.T, test.D, probability);
      const c10::AutoGradMode without_gradients(false);
      AttentionSizes sizes = biased_sizes(test, true);
      const Tensor qkv = draw({kBatch * test.T, 3 * kHeads * test.D}, 1);
      const Tensor bias = directional_bias(test);
      const AttentionResult kept =
          self_attention(qkv, {bias, {}, {}}, sizes, some_dropout(probability));
      CHECK(kept.weights.sizes() == at::IntArrayRef({kBatch, kHeads, test.T, test.T}));
      sizes.keep_weights = false;
      const AttentionResult dropped =
          self_attention(qkv, {bias, {}, {}}, sizes, some_dropout(probability));
      CHECK_FALSE(dropped.weights.defined());
      CHECK(largest_difference(kept.z, dropped.z) == 0);
    }
  }
}

TEST_CASE("weights needed by a gradient are always kept") {
  const BiasCase test{5, 5, 5};
  AttentionSizes sizes = biased_sizes(test, true);
  sizes.keep_weights = false;
  check_same(
      {leaf({kBatch * 5, 3 * kHeads * 5}, 1), drawn_bias(test).set_requires_grad(true)},
      [&](const auto& in) {
        return self_attention(in[0], {in[1], {}, {}}, sizes, {}).z;
      },
      [&](const auto& in) {
        return biased_self_attention(in[0], {in[1], {}, {}}, sizes, {});
      });
}

TEST_CASE("a bias so large that one key outweighs all others gives no NaN") {
  const BiasCase test{33, 8, 33};
  const AttentionSizes sizes = biased_sizes(test, true);
  Tensor bias = at::full({kHeads, 65}, -1e4F);
  bias.select(1, 32).fill_(1e4);  // each its own
  const Tensor qkv = draw({kBatch * 33, 3 * kHeads * 8}, 1);
  const Tensor values = qkv.view({kBatch, 33, 3, kHeads, 8}).select(2, 2);
  const Tensor z = self_attention(qkv, {bias, {}, {}}, sizes, {}).z;
  CHECK(largest_difference(z[0], values[0]) < 1e-6);  // the sample without padding
  CHECK(z.isfinite().all().item<bool>());
}

TEST_CASE("a NaN query gives NaN, and does not count as a query without keys") {
  const AttentionSizes sizes = biased_sizes({5, 8, 5}, false);
  Tensor qkv = draw({kBatch * 5, 3 * kHeads * 8}, 1);
  qkv[2].narrow(0, 0, 8).fill_(NAN);  // the query of head 0 at place 2 of sample 0
  const std::vector<Tensor> biases = {Tensor(), drawn_bias({5, 8, 5})};
  for (const Tensor& bias : biases) {
    CAPTURE(bias.defined());
    const Tensor z = self_attention(qkv, {bias, {}, {}}, sizes, {}).z;
    CHECK(z[0][2][0].isnan().all().item<bool>());
    CHECK(z.isnan().sum().item<std::int64_t>() == 8);
  }
}

}  // namespace
}  // namespace headway::testing
