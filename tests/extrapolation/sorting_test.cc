#include "lib/extrapolation/sorting.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <set>

#include "lib/base/digest.h"
#include "lib/base/error.h"
#include "lib/extrapolation/length_tests.h"

namespace headway {
namespace {

using Catch::Matchers::Message;
using Catch::Matchers::WithinAbs;
using Sequence = std::vector<std::int32_t>;

// As few held-out sequences as there can be, and no tests by length.
SortingSizes only_train(std::int64_t train) {
  return {.train = train, .val = 1, .test = 1, .test_lengths = {}};
}

Split train_of(const SortingRecipe& recipe, std::int64_t count) {
  return generate_sorting(recipe, only_train(count)).split("train");
}

Sequence sequence_of(const Split& split, std::int64_t sample) {
  const auto row = split.input(sample);
  return {row.begin(), row.begin() + split.input_size(sample)};
}

std::vector<Sequence> sequences_of(const Split& split) {
  std::vector<Sequence> sequences;
  for (std::int64_t i = 0; i < split.size(); ++i) sequences.push_back(sequence_of(split, i));
  return sequences;
}

std::vector<Sequence> unsorted_of(const Split& split) {
  std::vector<Sequence> sequences = sequences_of(split);
  std::erase_if(sequences, [](const Sequence& s) { return std::is_sorted(s.begin(), s.end()); });
  return sequences;
}

std::int64_t count_wrong_labels(const Split& split) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < split.size(); ++i) {
    const Sequence sequence = sequence_of(split, i);
    wrong += std::is_sorted(sequence.begin(), sequence.end()) !=
             (split.labels[static_cast<std::size_t>(i)] == 1);
  }
  return wrong;
}

std::int64_t count_sorted_labels(const Split& split) {
  return std::count(split.labels.begin(), split.labels.end(), 1);
}

int count_descents(const Sequence& sequence) {
  int descents = 0;
  for (std::size_t i = 0; i + 1 < sequence.size(); ++i) descents += sequence[i] > sequence[i + 1];
  return descents;
}

// Whether the swap of its first violation alone sorts it.
bool is_one_swap_away(Sequence sequence) {
  const std::optional<std::int64_t> place = first_violation(sequence);
  if (!place) return false;
  const auto at = sequence.begin() + *place;
  std::iter_swap(at, at + 1);
  return std::is_sorted(sequence.begin(), sequence.end());
}

double share_of_ties(const Split& split) {
  std::int64_t ties = 0, pairs = 0;
  for (Sequence& sequence : sequences_of(split)) {
    std::sort(sequence.begin(), sequence.end());
    for (std::size_t i = 0; i + 1 < sequence.size(); ++i, ++pairs) {
      ties += sequence[i] == sequence[i + 1];
    }
  }
  return static_cast<double>(ties) / static_cast<double>(pairs);
}

// Of n values with none preferred, all but those that are different from all before them.
double expected_ties(double n, double range) {
  return (n - range * (1 - std::pow(1 - 1 / range, n))) / (n - 1);
}

bool share_none(const Split& a, const Split& b) {
  const std::vector<Sequence> all = sequences_of(a);
  const std::set<Sequence> set(all.begin(), all.end());
  return std::ranges::none_of(sequences_of(b), [&](const Sequence& s) { return set.contains(s); });
}

// A number for each sample: 0 for sorted ones.
const std::vector<std::int32_t>& violations_of(const Split& split) {
  REQUIRE(split.groups.size() == 1);
  return split.groups.front();
}

TEST_CASE("the first violation is found, and ties are not violations", "[sorting]") {
  CHECK(first_violation(Sequence{1, 2, 2, 3}) == std::nullopt);
  CHECK(first_violation(Sequence{7}) == std::nullopt);
  CHECK(first_violation(Sequence{}) == std::nullopt);
  CHECK(first_violation(Sequence{2, 1}) == 0);
  CHECK(first_violation(Sequence{0, 1, 5, 4, 3}) == 2);
  CHECK(first_violation(Sequence{0, 0, 0, -1}) == 2);
}

