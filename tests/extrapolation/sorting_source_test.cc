// The new training sequences of each epoch.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/digest.h"
#include "lib/base/error.h"
#include "lib/extrapolation/sorting.h"

namespace headway {
namespace {

using Catch::Matchers::Message;

Dataset data_of(const SortingRecipe& recipe, std::int64_t train) {
  return generate_sorting(recipe, {.train = train, .val = 1, .test = 1, .test_lengths = {}});
}

bool have_none_in_common(const Split& a, const Split& b) {
  const SequenceSet of_a = inputs_of(a), of_b = inputs_of(b);
  return std::ranges::none_of(of_b, [&](std::string_view one) { return of_a.contains(one); });
}

std::string source_refusal(const Dataset& data) {
  try {
    sorting_source(data);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal_with_recipe(const std::string& key, const Json& value) {
  Dataset data = data_of({.fresh = true}, 5);
  data.generator["recipe"][key] = value;
  return source_refusal(data);
}

TEST_CASE("every fresh epoch is different, and reproducible", "[sorting]") {
  const Dataset data = data_of({.fresh = true}, 200);
  const Split& train = data.split("train");
  const SampleSource source = source_of(data, {{kSortingName, sorting_source}});
  REQUIRE(source.epoch);
  CHECK(source.epoch(0) == train);
  CHECK(source.epoch(1) == sorting_source(data).epoch(1));
  CHECK(source.epoch(1).inputs != train.inputs);
  CHECK(have_none_in_common(train, source.epoch(1)));
  CHECK(have_none_in_common(source.epoch(1), source.epoch(2)));
  CHECK(source.epoch(7).input_length == train.input_length);
  CHECK(source.epoch(7).groups.front().size() == 200);
}

// Other samples for the same parameters would make earlier results impossible to repeat.
TEST_CASE("an epoch has the same sequences as ever, in the same order", "[sorting]") {
  const Split epoch = sorting_source(data_of({.crowded = 0.5, .fresh = true}, 100)).epoch(5);
  std::vector<Token> values = epoch.inputs;
  std::ranges::replace(values, epoch.vocabulary().pad(), -1);
  CHECK(digest_of(sequence_bytes(values)).short_hex() == "6c1db7d27275");
}

TEST_CASE("a source outlives its dataset", "[sorting]") {
  Dataset data = data_of({.fresh = true}, 20);
  const SampleSource source = sorting_source(data);
  const Split before = source.epoch(3);
  data = {};
  CHECK(source.epoch(3) == before);
}

TEST_CASE("no sequence of any epoch is in val or test", "[sorting]") {
  // Of 77 sorted and 175 unsorted sequences: most draws hit one that is held out.
  const Dataset data = generate_sorting({.shortest = 2, .longest = 3, .range = 6, .fresh = true},
                                        {.train = 500, .val = 38, .test = 38, .test_lengths = {}});
  const SampleSource source = sorting_source(data);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    const Split train = source.epoch(epoch);
    CHECK(train.size() == 500);
    CHECK(have_none_in_common(data.split("val"), train));
    CHECK(have_none_in_common(data.split("test"), train));
    CHECK(std::ranges::count(train.labels, 1) == 250);
  }
}

TEST_CASE("without fresh epochs there is no other source than train", "[sorting]") {
  const SampleSource source = sorting_source(data_of({}, 20));
  CHECK_FALSE(source.epoch);
  CHECK(source.count == 0);
}

TEST_CASE("a training that runs out of sequences to draw ends with an error", "[sorting]") {
  // The whole range of two values, which is not possible with generate_sorting.
  Dataset data = generate_sorting({.shortest = 2, .longest = 3, .range = 2, .fresh = true},
                                  {.train = 4, .val = 1, .test = 1, .test_lengths = {}});
  Split& val = data.splits["val"];
  const Token pad = data.legend->vocabulary.pad();
  for (const std::vector<Token>& sequence : std::vector<std::vector<Token>>{{0, 0, pad},
                                                                            {0, 1, pad},
                                                                            {1, 1, pad},
                                                                            {1, 0, pad},
                                                                            {0, 0, 0},
                                                                            {0, 0, 1},
                                                                            {0, 1, 0},
                                                                            {0, 1, 1},
                                                                            {1, 0, 0},
                                                                            {1, 0, 1},
                                                                            {1, 1, 0},
                                                                            {1, 1, 1}}) {
    val.inputs.insert(val.inputs.end(), sequence.begin(), sequence.end());
    val.labels.push_back(0);
    val.groups.front().push_back(0);
  }
  CHECK_THROWS_MATCHES(sorting_source(data).epoch(1), Error,
                       Message("1000 draws gave no training sequence that is not in val or test; a "
                               "larger range or longer sequences give more different ones"));
}

TEST_CASE("a source of sequences needs its recipe", "[sorting]") {
  Dataset data = data_of({}, 5);
  CHECK(source_refusal(data) == "accepted");
  data.generator["recipe"] = Json::object();
  CHECK(source_refusal(data) == "the recipe has no 'shortest'");
  data.generator["recipe"] = "shortest: 8";
  CHECK(source_refusal(data) == "the recipe has no 'shortest'");
  data.generator.erase("recipe");
  CHECK(source_refusal(data) == "the generator has no 'recipe'");
}

TEST_CASE("a recipe with wrong fields is refused with the field", "[sorting]") {
  CHECK(refusal_with_recipe("range", 100) == "accepted");
  CHECK(refusal_with_recipe("range", 50.5) ==
        "the recipe's 'range' should be a whole number, but is 50.5");
  CHECK(refusal_with_recipe("sorted", "half") ==
        "the recipe's 'sorted' should be a number, but is \"half\"");
  CHECK(refusal_with_recipe("fresh", 1) ==
        "the recipe's 'fresh' should be true or false, but is 1");
  CHECK(refusal_with_recipe("seed", -1) ==
        "the recipe's 'seed' should be a whole number from 0, but is -1");
  CHECK(refusal_with_recipe("negatives", nullptr) ==
        "the recipe's 'negatives' should be one of swaps, adjacent, mixed, but is null");
  CHECK(refusal_with_recipe("shortest", 17) ==
        "the recipe: the shortest sequences have 17 values, but the longest only 16");
}

TEST_CASE("a recipe that did not make the data is refused", "[sorting]") {
  const std::string refused = "the data is not what its generator 'sorting' makes of its recipe";
  for (const auto& [key, value] : {std::pair{"range", 99}, {"longest", 17}, {"seed", 642}}) {
    CAPTURE(key);
    CHECK(refusal_with_recipe(key, value) == refused);
  }
  Dataset with_positions = data_of({}, 5);
  Split& val = with_positions.splits["val"];
  val.input_positions.assign(val.inputs.size(), 0);
  CHECK(source_refusal(with_positions) == refused);
}

}  // namespace
}  // namespace headway
