#include "lib/nn/repeats.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <vector>

namespace headway {

using at::Tensor;

std::optional<Occurrences> find_occurrences(const Tensor& tokens, std::int64_t vocabulary,
                                            bool by_place) {
  constexpr std::int32_t kUnseen = -1;
  constexpr std::int64_t kMostKinds = 64;  // for each row
  const std::int64_t rows = tokens.numel(), length = tokens.size(1);
  const std::int64_t most = rows / 2;  // distinct ones that are worth it
  if (most == 0) return std::nullopt;
  const std::int64_t kinds = by_place ? vocabulary * length : vocabulary;
  if (kinds > kMostKinds * rows) return std::nullopt;  // the table of kinds would take too long
  std::vector<std::int32_t> number_of(static_cast<std::size_t>(kinds), kUnseen);
  std::vector<std::int64_t> firsts;  // the row where each was first seen
  Tensor numbers = at::empty({rows}, at::kInt);
  const auto* token = tokens.data_ptr<std::int32_t>();
  auto* number = numbers.data_ptr<std::int32_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t kind = by_place ? token[row] * length + row % length : token[row];
    std::int32_t& known = number_of[static_cast<std::size_t>(kind)];
    if (known == kUnseen) {
      if (std::ssize(firsts) == most) return std::nullopt;
      known = static_cast<std::int32_t>(firsts.size());
      firsts.push_back(row);
    }
    number[row] = known;
  }
  Occurrences found{at::empty({std::ssize(firsts), 1}, at::kInt),
                    at::empty({std::ssize(firsts)}, at::kLong), numbers};
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    found.tokens.data_ptr<std::int32_t>()[i] = token[firsts[i]];
    found.places.data_ptr<std::int64_t>()[i] = firsts[i] % length;
  }
  return found;
}

}  // namespace headway