TEST_CASE("kinds of negatives have names", "[sorting]") {
  for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent, Negatives::kMixed}) {
    CHECK(value_of<Negatives>(name_of(negatives)) == negatives);
  }
  CHECK(name_of(Negatives::kAdjacent) == "adjacent");
  CHECK(value_of<Negatives>("swap") == std::nullopt);
  CHECK(value_of<Negatives>("") == std::nullopt);
}

TEST_CASE("every label is true for every recipe", "[sorting]") {
  for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent, Negatives::kMixed}) {
    for (const double crowded : {0.0, 0.5, 1.0}) {
      const Dataset data = generate_sorting({.negatives = negatives, .crowded = crowded},
                                            {.train = 2000, .val = 300, .test = 300});
      CHECK(count_wrong_labels(data.split("train")) == 0);
      CHECK(count_wrong_labels(data.split("val")) == 0);
      CHECK(count_wrong_labels(data.split("test")) == 0);
      for (const LengthTest& test : length_tests(data)) CHECK(count_wrong_labels(*test.split) == 0);
    }
  }
}

TEST_CASE("the share of sorted sequences is exact up to rounding", "[sorting]") {
  for (const double sorted : {0.0, 0.1, 0.25, 1.0 / 3, 0.5, 0.7, 0.999, 1.0}) {
    CAPTURE(sorted);
    const Dataset data = generate_sorting(
        {.sorted = sorted}, {.train = 997, .val = 100, .test = 1, .test_lengths = {}});
    CHECK(count_sorted_labels(data.split("train")) == std::llround(997 * sorted));
    CHECK(count_sorted_labels(data.split("val")) == std::llround(100 * sorted));
    CHECK(count_wrong_labels(data.split("train")) == 0);
  }
}

TEST_CASE("every prefix of the sequences has the same share of sorted ones", "[sorting]") {
  const Split train = train_of({.sorted = 0.25}, 1000);
  std::int64_t sorted = 0;
  for (std::size_t i = 0; i < train.labels.size(); ++i) {
    sorted += train.labels[i];
    REQUIRE(std::abs(static_cast<double>(sorted) - 0.25 * static_cast<double>(i + 1)) <= 0.5);
  }
}

TEST_CASE("values are within the range, and all lengths from shortest to longest occur",
          "[sorting]") {
  const Split train = train_of({.shortest = 5, .longest = 9, .range = 20}, 1000);
  CHECK(train.input_length == 9);
  std::set<std::int32_t> values, lengths;
  for (const Sequence& sequence : sequences_of(train)) {
    values.insert(sequence.begin(), sequence.end());
    lengths.insert(static_cast<std::int32_t>(sequence.size()));
  }
  CHECK(lengths == std::set<std::int32_t>{5, 6, 7, 8, 9});
  CHECK(values.size() == 20);
  CHECK(*values.begin() == 0);
  CHECK(*values.rbegin() == 19);
}

TEST_CASE("values are equally likely", "[sorting]") {
  // The mean of 0..99 is 49.5; of n draws it deviates by 28.9 / sqrt(n).
  const Split train = train_of({}, 5000);
  double sum = 0, count = 0;
  for (const Sequence& sequence : sequences_of(train)) {
    for (const std::int32_t value : sequence) sum += value, ++count;
  }
  CHECK_THAT(sum / count, WithinAbs(49.5, 4 * 28.9 / std::sqrt(count)));
}

TEST_CASE("an adjacent negative is a sorted sequence with one pair of unequal neighbours swapped",
          "[sorting]") {
  for (const std::int64_t range : {3, 10, 1000}) {
    const std::vector<Sequence> unsorted = unsorted_of(
        train_of({.range = range, .negatives = Negatives::kAdjacent, .crowded = 0.5}, 2000));
    CHECK(unsorted.size() == 1000);
    for (const Sequence& sequence : unsorted) {
      REQUIRE(count_descents(sequence) == 1);
      REQUIRE(is_one_swap_away(sequence));
    }
  }
}

