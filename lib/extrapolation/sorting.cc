#include "lib/extrapolation/sorting.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/base/error.h"
#include "lib/extrapolation/shares.h"
#include "lib/numerics/random.h"

namespace headway {
namespace {

constexpr int kMostTries = 1000;  // to draw a training sequence that is not in val or test

// What a random stream is for. The tests by length have one for each kind of negatives, with the
// length in place of the epoch.
enum Purpose : std::uint64_t { kForTrain, kForVal, kForTest, kForSwapsTest, kForAdjacentTest };

// Draws widths of 2 .. range with probability proportional to 1 / width. Uses sums instead of
// logarithms, which differ between machines.
class WindowWidths {
 public:
  explicit WindowWidths(std::int64_t range) {
    double sum = 0;
    sums_.reserve(static_cast<std::size_t>(range - 1));
    for (std::int64_t width = 2; width <= range; ++width) {
      sums_.push_back(sum += 1 / static_cast<double>(width));
    }
  }
  std::int64_t draw(RandomStream& random) const {
    const double place = random.uniform() * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, place);
    return 2 + (found - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

using Values = std::vector<std::int32_t>;

void swap_two_places(Values& values, RandomStream& random) {
  const std::uint64_t first = random.below(values.size());
  std::uint64_t second = random.below(values.size() - 1);
  second += second >= first;
  std::swap(values[first], values[second]);
}

// If swaps cancel out, adds more instead of starting again: of two values, two always cancel.
void swap_until_unsorted(Values& values, RandomStream& random) {
  const std::size_t swaps = std::max<std::size_t>(2, values.size() / 3);
  for (std::size_t done = 0; done < swaps || std::is_sorted(values.begin(), values.end()); ++done) {
    swap_two_places(values, random);
  }
}

void swap_unequal_neighbours(Values& values, RandomStream& random) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    if (values[i] != values[i + 1]) places.push_back(i);
  }
  const std::size_t place = places[random.below(places.size())];
  std::swap(values[place], values[place + 1]);
}

// Draws the sequences of a recipe.
class SequenceMaker {
 public:
  explicit SequenceMaker(const SortingRecipe& recipe)
      : recipe_(recipe), widths_(recipe.crowded > 0 ? recipe.range : 2) {}

  bool is_sorted(std::int64_t number) const { return has_share(number, recipe_.sorted); }
  Values draw(std::int64_t number, RandomStream& random) const {
    if (is_sorted(number)) return draw_sorted(random);
    Values values = draw_sorted(random);
    while (values.front() == values.back()) values = draw_sorted(random);
    if (negatives_at(number) == Negatives::kAdjacent) {
      swap_unequal_neighbours(values, random);
    } else {
      swap_until_unsorted(values, random);
    }
    return values;
  }

 private:
  Negatives negatives_at(std::int64_t number) const {
    if (recipe_.negatives != Negatives::kMixed) return recipe_.negatives;
    const std::int64_t unsorted_before = number - rounded_share(number, recipe_.sorted);
    return has_share(unsorted_before, recipe_.adjacent) ? Negatives::kAdjacent : Negatives::kSwaps;
  }

  Values draw_sorted(RandomStream& random) const {
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
    };
    Values values(
        static_cast<std::size_t>(recipe_.shortest + below(recipe_.longest - recipe_.shortest + 1)));
    std::int64_t lowest = 0, width = recipe_.range;
    if (random.uniform() < recipe_.crowded) {
      width = widths_.draw(random);
      lowest = below(recipe_.range - width + 1);
    }
    for (std::int32_t& value : values) value = static_cast<std::int32_t>(lowest + below(width));
    std::sort(values.begin(), values.end());
    return values;
  }

  const SortingRecipe& recipe_;
  WindowWidths widths_;
};

LabelledSequences draw_sequences(const SortingRecipe& recipe, Purpose purpose, std::int64_t part,
                                 std::int64_t count, const SequenceSet& held_out) {
  const SequenceMaker maker(recipe);
  LabelledSequences sequences;
  sequences.width = recipe.longest;
  sequences.values.reserve(static_cast<std::size_t>(count * recipe.longest));
  for (std::int64_t number = 0; number < count; ++number) {
    RandomStream random(recipe.seed, {purpose, static_cast<std::uint64_t>(part),
                                      static_cast<std::uint64_t>(number)});
    Values values = maker.draw(number, random);
    for (int tries = 1; held_out.contains(sequence_bytes(values)); ++tries) {
      if (tries == kMostTries) {
        throw Error(
            fmt::format("{} draws gave no training sequence that is not in val or test; a "
                        "larger range or longer sequences give more different ones",
                        kMostTries));
      }
      values = maker.draw(number, random);
    }
    append_sequence(values, maker.is_sorted(number), sequences);
  }
  return sequences;
}

LabelledSequences draw_training(const SortingRecipe& recipe, std::int64_t epoch, std::int64_t count,
                                const LabelledSequences& val, const LabelledSequences& test) {
  SequenceSet held_out;
  insert_all(val, held_out);
  insert_all(test, held_out);
  return draw_sequences(recipe, kForTrain, epoch, count, held_out);
}

LengthTest draw_length_test(const SortingRecipe& recipe, Negatives negatives, std::int64_t length,
                            std::int64_t count) {
  SortingRecipe of_test;
  of_test.shortest = of_test.longest = length;
  of_test.range = recipe.range;
  of_test.negatives = negatives;
  of_test.seed = recipe.seed;
  const Purpose purpose = negatives == Negatives::kSwaps ? kForSwapsTest : kForAdjacentTest;
  return {negatives, length, draw_sequences(of_test, purpose, length, count, {})};
}

}  // namespace

std::string name_of(Negatives negatives) {
  switch (negatives) {
    case Negatives::kSwaps:
      return "swaps";
    case Negatives::kAdjacent:
      return "adjacent";
    case Negatives::kMixed:
      return "mixed";
  }
  return "";
}

std::optional<Negatives> negatives_of(std::string_view name) {
  for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent, Negatives::kMixed}) {
    if (name == name_of(negatives)) return negatives;
  }
  return std::nullopt;
}

std::int64_t SortingSizes::test_size_at(std::int64_t length) const {
  const std::int64_t fitting = test_values / length / 2 * 2;  // even: half are sorted
  return std::min(test_size, std::max<std::int64_t>(2, fitting));
}

SortingData generate_sorting(const SortingRecipe& recipe, const SortingSizes& sizes) {
  if (const std::string why = refusal(recipe, sizes); !why.empty()) throw Error(why);
  SortingData data;
  data.recipe = recipe;
  data.val = draw_sequences(recipe, kForVal, 0, sizes.val, {});
  data.test = draw_sequences(recipe, kForTest, 0, sizes.test, {});
  data.train = draw_training(recipe, 0, sizes.train, data.val, data.test);
  for (const std::int64_t length : sizes.test_lengths) {
    for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent}) {
      data.tests.push_back(draw_length_test(recipe, negatives, length, sizes.test_size_at(length)));
    }
  }
  return data;
}

LabelledSequences SortingData::train_epoch(std::int64_t epoch) const {
  if (!recipe.fresh || epoch == 0) return train;
  return draw_training(recipe, epoch, train.size(), val, test);
}

std::optional<std::int64_t> first_violation(std::span<const std::int32_t> sequence) {
  const auto end = std::is_sorted_until(sequence.begin(), sequence.end());
  if (end == sequence.end()) return std::nullopt;
  return end - sequence.begin() - 1;
}

}  // namespace headway
