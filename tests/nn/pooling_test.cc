// Each pooled feature against plain tensor operations.
#include "lib/nn/functions.h"

#include <algorithm>

#include "tests/nn/function_checks.h"

namespace headway::testing {
namespace {

using at::Tensor;

constexpr PoolFeature kEveryFeature[] = {PoolFeature::kMean,          PoolFeature::kMax,
                                         PoolFeature::kMin,           PoolFeature::kFirst,
                                         PoolFeature::kLast,          PoolFeature::kLeastDifference,
                                         PoolFeature::kMeanDifference};

// x [length, d] -> [d].
Tensor plain_feature(const Tensor& x, PoolFeature feature) {
  const std::int64_t length = x.size(0);
  switch (feature) {
    case PoolFeature::kMean:
      return x.mean(0);
    case PoolFeature::kMax:
      return std::get<0>(x.max(0));
    case PoolFeature::kMin:
      return std::get<0>(x.min(0));
    case PoolFeature::kFirst:
      return x[0];
    case PoolFeature::kLast:
      return x[length - 1];
    default:
      break;
  }
  if (length == 1) return x[0] * 0;
  const Tensor differences = x.narrow(0, 1, length - 1) - x.narrow(0, 0, length - 1);
  return feature == PoolFeature::kMeanDifference ? differences.mean(0)
                                                 : std::get<0>(differences.min(0));
}

Tensor plain_pool(const Tensor& x, std::int64_t batch, const std::vector<int>& lengths,
                  const std::vector<PoolFeature>& features) {
  const Tensor all = x.view({batch, -1, x.size(1)});
  std::vector<Tensor> rows;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (const PoolFeature feature : features) {
      rows.push_back(
          plain_feature(all[b].narrow(0, 0, lengths[static_cast<std::size_t>(b)]), feature));
    }
  }
  return at::stack(rows).view({batch, -1});
}

void check_pool(std::int64_t width, const std::vector<int>& lengths, bool padded,
                const std::vector<PoolFeature>& features) {
  const auto batch = static_cast<std::int64_t>(lengths.size());
  const std::int64_t T = *std::max_element(lengths.begin(), lengths.end());
  check_same(
      {leaf({batch * T, width}, 1)},
      [&](const auto& in) {
        return pool(in[0], batch, padded ? at::tensor(lengths, at::kInt) : Tensor(), features);
      },
      [&](const auto& in) { return plain_pool(in[0], batch, lengths, features); });
}

TEST_CASE("every pooled feature matches its name, forward and backward") {
  for (const PoolFeature feature : kEveryFeature) {
    for (const std::int64_t width : {1, 5, 8, 33}) {
      CAPTURE(static_cast<int>(feature), width);
      check_pool(width, {6, 6, 6}, false, {feature});
      check_pool(width, {6, 6, 6}, true, {feature});
      check_pool(width, {6, 1, 9, 2}, true, {feature});  // padding, and a sequence of one
      check_pool(width, {1, 1}, false, {feature});
    }
  }
}

TEST_CASE("several features are concatenated, and their gradients add up") {
  const std::vector<PoolFeature> all(std::begin(kEveryFeature), std::end(kEveryFeature));
  check_pool(5, {6, 1, 9, 2}, true, all);
  check_pool(5, {4, 4}, false, {PoolFeature::kLast, PoolFeature::kMin, PoolFeature::kLast});
}

TEST_CASE("only one of several equal extremes gets the gradient") {
  for (const PoolFeature feature :
       {PoolFeature::kMax, PoolFeature::kMin, PoolFeature::kLeastDifference}) {
    CAPTURE(static_cast<int>(feature));
    const Tensor x = at::ones({4, 3}).set_requires_grad(true);
    const Tensor slopes = torch::autograd::grad({pool(x, 1, {}, {feature}).sum()}, {x})[0];
    const bool difference = feature == PoolFeature::kLeastDifference;
    CHECK(largest_difference(slopes.sum(0), at::full({3}, difference ? 0 : 1)) == 0);
    CHECK(largest_difference(slopes.abs().sum(0), at::full({3}, difference ? 2 : 1)) == 0);
  }
}

TEST_CASE("padding neither counts nor gets a gradient") {
  Tensor x = draw({2, 5, 3}, 1);
  x[1].narrow(0, 2, 3).fill_(NAN);
  x = x.view({10, 3}).set_requires_grad(true);
  const Tensor lengths = at::tensor({5, 2}, at::kInt);
  for (const PoolFeature feature : kEveryFeature) {
    CAPTURE(static_cast<int>(feature));
    const Tensor pooled = pool(x, 2, lengths, {feature});
    CHECK(pooled.isfinite().all().item<bool>());
    const Tensor slopes = torch::autograd::grad({pooled.sum()}, {x})[0];
    CHECK(slopes.isfinite().all().item<bool>());
    CHECK(slopes.narrow(0, 7, 3).abs().max().item<float>() == 0);
  }
}

}  // namespace
}  // namespace headway::testing
