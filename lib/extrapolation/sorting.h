// The sorting task: is a sequence of numbers sorted, ties allowed? Every sequence is a function of
// the recipe, its use and its number, so new samples for each epoch are as reproducible as a stored
// split.
#pragma once

#include <optional>

#include "lib/base/enum_names.h"
#include "lib/data/dataset.h"
#include "lib/data/sample_source.h"

namespace headway {

inline constexpr std::int64_t kLargestRange = 1'000'000;

// How an unsorted sequence is made from a sorted one.
enum class Negatives {
  // max(2, n / 3) swaps of two places, and more while it is still sorted: easy to notice in long
  // sequences.
  kSwaps,
  kAdjacent,  // one pair of unequal neighbours swapped: the smallest violation
  kMixed,     // some of each kind
};
template <>
inline constexpr std::string_view kNamesOf<Negatives>[] = {"swaps", "adjacent", "mixed"};

struct SortingRecipe {
  std::int64_t shortest = 8;  // at least 2
  std::int64_t longest = 16;
  std::int64_t range = 100;  // values are 0 .. range - 1; at least 2
  Negatives negatives = Negatives::kSwaps;
  double adjacent = 0.5;  // for kMixed: share of adjacent negatives
  // Share of sequences whose values come from a narrow window of the range, so that neighbours are
  // often equal or one apart, as in long sequences. A window of w values (2 .. range) has
  // probability proportional to 1 / w.
  double crowded = 0;
  double sorted = 0.5;  // share of sorted sequences, exact up to rounding
  bool fresh = false;   // new training sequences for every epoch
  std::uint64_t seed = 641;

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("shortest", self.shortest);
    visit("longest", self.longest);
    visit("range", self.range);
    visit("negatives", self.negatives);
    visit("adjacent", self.adjacent);
    visit("crowded", self.crowded);
    visit("sorted", self.sorted);
    visit("fresh", self.fresh);
    visit("seed", self.seed);
  }
  bool operator==(const SortingRecipe&) const = default;
};

struct SortingSizes {
  std::int64_t train = 10000;
  std::int64_t val = 2000;
  std::int64_t test = 2000;
  std::vector<std::int64_t> test_lengths = {8, 12, 16, 24, 32, 64, 128, 256};
  std::int64_t test_size = 500;        // sequences for each length and kind of negatives
  std::int64_t test_values = 131'072;  // most values in such a test: fewer long sequences

  // The number of sequences in a test of this length: test_size, or fewer because of test_values,
  // but at least one sorted and one unsorted.
  std::int64_t test_size_at(std::int64_t length) const;
};

// Why no sequences fit the recipe ("": they do): lengths out of order, a range of one value, a
// share above one.
std::string refusal(const SortingRecipe& recipe);
// Why the data cannot be made ("": it can): the recipe's refusal, an empty split, a repeated
// length, too much for memory, or too few different sequences to keep the splits disjoint.
std::string refusal(const SortingRecipe& recipe, const SortingSizes& sizes);

// A dataset whose tokens are the values ("0" is 0) and whose classes are unsorted (0) and sorted
// (1). The group `violation` says how a sequence was made: none, swaps or adjacent. No sequence of
// train is in val or test. Further splits are the tests by length
// (lib/extrapolation/length_tests.h): sequences of one length with one kind of negatives, never
// crowded, half of them sorted. Throws Error if it cannot be made.
Dataset generate_sorting(const SortingRecipe& recipe, const SortingSizes& sizes);

inline constexpr const char* kSortingName = "sorting";  // of the source
// Of a fresh recipe: as many training sequences for each epoch, not in val or test. Those of epoch
// 0 are `train`. Throws Error if the dataset's recipe is wrong.
SampleSource sorting_source(const Dataset& dataset);

// The first i where value i is larger than value i + 1; nullopt if the sequence is sorted.
std::optional<std::int64_t> first_violation(std::span<const Token> sequence);

}  // namespace headway
