#include "lib/extrapolation/sorting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/json_fields.h"
#include "lib/extrapolation/length_tests.h"
#include "lib/numerics/random.h"

namespace headway {
namespace {

constexpr double kMostValues = 1e9;      // of all sequences; limited by memory
constexpr double kSafelyMany = 0x1p+53;  // different sequences: enough to stop counting
constexpr int kMostTries = 1000;         // to draw a training sequence that is not in val or test

// What a random stream is for. The tests by length have one for each kind of negatives, with the
// length in place of the epoch.
enum Purpose : std::uint64_t { kForTrain, kForVal, kForTest, kForSwapsTest, kForAdjacentTest };

// How many of `count` items have a property with this share, 0 .. 1.
std::int64_t rounded_share(std::int64_t count, double share) {
  return std::llround(static_cast<double>(count) * share);
}
// Whether the item with this number, from 0, has it. Every prefix has the right share.
bool has_share(std::int64_t number, double share) {
  return rounded_share(number + 1, share) > rounded_share(number, share);
}

// Draws widths of 2 .. range with probability proportional to 1 / width. Uses sums instead of
// logarithms, which differ between machines.
class WindowWidths {
 public:
  explicit WindowWidths(std::int64_t range) {
    double sum = 0;
    sums_.reserve(static_cast<std::size_t>(range - 1));
    for (std::int64_t width = 2; width <= range; ++width)
      sums_.push_back(sum += 1 / static_cast<double>(width));
  }
  std::int64_t draw(RandomStream& random) const {
    const double place = random.uniform() * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, place);
    return 2 + (found - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

using Values = std::vector<Token>;

void swap_two_places(Values& values, RandomStream& random) {
  const std::uint64_t first = random.below(values.size());
  std::uint64_t second = random.below(values.size() - 1);
  second += second >= first;
  std::swap(values[first], values[second]);
}

// If swaps cancel out, adds more instead of starting again: of two values, two always cancel.
void swap_until_unsorted(Values& values, RandomStream& random) {
  const std::size_t swaps = std::max<std::size_t>(2, values.size() / 3);
  for (std::size_t done = 0; done < swaps || std::is_sorted(values.begin(), values.end()); ++done)
    swap_two_places(values, random);
}

void swap_unequal_neighbours(Values& values, RandomStream& random) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    if (values[i] != values[i + 1]) places.push_back(i);
  }
  const std::size_t place = places[random.below(places.size())];
  std::swap(values[place], values[place + 1]);
}

// The values of the group `violation`, by number.
enum Violation : std::int32_t { kNoViolation, kBySwaps, kAdjacentSwapped };

std::shared_ptr<const Legend> sorting_legend(std::int64_t range) {
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(range));
  for (std::int64_t value = 0; value < range; ++value) words.push_back(std::to_string(value));
  auto legend = std::make_shared<Legend>();
  legend->vocabulary = Vocabulary(std::move(words));
  legend->classes = {"unsorted", "sorted"};
  legend->groups = {{"violation", {"none", "swaps", "adjacent"}}};
  return legend;
}

// Draws the sequences of a recipe.
class SequenceMaker {
 public:
  explicit SequenceMaker(const SortingRecipe& recipe)
      : recipe_(recipe), widths_(recipe.crowded > 0 ? recipe.range : 2) {}

  Violation violation_of(std::int64_t number) const {
    if (has_share(number, recipe_.sorted)) return kNoViolation;
    if (recipe_.negatives == Negatives::kSwaps) return kBySwaps;
    if (recipe_.negatives == Negatives::kAdjacent) return kAdjacentSwapped;
    const std::int64_t unsorted_before = number - rounded_share(number, recipe_.sorted);
    return has_share(unsorted_before, recipe_.adjacent) ? kAdjacentSwapped : kBySwaps;
  }
  Values draw(std::int64_t number, RandomStream& random) const {
    const Violation violation = violation_of(number);
    Values values = draw_sorted(random);
    if (violation == kNoViolation) return values;
    while (values.front() == values.back()) values = draw_sorted(random);
    if (violation == kAdjacentSwapped) {
      swap_unequal_neighbours(values, random);
    } else {
      swap_until_unsorted(values, random);
    }
    return values;
  }