TEST_CASE("the swapped neighbours are equally likely at every position", "[sorting]") {
  const std::vector<Sequence> unsorted = unsorted_of(train_of({.shortest = 11,
                                                               .longest = 11,
                                                               .range = 100'000,
                                                               .negatives = Negatives::kAdjacent,
                                                               .sorted = 0},
                                                              5000));
  std::vector<int> places(10);
  for (const Sequence& sequence : unsorted) {
    ++places[static_cast<std::size_t>(first_violation(sequence).value())];
  }
  for (const int count : places) CHECK_THAT(count, WithinAbs(500, 4 * 21.2));
}

TEST_CASE("swaps never leave a sequence sorted, however many of its values are equal",
          "[sorting]") {
  for (const std::int64_t range : {2, 3, 100}) {
    CAPTURE(range);
    const Split train = train_of({.range = range, .crowded = 1, .sorted = 0}, 1000);
    CHECK(unsorted_of(train).size() == 1000);
  }
}

TEST_CASE("swaps violate the order in many places", "[sorting]") {
  double descents = 0;
  const std::vector<Sequence> unsorted =
      unsorted_of(train_of({.shortest = 60, .longest = 60, .range = 10'000}, 400));
  for (const Sequence& sequence : unsorted) {
    descents += count_descents(sequence);
    REQUIRE(count_descents(sequence) > 1);
  }
  // 20 swaps of 40 places, a few of them twice: about 19 descents, and about half of them again
  // where what came is followed by what is smaller.
  CHECK_THAT(descents / static_cast<double>(unsorted.size()), WithinAbs(21, 5));
}

TEST_CASE("mixed negatives have the given share of adjacent ones, exact up to rounding",
          "[sorting]") {
  // So long that swaps are never one swap of neighbours.
  for (const double adjacent : {0.0, 0.3, 0.5, 1.0}) {
    CAPTURE(adjacent);
    const std::vector<Sequence> unsorted = unsorted_of(train_of({.shortest = 40,
                                                                 .longest = 50,
                                                                 .range = 1000,
                                                                 .negatives = Negatives::kMixed,
                                                                 .adjacent = adjacent,
                                                                 .sorted = 0.4},
                                                                1001));
    CHECK(unsorted.size() == 601);
    CHECK(std::count_if(unsorted.begin(), unsorted.end(), is_one_swap_away) ==
          std::llround(601 * adjacent));
  }
}

TEST_CASE("crowded sequences have many ties, others few", "[sorting]") {
  const double none = share_of_ties(train_of({.crowded = 0}, 2000));
  const double half = share_of_ties(train_of({.crowded = 0.5}, 2000));
  const double all = share_of_ties(train_of({.crowded = 1}, 2000));
  CHECK_THAT(none, WithinAbs(expected_ties(12, 100), 0.005));
  CHECK(all > 4 * none);
  CHECK_THAT(half, WithinAbs((none + all) / 2, 0.03));
}

TEST_CASE("sorted sequences are crowded as often as unsorted ones", "[sorting]") {
  const Split train = train_of({.crowded = 0.5}, 4000);
  std::vector<int> narrow(2);
  const std::vector<Sequence> sequences = sequences_of(train);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto [least, most] = std::minmax_element(sequences[i].begin(), sequences[i].end());
    narrow[static_cast<std::size_t>(train.labels[i])] += *most - *least < 20;
  }
  CHECK(narrow[0] > 400);
  CHECK_THAT(narrow[1], WithinAbs(narrow[0], 100));
}

TEST_CASE("windows have all widths, with equal probability", "[sorting]") {
  // So many values that they fill their window.
  const Split train = train_of({.shortest = 2048, .longest = 2048, .range = 64, .crowded = 1}, 600);
  int narrow = 0;
  std::set<std::int32_t> widths, lowest;
  for (const Sequence& sequence : sequences_of(train)) {
    const auto [least, most] = std::minmax_element(sequence.begin(), sequence.end());
    widths.insert(*most - *least + 1);
    lowest.insert(*least);
    narrow += *most - *least + 1 < 8;
  }
  CHECK(*widths.begin() == 2);
  CHECK(*widths.rbegin() == 64);
  CHECK(*lowest.begin() == 0);
  CHECK(*lowest.rbegin() > 55);
  // (1/2 + … + 1/7) / (1/2 + … + 1/64), the deviation of 600 draws is 0.02.
  CHECK_THAT(narrow / 600.0, WithinAbs(0.4255, 0.08));
}

TEST_CASE("no sequence of train is in val or test", "[sorting]") {
  // Of 77 sorted and 175 unsorted sequences: most draws hit one that is held out.
  const Dataset data = generate_sorting({.shortest = 2, .longest = 3, .range = 6},
                                        {.train = 500, .val = 38, .test = 38, .test_lengths = {}});
  const Split& train = data.split("train");
  CHECK(train.size() == 500);
  CHECK(share_none(data.split("val"), train));
  CHECK(share_none(data.split("test"), train));
  CHECK(count_wrong_labels(train) == 0);
  CHECK(count_sorted_labels(train) == 250);
}

TEST_CASE("values are tokens of their own number, and labels have names", "[sorting]") {
  const Dataset data = generate_sorting({.range = 12}, only_train(20));
  CHECK(data.kind() == TargetKind::kLabel);
  CHECK(data.legend->classes == std::vector<std::string>{"unsorted", "sorted"});
  CHECK(data.legend->vocabulary.words().size() == 12);
  for (Token value = 0; value < 12; ++value)
    CHECK(data.legend->vocabulary.text(value) == std::to_string(value));
}

TEST_CASE("each sequence says how its order was violated", "[sorting]") {
  // So long that swaps are never one swap of neighbours.
  const Dataset data = generate_sorting(
      {.shortest = 40, .longest = 50, .negatives = Negatives::kMixed, .adjacent = 0.4},
      {.train = 500, .val = 10, .test = 10, .test_lengths = {64}});
  REQUIRE(data.legend->groups.size() == 1);
  CHECK(data.legend->groups[0].name == "violation");
  CHECK(data.legend->groups[0].values == std::vector<std::string>{"none", "swaps", "adjacent"});
  for (const auto& [name, split] : data.splits) {
    CAPTURE(name);
    REQUIRE(violations_of(split).size() == static_cast<std::size_t>(split.size()));
    for (std::int64_t i = 0; i < split.size(); ++i) {
      const Sequence sequence = sequence_of(split, i);
      const int expected = !first_violation(sequence) ? 0 : is_one_swap_away(sequence) ? 2 : 1;
      REQUIRE(violations_of(split)[static_cast<std::size_t>(i)] == expected);
    }
  }
}

TEST_CASE("sorting data survives its file", "[sorting]") {
  const Dataset data = generate_sorting(
      {.shortest = 4,
       .longest = 6,
       .range = 50,
       .negatives = Negatives::kMixed,
       .adjacent = 0.3,
       .crowded = 0.1,
       .sorted = 0.45,
       .fresh = true,
       .seed = 18'446'744'073'709'551'615U},
      {.train = 20, .val = 5, .test = 6, .test_lengths = {16, 8, 128}, .test_size = 4});
  const std::string bytes = to_safetensors(to_tensor_file(data));
  CHECK(dataset_from(parse_safetensors(bytes, "d"), "d") == data);
  CHECK(data.generator["name"] == "sorting");
  CHECK(data.generator["recipe"]["negatives"] == "mixed");
  CHECK(data.generator["recipe"]["seed"] == 18'446'744'073'709'551'615U);
}

TEST_CASE("a sequence does not depend on the number of others", "[sorting]") {
  const Dataset few = generate_sorting(
      {}, {.train = 50, .val = 10, .test = 10, .test_lengths = {32}, .test_size = 6});
  const Dataset many = generate_sorting(
      {}, {.train = 90, .val = 30, .test = 20, .test_lengths = {16, 32}, .test_size = 9});
  const auto begins_with = [](const Split& longer, const Split& shorter) {
    return std::equal(shorter.inputs.begin(), shorter.inputs.end(), longer.inputs.begin()) &&
           std::equal(shorter.labels.begin(), shorter.labels.end(), longer.labels.begin());
  };
  CHECK(begins_with(many.split("train"), few.split("train")));
  CHECK(begins_with(many.split("val"), few.split("val")));
  CHECK(begins_with(many.split("test"), few.split("test")));
  for (const char* name : {"test.swaps.32", "test.adjacent.32"})
    CHECK(begins_with(many.split(name), few.split(name)));
}

TEST_CASE("tests by length have both kinds of negatives and only their length", "[sorting]") {
  const Dataset data = generate_sorting(
      {.negatives = Negatives::kAdjacent, .crowded = 1, .sorted = 0.9, .fresh = true},
      {.train = 10, .val = 10, .test = 10, .test_lengths = {64, 24}, .test_size = 101});
  const std::vector<LengthTest> tests = length_tests(data);
  CHECK(tests.size() == 4);
  for (const LengthTest& test : tests) {
    CAPTURE(test.length, name_of(test.negatives));
    CHECK(test.split->size() == 101);
    for (const Sequence& sequence : sequences_of(*test.split))
      REQUIRE(std::ssize(sequence) == test.length);
    CHECK(count_sorted_labels(*test.split) == 51);
    const double ties = expected_ties(static_cast<double>(test.length), 100);
    CHECK_THAT(share_of_ties(*test.split), WithinAbs(ties, 0.02));  // not crowded
    for (const Sequence& sequence : unsorted_of(*test.split)) {
      REQUIRE(is_one_swap_away(sequence) == (test.negatives == Negatives::kAdjacent));
    }
  }
}

TEST_CASE("tests by length ignore settings that concern only training sequences", "[sorting]") {
  const SortingSizes sizes = {.train = 10, .val = 10, .test = 10, .test_lengths = {32}};
  const Dataset plain = generate_sorting({}, sizes);
  const Dataset other = generate_sorting({.shortest = 20,
                                          .longest = 30,
                                          .negatives = Negatives::kMixed,
                                          .crowded = 1,
                                          .sorted = 0.1,
                                          .fresh = true},
                                         sizes);
  for (const char* name : {"test.swaps.32", "test.adjacent.32"})
    CHECK(plain.split(name) == other.split(name));
}

TEST_CASE("sequences of two values can be generated, of either kind", "[sorting]") {
  for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent}) {
    const Split train =
        train_of({.shortest = 2, .longest = 2, .range = 50, .negatives = negatives}, 400);
    CHECK(count_wrong_labels(train) == 0);
    CHECK(unsorted_of(train).size() == 200);
  }
  const Dataset data =
      generate_sorting({.range = 2}, {.train = 10, .val = 2, .test = 2, .test_lengths = {2}});
  for (const LengthTest& test : length_tests(data)) {
    const std::vector<Sequence> unsorted = unsorted_of(*test.split);
    CHECK(unsorted == std::vector<Sequence>(250, Sequence{1, 0}));
  }
}

