// The sorting task: is a sequence of numbers sorted, ties allowed? Label 1: it is. Every sequence
// is a function of the recipe, what it is for and its number, so that fresh samples for each epoch
// are as reproducible as a stored split.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/data/labelled_sequences.h"

namespace headway {

inline constexpr std::int64_t kLongestSequence = 65'536;
inline constexpr std::int64_t kLargestRange = 1'000'000;

// How an unsorted sequence is made from a sorted one.
enum class Negatives {
  // max(2, n / 3) swaps of two places, and more while it is still sorted: easy to notice in long
  // sequences.
  kSwaps,
  kAdjacent,  // one pair of unequal neighbours swapped: the smallest violation there is
  kMixed,     // of each kind a share
};
std::string name_of(Negatives negatives);                      // "swaps"
std::optional<Negatives> negatives_of(std::string_view name);  // nothing where it is no name

struct SortingRecipe {
  std::int64_t shortest = 8;  // at least 2
  std::int64_t longest = 16;
  std::int64_t range = 100;  // values are 0 .. range - 1; at least 2
  Negatives negatives = Negatives::kSwaps;
  double adjacent = 0.5;  // of kMixed: share of the negatives that are of the adjacent kind
  // Share of the sequences whose values come from a narrow window of the range, so that neighbours
  // are often equal or one apart, as they are in long sequences: 2 .. range values wide, narrow
  // windows as likely as wide ones on a logarithmic scale (a width w is drawn as 1 / w).
  double crowded = 0;
  double sorted = 0.5;  // share of the sequences that are sorted, exact up to rounding
  bool fresh = false;   // every epoch has training sequences of its own
  std::uint64_t seed = 641;

  bool operator==(const SortingRecipe&) const = default;
};

struct SortingSizes {
  std::int64_t train = 10000;
  std::int64_t val = 2000;
  std::int64_t test = 2000;
  std::vector<std::int64_t> test_lengths = {8, 12, 16, 24, 32, 64, 128, 256};
  std::int64_t test_size = 500;  // sequences at each of these lengths, for each kind of negatives
  std::int64_t test_values = 131'072;  // most values of such a test: long sequences are fewer

  // How many sequences a test of this length has: test_size, or what test_values leave of it, at
  // least a sorted and an unsorted one.
  std::int64_t test_size_at(std::int64_t length) const;
};

// Sequences of one length with one kind of negatives, never crowded, half of them sorted.
struct LengthTest {
  Negatives negatives = Negatives::kSwaps;  // not kMixed
  std::int64_t length = 0;
  LabelledSequences sequences;

  std::string name() const { return "test." + name_of(negatives) + "." + std::to_string(length); }

  bool operator==(const LengthTest&) const = default;
};

struct SortingData {
  SortingRecipe recipe;
  LabelledSequences train, val, test;  // as the recipe says; no sequence of train is in val or test
  std::vector<LengthTest> tests;       // by length as given, swaps before adjacent

  // The training sequences of an epoch, from 0: `train`, or fresh ones, as many, which are not in
  // val or test either. Those of epoch 0 are `train`.
  LabelledSequences train_epoch(std::int64_t epoch) const;

  bool operator==(const SortingData&) const = default;
};

// Why there are no such sequences, or "": lengths out of order, a range of one value, a share above
// one.
std::string refusal(const SortingRecipe& recipe);
// Why there is no such data, or "": the recipe's refusal, an empty split, a length twice, more than
// fits into memory, so few different sequences that the splits could not be kept apart.
std::string refusal(const SortingRecipe& recipe, const SortingSizes& sizes);
// Throws Error where it cannot be made.
SortingData generate_sorting(const SortingRecipe& recipe, const SortingSizes& sizes);

// One file: train.…, val.…, test.…, and for each test by length test.swaps.32.…; the recipe and the
// lengths of the tests, in their order, as JSON in the metadata ("format": "headway sorting 1",
// "recipe", "test_lengths").
TensorFile to_tensor_file(const SortingData& data);
// Errors name what is missing or wrong, introduced by `name`.
SortingData sorting_data_from(const TensorFile& file, const std::string& name);

// The first place i where value i is larger than value i + 1; nothing where it is sorted.
std::optional<std::int64_t> first_violation(std::span<const std::int32_t> sequence);

}  // namespace headway