 private:
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
    for (Token& value : values) value = static_cast<Token>(lowest + below(width));
    std::sort(values.begin(), values.end());
    return values;
  }

  const SortingRecipe& recipe_;
  WindowWidths widths_;
};

Split draw_split(const SortingRecipe& recipe, const std::shared_ptr<const Legend>& legend,
                 Purpose purpose, std::int64_t part, std::int64_t count,
                 const SequenceSet& held_out) {
  const SequenceMaker maker(recipe);
  const auto width = static_cast<std::size_t>(recipe.longest);
  Split split;
  split.legend = legend;
  split.input_length = recipe.longest;
  split.inputs.reserve(static_cast<std::size_t>(count) * width);
  split.groups.resize(1);
  for (std::int64_t number = 0; number < count; ++number) {
    RandomStream random(recipe.seed, {purpose, static_cast<std::uint64_t>(part),
                                      static_cast<std::uint64_t>(number)});
    Values values = maker.draw(number, random);
    for (int tries = 1; held_out.contains(sequence_bytes(values)); ++tries) {
      if (tries == kMostTries)
        throw Error(
            "{} draws gave no training sequence that is not in val or test; a "
            "larger range or longer sequences give more different ones",
            kMostTries);
      values = maker.draw(number, random);
    }
    values.resize(width, legend->vocabulary.pad());
    split.inputs.insert(split.inputs.end(), values.begin(), values.end());
    const Violation violation = maker.violation_of(number);
    split.labels.push_back(violation == kNoViolation ? 1 : 0);
    split.groups[0].push_back(violation);
  }
  return split;
}

Split draw_training(const SortingRecipe& recipe, std::int64_t epoch, std::int64_t count,
                    const Split& val, const Split& test) {
  SequenceSet held_out = inputs_of(val);
  held_out.merge(inputs_of(test));
  return draw_split(recipe, val.legend, kForTrain, epoch, count, held_out);
}

Split draw_length_test(const SortingRecipe& recipe, const std::shared_ptr<const Legend>& legend,
                       Negatives negatives, std::int64_t length, std::int64_t count) {
  SortingRecipe of_test;
  of_test.shortest = of_test.longest = length;
  of_test.range = recipe.range;
  of_test.negatives = negatives;
  of_test.seed = recipe.seed;
  const Purpose purpose = negatives == Negatives::kSwaps ? kForSwapsTest : kForAdjacentTest;
  return draw_split(of_test, legend, purpose, length, count, {});
}

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
  for (std::int64_t i = 1; i <= factors && count < kSafelyMany; ++i)
    count *= static_cast<double>(length + range - 1 - factors + i) / static_cast<double>(i);
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
       --length)
    different += kind.different(length, recipe.range);
  if (different >= needed) return "";
  return fmt::format(
      "{} + {} {} asked for val and test, but there are only {:.0f} different ones, of which at "
      "least half are to train on",
      kind.val, kind.test, kind.what, different);
}

std::string refusal_of_test_lengths(const SortingSizes& sizes) {
  std::set<std::int64_t> seen;
  for (const std::int64_t length : sizes.test_lengths) {
    if (length < 2 || length > kLongestSequence)
      return fmt::format("tests of length {} asked for; between 2 and {} can be", length,
                         kLongestSequence);
    if (!seen.insert(length).second)
      return fmt::format("tests of length {} asked for twice", length);
  }
  if (!seen.empty() && sizes.test_size < 2)
    return fmt::format(
        "{} sequences asked for each test by length; at least 2 are needed, a sorted "
        "and an unsorted one",
        sizes.test_size);
  return "";
}

std::string refusal_of_amount(const SortingRecipe& recipe, const SortingSizes& sizes) {
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  double values =
      (number(sizes.train) + number(sizes.val) + number(sizes.test)) * number(recipe.longest);
  for (const std::int64_t length : sizes.test_lengths)
    values += 2 * number(sizes.test_size_at(length)) * number(length);
  if (values <= kMostValues) return "";
  return fmt::format("{:.3g} values in all sequences together; at most {:.0e} fit into memory",
                     values, kMostValues);
}