TEST_CASE("with a range of two values, sequences can be sorted and unsorted", "[sorting]") {
  const Dataset data = generate_sorting(
      {.range = 2, .negatives = Negatives::kMixed, .crowded = 0.5},
      {.train = 300, .val = 8, .test = 8, .test_lengths = {3, 1000}, .test_size = 20});
  CHECK(count_wrong_labels(data.split("train")) == 0);
  for (const Sequence& sequence : sequences_of(data.split("train")))
    REQUIRE(std::ranges::max(sequence) <= 1);
  for (const LengthTest& test : length_tests(data)) {
    CHECK(count_wrong_labels(*test.split) == 0);
    CHECK(count_sorted_labels(*test.split) == 10);
  }
}

TEST_CASE("long sequences are generated correctly", "[sorting]") {
  const Dataset data =
      generate_sorting({.shortest = 4000, .longest = 4096, .negatives = Negatives::kAdjacent},
                       {.train = 20, .val = 4, .test = 4, .test_lengths = {4096}, .test_size = 10});
  CHECK(count_wrong_labels(data.split("train")) == 0);
  for (const Sequence& sequence : unsorted_of(data.split("train")))
    CHECK(is_one_swap_away(sequence));
  CHECK(count_wrong_labels(data.split("test.swaps.4096")) == 0);
  for (const Sequence& sequence : unsorted_of(data.split("test.swaps.4096"))) {
    CHECK(count_descents(sequence) > 500);
  }
  for (const Sequence& sequence : unsorted_of(data.split("test.adjacent.4096"))) {
    CHECK(count_descents(sequence) == 1);
  }
}

