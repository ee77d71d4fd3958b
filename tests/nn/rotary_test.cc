// Rotary positions against multiplication of complex numbers.
#include "lib/nn/functions.h"

#include <cmath>

#include "lib/nn/positions.h"
#include "tests/nn/function_checks.h"

namespace headway::testing {
namespace {

using at::Tensor;

// By the factors [B or 1, T, D / 2, 2] of each position. x [B * T, parts * H * D].
Tensor turned_plainly(const Tensor& x, const Tensor& factors, std::int64_t B,
                      const TurnSizes& sizes) {
  const auto& [T, H, P, turned] = sizes;
  const std::int64_t D = x.size(1) / (P * H);
  const Tensor pairs = x.view({B, T, P, H, D / 2, 2});
  const Tensor factor = at::view_as_complex(factors.view({-1, T, 1, 1, D / 2, 2}).contiguous());
  const Tensor product = at::view_as_real(at::view_as_complex(pairs.narrow(2, 0, turned)) * factor);
  return at::cat({product, pairs.narrow(2, turned, P - turned)}, 2).view({B * T, P * H * D});
}

struct RotaryCase {
  std::int64_t B, H, T, D;
};
const RotaryCase kRotaryCases[] = {{1, 1, 1, 2}, {2, 3, 5, 4}, {3, 2, 7, 10}, {2, 4, 33, 32}};

TEST_CASE("rotating is multiplication by a unit complex number") {
  for (const auto& [B, H, T, D] : kRotaryCases) {
    // Queries, keys and values of self-attention; queries of cross-attention; its keys and values.
    for (const TurnSizes& sizes : {TurnSizes{T, H, 3, 2}, {T, H, 1, 1}, {T, H, 2, 1}}) {
      CAPTURE(B, H, T, D, sizes.parts);
      const Tensor turns = rotary_turns(T + 3, D);
      check_same(
          {leaf({B * T, sizes.parts * H * D}, 1)},
          [&](const auto& in) { return turn(in[0], turns, {}, sizes); },
          [&](const auto& in) { return turned_plainly(in[0], turns.narrow(0, 0, T), B, sizes); });
    }
  }
}

TEST_CASE("each token can be rotated by a position of its own") {
  for (const auto& [B, H, T, D] : kRotaryCases) {
    CAPTURE(B, H, T, D);
    const TurnSizes sizes{T, H, 3, 2};
    const Tensor turns = rotary_turns(50, D);
    const Tensor positions = draw({B, T}, 4).abs().mul(50).to(at::kInt);
    check_same(
        {leaf({B * T, 3 * H * D}, 1)},
        [&](const auto& in) { return turn(in[0], turns, positions, sizes); },
        [&](const auto& in) {
          return turned_plainly(in[0], turns.index_select(0, positions.flatten()), B, sizes);
        });
  }
}

TEST_CASE("the angles of rope are those of the sinusoidal positions") {
  const Tensor turns = rotary_turns(50, 8).view({50, 4, 2});
  const Tensor waves = sinusoidal_positions(50, 8).view({50, 4, 2});
  CHECK(largest_difference(turns.select(2, 0), waves.select(2, 1)) == 0);  // cosines
  CHECK(largest_difference(turns.select(2, 1), waves.select(2, 0)) == 0);  // sines
}

TEST_CASE("scores of the same vectors depend only on their distance") {
  const std::int64_t T = 40, D = 8;
  const Tensor same = draw({1, 3 * D}, 3).expand({T, 3 * D}).contiguous();
  const Tensor turned = turn(same, rotary_turns(T, D), {}, {T, 1, 3, 2});
  const Tensor scores = at::matmul(turned.narrow(1, 0, D), turned.narrow(1, D, D).t());  // [T, T]
  CHECK(largest_difference(scores.narrow(0, 0, T - 7).narrow(1, 0, T - 7),
                           scores.narrow(0, 7, T - 7).narrow(1, 7, T - 7)) < 1e-5);
  // Of the distance, and of which way: 1 ahead is not 2 ahead, nor 1 back.
  CHECK(std::abs((scores[0][1] - scores[0][2]).item<double>()) > 1e-3);
  CHECK(std::abs((scores[0][1] - scores[1][0]).item<double>()) > 1e-3);
}

}  // namespace
}  // namespace headway::testing
