// Rows that a batch has many times: a token's embedding at a position depends on nothing else. What
// is computed of them alone, as the first block's projections are, need be computed only once.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace headway {

struct Repeats {
  at::Tensor distinct;  // [P, d]
  at::Tensor numbers;   // int32 [N]: which of them each row is; undefined: rows are not repeated

  bool are_there() const { return numbers.defined(); }
};

// The distinct tokens of a batch, or pairs of a token and its place in the sequence.
struct Occurrences {
  at::Tensor tokens;   // int32 [P, 1]
  at::Tensor places;   // int64 [P]
  at::Tensor numbers;  // int32 [N]: of each token's own, with N = B * T
};
// Of tokens int32 [B, T] below `vocabulary`. Nothing if it would save little.
std::optional<Occurrences> find_occurrences(const at::Tensor& tokens, std::int64_t vocabulary,
                                            bool by_place);

}  // namespace headway