// Throws Error if the dataset is not made by it, as far as the first sequence of `val` shows.
SortingRecipe recipe_of(const Dataset& dataset) {
  SortingRecipe recipe;
  if (!dataset.generator.contains("recipe")) throw Error("the generator has no 'recipe'");
  read_fields(dataset.generator["recipe"], "the recipe", recipe);
  if (const std::string why = refusal(recipe); !why.empty()) throw Error("the recipe: " + why);
  Split first;
  first.append(dataset.split("val"), 0);
  if (first != draw_split(recipe, sorting_legend(recipe.range), kForVal, 0, 1, {}))
    throw Error("the data is not what its generator 'sorting' makes of its recipe");
  return recipe;
}

}  // namespace

std::int64_t SortingSizes::test_size_at(std::int64_t length) const {
  const std::int64_t fitting = test_values / length / 2 * 2;  // even: half are sorted
  return std::min(test_size, std::max<std::int64_t>(2, fitting));
}

std::string refusal(const SortingRecipe& recipe) {
  if (recipe.shortest < 2 || recipe.longest > kLongestSequence)
    return fmt::format("sequences of {} to {} values asked for; between 2 and {} can be",
                       recipe.shortest, recipe.longest, kLongestSequence);
  if (recipe.shortest > recipe.longest)
    return fmt::format("the shortest sequences have {} values, but the longest only {}",
                       recipe.shortest, recipe.longest);
  if (recipe.range < 2 || recipe.range > kLargestRange)
    return fmt::format("a range of {} asked for; between 2 and {} can be", recipe.range,
                       kLargestRange);
  for (const auto& [what, share] : {std::pair{"adjacent", recipe.adjacent},
                                    {"crowded", recipe.crowded},
                                    {"sorted", recipe.sorted}}) {
    if (!(share >= 0 && share <= 1))
      return fmt::format("a share of {} '{}' asked for; between 0 and 1 can be", share, what);
  }
  return "";
}

std::string refusal(const SortingRecipe& recipe, const SortingSizes& sizes) {
  if (std::string why = refusal(recipe); !why.empty()) return why;
  if (std::min({sizes.train, sizes.val, sizes.test}) < 1)
    return fmt::format("{} + {} + {} sequences asked for; each split needs at least one",
                       sizes.train, sizes.val, sizes.test);
  if (std::string why = refusal_of_test_lengths(sizes); !why.empty()) return why;
  if (std::string why = refusal_of_amount(recipe, sizes); !why.empty()) return why;
  for (const SequenceKind& kind : kinds_held_out(recipe, sizes)) {
    if (std::string why = refusal_of_kind(kind, recipe); !why.empty()) return why;
  }
  return "";
}

Dataset generate_sorting(const SortingRecipe& recipe, const SortingSizes& sizes) {
  if (const std::string why = refusal(recipe, sizes); !why.empty()) throw Error(why);
  Dataset dataset;
  dataset.legend = sorting_legend(recipe.range);
  dataset.generator = {{"name", kSortingName}, {"recipe", to_json_fields(recipe)}};
  const Split& val = dataset.splits["val"] =
      draw_split(recipe, dataset.legend, kForVal, 0, sizes.val, {});
  const Split& test = dataset.splits["test"] =
      draw_split(recipe, dataset.legend, kForTest, 0, sizes.test, {});
  dataset.splits["train"] = draw_training(recipe, 0, sizes.train, val, test);
  for (const std::int64_t length : sizes.test_lengths) {
    for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent})
      dataset.splits[length_test_name(negatives, length)] =
          draw_length_test(recipe, dataset.legend, negatives, length, sizes.test_size_at(length));
  }
  return dataset;
}

SampleSource sorting_source(const Dataset& dataset) {
  const SortingRecipe recipe = recipe_of(dataset);
  if (!recipe.fresh) return {};
  const auto held_out =
      std::make_shared<const std::pair<Split, Split>>(dataset.split("val"), dataset.split("test"));
  return {.epoch = [recipe, held_out, count = dataset.split("train").size()](std::int64_t epoch) {
    return draw_training(recipe, epoch, count, held_out->first, held_out->second);
  }};
}

std::optional<std::int64_t> first_violation(std::span<const Token> sequence) {
  const auto end = std::is_sorted_until(sequence.begin(), sequence.end());
  if (end == sequence.end()) return std::nullopt;
  return end - sequence.begin() - 1;
}

}  // namespace headway
