#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/extrapolation/sorting.h"

namespace headway {
namespace {

SortingData little_data() {
  return generate_sorting(
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
}

std::string reader_says(const TensorFile& file) {
  try {
    sorting_data_from(file, "d");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string reader_says_with_recipe(const std::string& key, const Json& value) {
  TensorFile file = to_tensor_file(little_data());
  Json recipe = Json::parse(file.metadata["recipe"]);
  recipe[key] = value;
  file.metadata["recipe"] = recipe.dump();
  return reader_says(file);
}

TEST_CASE("sorting data survives a round trip, with its fresh epochs and the order of its tests",
          "[sorting]") {
  const SortingData data = little_data();
  const std::string bytes = to_safetensors(to_tensor_file(data));
  const SortingData read = sorting_data_from(parse_safetensors(bytes, "d"), "d");
  CHECK(read == data);
  CHECK(read.tests[0].length == 16);
  CHECK(read.train_epoch(3) == data.train_epoch(3));
  CHECK(to_safetensors(to_tensor_file(read)) == bytes);
}

TEST_CASE("sorting data without tests by length survives a round trip", "[sorting]") {
  const SortingData data =
      generate_sorting({}, {.train = 5, .val = 5, .test = 5, .test_lengths = {}});
  CHECK(sorting_data_from(to_tensor_file(data), "d") == data);
}

TEST_CASE("a file of sorting data describes its contents", "[sorting]") {
  const TensorFile file = to_tensor_file(little_data());
  CHECK(file.metadata.at("format") == "headway sorting 1");
  CHECK(file.metadata.at("test_lengths") == "[16,8,128]");
  const Json recipe = Json::parse(file.metadata.at("recipe"));
  CHECK(recipe["negatives"] == "mixed");
  CHECK(recipe["seed"] == 18'446'744'073'709'551'615U);
  CHECK(file.at("train.values").shape == std::vector<std::int64_t>{20, 6});
  CHECK(file.at("test.adjacent.128.values").shape == std::vector<std::int64_t>{4, 128});
}

TEST_CASE("a file that is not sorting data is refused", "[sorting]") {
  TensorFile file = to_tensor_file(little_data());
  file.metadata["format"] = "headway sorting 2";
  CHECK(reader_says(file) ==
        "d: no data of the sorting task (its metadata should say format = 'headway sorting 1')");
  file.metadata.erase("format");
  CHECK(reader_says(file) ==
        "d: no data of the sorting task (its metadata should say format = 'headway sorting 1')");
}

TEST_CASE("sorting data without its recipe is refused", "[sorting]") {
  TensorFile file = to_tensor_file(little_data());
  file.metadata["recipe"] = "shortest: 8";
  CHECK(reader_says(file) == "d: the metadata's 'recipe' is no JSON: shortest: 8");
  file.metadata["recipe"] = "{}";
  CHECK(reader_says(file) == "d: the recipe has no 'shortest'");
  file.metadata["recipe"] = "[]";
  CHECK(reader_says(file) == "d: the recipe has no 'shortest'");
  file.metadata.erase("recipe");
  CHECK(reader_says(file) == "d: the metadata has no 'recipe'");
}

TEST_CASE("a recipe with wrong fields is refused with the field", "[sorting]") {
  CHECK(reader_says_with_recipe("range", 50) == "accepted");
  CHECK(reader_says_with_recipe("range", 50.5) ==
        "d: the recipe's 'range' should be a whole number, but is 50.5");
  CHECK(reader_says_with_recipe("sorted", "half") ==
        "d: the recipe's 'sorted' should be a number, but is \"half\"");
  CHECK(reader_says_with_recipe("fresh", 1) ==
        "d: the recipe's 'fresh' should be true or false, but is 1");
  CHECK(reader_says_with_recipe("seed", -1) ==
        "d: the recipe's 'seed' should be a whole number from 0, but is -1");
  CHECK(reader_says_with_recipe("negatives", "swap") ==
        "d: the recipe's 'negatives' should be one of swaps, adjacent, mixed, but is \"swap\"");
  CHECK(reader_says_with_recipe("negatives", nullptr) ==
        "d: the recipe's 'negatives' should be one of swaps, adjacent, mixed, but is null");
  CHECK(reader_says_with_recipe("shortest", 7) ==
        "d: the recipe: the shortest sequences have 7 values, but the longest only 6");
}

TEST_CASE("sorting data with bad arrays is refused with the array", "[sorting]") {
  const TensorFile good = to_tensor_file(little_data());
  TensorFile file = good;
  file.arrays.erase("val.labels");
  CHECK(reader_says(file).starts_with("d: no array 'val.labels'; there are test.adjacent.128."));
  CHECK(reader_says_with_recipe("range", 2).starts_with("d: array 'train.values': row 0: "));
  file = good;
  file.arrays["test.swaps.8.values"] = file.arrays["test.swaps.16.values"];
  file.arrays["test.swaps.8.lengths"] = file.arrays["test.swaps.16.lengths"];
  CHECK(reader_says(file) ==
        "d: array 'test.swaps.8.lengths': row 0: 16, but every length there is 8");
}

TEST_CASE("tests by length that the metadata lists wrongly are refused", "[sorting]") {
  TensorFile file = to_tensor_file(little_data());
  file.metadata["test_lengths"] = "[16, 8, 99]";
  CHECK(reader_says(file).starts_with("d: no array 'test.swaps.99.values'; there are"));
  file.metadata["test_lengths"] = "[\"16\"]";
  CHECK(reader_says(file) ==
        "d: the metadata's 'test_lengths' should hold whole numbers, but has \"16\"");
  file.metadata["test_lengths"] = "16";
  CHECK(reader_says(file) == "d: the metadata's 'test_lengths' should be a list");
  file.metadata.erase("test_lengths");
  CHECK(reader_says(file) == "d: the metadata has no 'test_lengths'");
}

}  // namespace
}  // namespace headway