// Of the values, with -1 as padding, and labels.
std::string digest_of_samples(const Dataset& data) {
  std::string bytes;
  for (const auto& [name, split] : data.splits) {
    Sequence values = split.inputs;
    std::ranges::replace(values, split.vocabulary().pad(), -1);
    bytes += sequence_bytes(values);
    bytes += sequence_bytes(split.labels);
  }
  return digest_of(bytes).short_hex();
}

// Other samples for the same parameters would make earlier results impossible to repeat.
TEST_CASE("the same recipe gives the same sequences as ever, in the same order", "[sorting]") {
  CHECK(digest_of_samples(generate_sorting({}, {})) == "762dd5d194d4");
  CHECK(digest_of_samples(generate_sorting(
            {.negatives = Negatives::kMixed, .crowded = 0.5},
            {.train = 1000, .val = 100, .test = 100, .test_lengths = {12, 64}})) == "e5d17a3dab53");
  CHECK(digest_of_samples(generate_sorting(
            {.negatives = Negatives::kMixed, .adjacent = 0.7, .crowded = 0.8, .fresh = true},
            {.test_lengths = {8, 12, 16, 24, 32, 64, 128, 256, 512, 1024}})) == "725c60833c94");
  CHECK(digest_of_samples(generate_sorting(
            {.shortest = 3,
             .longest = 40,
             .range = 17,
             .negatives = Negatives::kAdjacent,
             .sorted = 0.3,
             .seed = 9},
            {.train = 700, .val = 30, .test = 30, .test_lengths = {2, 5}})) == "b82b88f8ec94");
}

