// Rotary positions against multiplication of complex numbers.
#include "lib/nn/functions.h"

#include <array>
#include <cmath>

#include "lib/nn/positions.h"
#include "tests/nn/function_checks.h"

namespace headway::testing {
namespace {

using at::Tensor;

AttentionSizes turned_sizes(std::int64_t B, std::int64_t H, std::int64_t T, std::int64_t D) {
  return {.batch = B, .heads = H, .queries = T, .keys = T, .head_size = D, .key_lengths = {}};
}

TEST_CASE("rotating queries and keys is multiplication by a unit complex number") {
  for (const auto& [B, H, T, D] :
       {std::array<std::int64_t, 4>{1, 1, 1, 2}, {2, 3, 5, 4}, {3, 2, 7, 10}, {2, 4, 33, 32}}) {
    CAPTURE(B, H, T, D);
    const AttentionSizes sizes = turned_sizes(B, H, T, D);
    const Tensor turns = rotary_turns(T + 3, D);
    check_same(
        {leaf({B * T, 3 * H * D}, 1)}, [&](const auto& in) { return turn(in[0], turns, sizes); },
        [&](const auto& in) {
          const Tensor pairs = in[0].view({B, T, 3, H, D / 2, 2});
          const Tensor factor =
              at::view_as_complex(turns.narrow(0, 0, T).view({T, 1, 1, D / 2, 2}));
          const Tensor turned =
              at::view_as_real(at::view_as_complex(pairs.narrow(2, 0, 2)) * factor);
          return at::cat({turned, pairs.narrow(2, 2, 1)}, 2).view({B * T, 3 * H * D});
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
  const Tensor turned = turn(same, rotary_turns(T, D), turned_sizes(1, 1, T, D));
  const Tensor scores = at::matmul(turned.narrow(1, 0, D), turned.narrow(1, D, D).t());  // [T, T]
  CHECK(largest_difference(scores.narrow(0, 0, T - 7).narrow(1, 0, T - 7),
                           scores.narrow(0, 7, T - 7).narrow(1, 7, T - 7)) < 1e-5);
  // Of the distance, and of which way: 1 ahead is not 2 ahead, nor 1 back.
  CHECK(std::abs((scores[0][1] - scores[0][2]).item<double>()) > 1e-3);
  CHECK(std::abs((scores[0][1] - scores[1][0]).item<double>()) > 1e-3);
}

}  // namespace
}  // namespace headway::testing
