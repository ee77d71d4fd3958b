#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "lib/extrapolation/shares.h"
#include "lib/extrapolation/sorting.h"

namespace headway {
namespace {

constexpr double kMostValues = 1e9;      // of all sequences; limited by memory
constexpr double kSafelyMany = 0x1p+53;  // different sequences: enough to stop counting

// Sequences of one kind and length: how many exist, and how many val and test need.
struct SequenceKind {
  const char* what;
  double (*different)(std::int64_t length, std::int64_t range);
  std::int64_t val = 0;
  std::int64_t test = 0;
};

// The number of sorted sequences of a length: (length + range - 1 choose length).
double count_sorted(std::int64_t length, std::int64_t range) {
  const std::int64_t factors = std::min(length, range - 1);
  double count = 1;
  for (std::int64_t i = 1; i <= factors && count < kSafelyMany; ++i) {
    count *= static_cast<double>(length + range - 1 - factors + i) / static_cast<double>(i);
  }
  return std::round(std::min(count, kSafelyMany));
}
double count_unsorted(std::int64_t length, std::int64_t range) {
  const double all = std::pow(static_cast<double>(range), static_cast<double>(length));
  return all < kSafelyMany ? all - count_sorted(length, range) : kSafelyMany;
}
// The number with one pair of unequal neighbours swapped. The sorted sequence rises by at least one
// there; without that one it is any sorted sequence of a range smaller by one.
double count_adjacent(std::int64_t length, std::int64_t range) {
  return static_cast<double>(length - 1) * count_sorted(length, range - 1);
}

std::vector<SequenceKind> kinds_held_out(const SortingRecipe& recipe, const SortingSizes& sizes) {
  const auto kinds_of = [&](std::int64_t count) {
    const std::int64_t sorted = rounded_share(count, recipe.sorted);
    const double share = recipe.negatives == Negatives::kMixed      ? recipe.adjacent
                         : recipe.negatives == Negatives::kAdjacent ? 1
                                                                    : 0;
    const std::int64_t adjacent = rounded_share(count - sorted, share);
    return std::array{sorted, adjacent, count - sorted - adjacent};
  };
  const auto val = kinds_of(sizes.val), test = kinds_of(sizes.test);
  return {{"sorted sequences", count_sorted, val[0], test[0]},
          {"sequences with two neighbours swapped", count_adjacent, val[1], test[1]},
          {"unsorted sequences", count_unsorted, val[2], test[2]}};
}

// Half of the different sequences must be left for training. If the draw still finds too few, it
// throws Error.
std::string refusal_of_kind(const SequenceKind& kind, const SortingRecipe& recipe) {
  const double needed = 2 * (static_cast<double>(kind.val) + static_cast<double>(kind.test));
  double different = 0;
  for (std::int64_t length = recipe.longest; length >= recipe.shortest && different < needed;
       --length) {
    different += kind.different(length, recipe.range);
  }
  if (different >= needed) return "";
  return fmt::format(
      "{} + {} {} asked for val and test, but there are only {:.0f} different ones, of which at "
      "least half are to train on",
      kind.val, kind.test, kind.what, different);
}

std::string refusal_of_test_lengths(const SortingSizes& sizes) {
  std::set<std::int64_t> seen;
  for (const std::int64_t length : sizes.test_lengths) {
    if (length < 2 || length > kLongestSequence) {
      return fmt::format("tests of length {} asked for; between 2 and {} can be", length,
                         kLongestSequence);
    }
    if (!seen.insert(length).second)
      return fmt::format("tests of length {} asked for twice", length);
  }
  if (!seen.empty() && sizes.test_size < 2) {
    return fmt::format(
        "{} sequences asked for each test by length; at least 2 are needed, a sorted "
        "and an unsorted one",
        sizes.test_size);
  }
  return "";
}

std::string refusal_of_amount(const SortingRecipe& recipe, const SortingSizes& sizes) {
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  double values =
      (number(sizes.train) + number(sizes.val) + number(sizes.test)) * number(recipe.longest);
  for (const std::int64_t length : sizes.test_lengths) {
    values += 2 * number(sizes.test_size_at(length)) * number(length);
  }
  if (values <= kMostValues) return "";
  return fmt::format("{:.3g} values in all sequences together; at most {:.0e} fit into memory",
                     values, kMostValues);
}

}  // namespace

std::string refusal(const SortingRecipe& recipe) {
  if (recipe.shortest < 2 || recipe.longest > kLongestSequence) {
    return fmt::format("sequences of {} to {} values asked for; between 2 and {} can be",
                       recipe.shortest, recipe.longest, kLongestSequence);
  }
  if (recipe.shortest > recipe.longest) {
    return fmt::format("the shortest sequences have {} values, but the longest only {}",
                       recipe.shortest, recipe.longest);
  }
  if (recipe.range < 2 || recipe.range > kLargestRange) {
    return fmt::format("a range of {} asked for; between 2 and {} can be", recipe.range,
                       kLargestRange);
  }
  for (const auto& [what, share] : {std::pair{"adjacent", recipe.adjacent},
                                    {"crowded", recipe.crowded},
                                    {"sorted", recipe.sorted}}) {
    if (!(share >= 0 && share <= 1)) {
      return fmt::format("a share of {} '{}' asked for; between 0 and 1 can be", share, what);
    }
  }
  return "";
}

std::string refusal(const SortingRecipe& recipe, const SortingSizes& sizes) {
  if (std::string why = refusal(recipe); !why.empty()) return why;
  if (std::min({sizes.train, sizes.val, sizes.test}) < 1) {
    return fmt::format("{} + {} + {} sequences asked for; each split needs at least one",
                       sizes.train, sizes.val, sizes.test);
  }
  if (std::string why = refusal_of_test_lengths(sizes); !why.empty()) return why;
  if (std::string why = refusal_of_amount(recipe, sizes); !why.empty()) return why;
  for (const SequenceKind& kind : kinds_held_out(recipe, sizes)) {
    if (std::string why = refusal_of_kind(kind, recipe); !why.empty()) return why;
  }
  return "";
}

}  // namespace headway
