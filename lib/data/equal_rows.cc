#include "lib/data/equal_rows.h"

#include <algorithm>
#include <compare>

#include "lib/numerics/random.h"

namespace headway {
namespace {

struct HashedRow {
  std::uint64_t hash = 0;
  std::int64_t row = 0;

  auto operator<=>(const HashedRow&) const = default;
};

std::uint64_t hash_of(std::span<const Token> tokens) {
  std::uint64_t hash = tokens.size();
  for (const Token token : tokens)
    hash = scatter(hash + 0x9e3779b97f4a7c15ULL + static_cast<std::uint32_t>(token));
  return hash;
}

}  // namespace

EqualRows number_rows(std::int64_t rows,
                      const std::function<std::span<const Token>(std::int64_t row)>& row) {
  std::vector<HashedRow> order;
  order.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) order.push_back({hash_of(row(i)), i});
  std::ranges::sort(order);

  // First, each row gets the first one that it is equal to.
  EqualRows equal;
  equal.number.resize(static_cast<std::size_t>(rows));
  const auto is_less = [&](const HashedRow& a, const HashedRow& b) {
    const std::span<const Token> one = row(a.row), other = row(b.row);
    const auto order_of_both =
        std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(), other.end());
    return order_of_both == 0 ? a.row < b.row : order_of_both < 0;
  };
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(begin, order.end(),
                                  [&](const HashedRow& one) { return one.hash != begin->hash; });
    const auto is_as = [&](const HashedRow& first) {
      return [&, tokens = row(first.row)](const HashedRow& one) {
        return std::ranges::equal(row(one.row), tokens);
      };
    };
    // Different rows hardly ever have the same hash, unless somebody wants them to.
    const bool are_equal = end - begin == 1 || std::all_of(begin + 1, end, is_as(*begin));
    if (!are_equal) std::sort(begin, end, is_less);
    for (; begin != end;) {
      const auto next = are_equal ? end : std::find_if_not(begin + 1, end, is_as(*begin));
      for (auto one = begin; one != next; ++one)
        equal.number[static_cast<std::size_t>(one->row)] = begin->row;
      begin = next;
    }
  }
  for (std::size_t i = 0; i < equal.number.size(); ++i) {
    const auto first = static_cast<std::size_t>(equal.number[i]);
    equal.number[i] = first == i ? equal.count++ : equal.number[first];
  }
  return equal;
}

}  // namespace headway