// Other bytes mean other data under the same parameters: then raise the stage type's version.
TEST_CASE("the same recipe gives the same file on every machine", "[sorting]") {
  const std::string bytes = to_safetensors(to_tensor_file(generate_sorting({}, {})));
  CHECK(digest_of(bytes).short_hex() == "c4b80b7b3937");
}

TEST_CASE("a different seed gives different sequences", "[sorting]") {
  CHECK(train_of({}, 50) == train_of({}, 50));
  CHECK(train_of({}, 50).inputs != train_of({.seed = 642}, 50).inputs);
  const Dataset data = generate_sorting({}, {.train = 50, .val = 50, .test = 50});
  CHECK(data.split("val").inputs != data.split("test").inputs);
}

TEST_CASE("nonsensical recipes are refused", "[sorting]") {
  CHECK(refusal(SortingRecipe{}) == "");
  CHECK(refusal({.shortest = 1}) ==
        "sequences of 1 to 16 values asked for; between 2 and 65536 can be");
  CHECK(refusal({.longest = 65'537}) ==
        "sequences of 8 to 65537 values asked for; between 2 and 65536 can be");
  CHECK(refusal({.shortest = 17}) ==
        "the shortest sequences have 17 values, but the longest only 16");
  CHECK(refusal({.range = 1}) == "a range of 1 asked for; between 2 and 1000000 can be");
  CHECK(refusal({.range = 1'000'001}) ==
        "a range of 1000001 asked for; between 2 and 1000000 can be");
  CHECK(refusal({.adjacent = 1.1}) ==
        "a share of 1.1 'adjacent' asked for; between 0 and 1 can be");
  CHECK(refusal({.crowded = -0.5}) ==
        "a share of -0.5 'crowded' asked for; between 0 and 1 can be");
  CHECK(refusal({.sorted = std::nan("")}) ==
        "a share of nan 'sorted' asked for; between 0 and 1 can be");
}

TEST_CASE("nonsensical sizes of sorting data are refused", "[sorting]") {
  const SortingRecipe recipe;
  CHECK(refusal(recipe, {}) == "");
  CHECK(refusal({.shortest = 17}, {}) == refusal({.shortest = 17}));
  CHECK(refusal(recipe, {.val = 0}) ==
        "10000 + 0 + 2000 sequences asked for; each split needs at least one");
  CHECK(refusal(recipe, {.test_lengths = {8, 1}}) ==
        "tests of length 1 asked for; between 2 and 65536 can be");
  CHECK(refusal(recipe, {.test_lengths = {65'537}}) ==
        "tests of length 65537 asked for; between 2 and 65536 can be");
  CHECK(refusal(recipe, {.test_lengths = {8, 32, 8}}) == "tests of length 8 asked for twice");
  CHECK(
      refusal(recipe, {.test_size = 1}) ==
      "1 sequences asked for each test by length; at least 2 are needed, a sorted and an unsorted "
      "one");
  CHECK(refusal(recipe, {.test_lengths = {}, .test_size = 0}) == "");
  CHECK(refusal({.longest = 65'536}, {.train = 100'000}) ==
        "6.82e+09 values in all sequences together; at most 1e+09 fit into memory");
  CHECK(refusal(recipe,
                {.test_lengths = {65'536}, .test_size = 100'000, .test_values = 100'000'000'000}) ==
        "1.31e+10 values in all sequences together; at most 1e+09 fit into memory");
  CHECK_THROWS_MATCHES(
      generate_sorting(recipe, {.val = 0}), Error,
      Message("10000 + 0 + 2000 sequences asked for; each split needs at least one"));
}

TEST_CASE("long tests have fewer sequences, so that no test has more values than requested",
          "[sorting]") {
  const SortingSizes sizes{.test_size = 500, .test_values = 131'072};
  CHECK(sizes.test_size_at(8) == 500);
  CHECK(sizes.test_size_at(256) == 500);
  CHECK(sizes.test_size_at(512) == 256);
  CHECK(sizes.test_size_at(1000) == 130);  // even: half of them are sorted
  CHECK(sizes.test_size_at(65'536) == 2);
  CHECK(SortingSizes{.test_size = 3, .test_values = 1}.test_size_at(100) == 2);
  const Dataset data = generate_sorting({}, {.train = 10,
                                             .val = 5,
                                             .test = 5,
                                             .test_lengths = {8, 64},
                                             .test_size = 9,
                                             .test_values = 256});
  CHECK(data.split("test.swaps.8").size() == 9);
  CHECK(data.split("test.swaps.64").size() == 4);
}

TEST_CASE("too few distinct sequences to keep splits disjoint are refused", "[sorting]") {
  const auto why = [](const SortingRecipe& recipe, std::int64_t val, std::int64_t test) {
    return refusal(recipe, {.train = 100, .val = val, .test = test});
  };
  const SortingRecipe smallest = {.shortest = 2, .longest = 2, .range = 2};
  CHECK(why(smallest, 1000, 1000) ==
        "500 + 500 sorted sequences asked for val and test, but there are only 3 different ones, "
        "of which at least half are to train on");
  CHECK(why(smallest, 1, 1) != "");
  SortingRecipe recipe = {.shortest = 2, .longest = 3, .range = 6};  // 21 + 56 sorted ones
  CHECK(why(recipe, 38, 38) == "");
  CHECK(why(recipe, 39, 38) != "");
  recipe.sorted = 0;  // 15 + 160 unsorted ones
  CHECK(why(recipe, 40, 47) == "");
  CHECK(why(recipe, 40, 48) ==
        "40 + 48 unsorted sequences asked for val and test, but there are only 175 different ones, "
        "of which at least half are to train on");
  recipe.negatives = Negatives::kAdjacent;  // 1 * 15 + 2 * 35 with one pair swapped
  CHECK(why(recipe, 40, 2) == "");
  CHECK(
      why(recipe, 40, 3) ==
      "40 + 3 sequences with two neighbours swapped asked for val and test, but there are only 85 "
      "different ones, of which at least half are to train on");
  recipe.negatives = Negatives::kMixed;
  recipe.adjacent = 1;
  CHECK(why(recipe, 40, 2) == "");
  CHECK(why(recipe, 40, 3) != "");
}

TEST_CASE("counting distinct sequences agrees with enumerating them", "[sorting]") {
  // The largest accepted number gives the count: every second sequence may be held out.
  const auto accepted = [](SortingRecipe recipe) {
    std::int64_t held_out = 1;
    while (refusal(recipe, {.train = 1, .val = held_out + 1, .test = 1}) == "") ++held_out;
    return held_out + 1;
  };
  for (const std::int64_t length : {3, 4, 5}) {
    for (const std::int64_t range : {3, 4}) {
      CAPTURE(length, range);
      std::int64_t sorted = 0, adjacent = 0, unsorted = 0;
      Sequence sequence(static_cast<std::size_t>(length));
      for (std::int64_t number = 0; number < std::pow(range, length); ++number) {
        std::int64_t rest = number;
        for (std::int32_t& value : sequence) {
          value = static_cast<std::int32_t>(rest % range), rest /= range;
        }
        const bool violated = first_violation(sequence).has_value();
        sorted += !violated;
        unsorted += violated;
        adjacent += is_one_swap_away(sequence);
      }
      SortingRecipe recipe = {.shortest = length, .longest = length, .range = range, .sorted = 1};
      CHECK(accepted(recipe) == sorted / 2);
      recipe.sorted = 0;
      CHECK(accepted(recipe) == unsorted / 2);
      recipe.negatives = Negatives::kAdjacent;
      CHECK(accepted(recipe) == adjacent / 2);
    }
  }
}

TEST_CASE("what is barely accepted can be generated", "[sorting]") {
  for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent}) {
    for (const std::int64_t range : {2, 3, 5}) {
      for (const std::int64_t longest : {3, 5, 12}) {
        for (const double crowded : {0.0, 1.0}) {
          CAPTURE(name_of(negatives), range, longest, crowded);
          const SortingRecipe recipe = {.shortest = 2,
                                        .longest = longest,
                                        .range = range,
                                        .negatives = negatives,
                                        .crowded = crowded};
          SortingSizes sizes = only_train(50);
          while (sizes.val < 1000 && refusal(recipe, sizes) == "") ++sizes.val;
          if (--sizes.val == 0) continue;
          const Dataset data = generate_sorting(recipe, sizes);
          CHECK(share_none(data.split("val"), data.split("train")));
        }
      }
    }
  }
}

TEST_CASE("refusals are quick, however large the recipe", "[sorting]") {
  CHECK(refusal({.shortest = 2, .longest = 65'536, .range = 1'000'000},
                {.train = 1000, .val = 1000, .test = 1000}) == "");
  CHECK(refusal({.shortest = 65'536, .longest = 65'536, .range = 2},
                {.train = 10, .val = 10, .test = 10, .test_lengths = {}}) == "");
}

}  // namespace
}  // namespace headway
