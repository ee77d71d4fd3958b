#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/extrapolation/sorting.h"

namespace headway {
namespace {

constexpr const char* kSortingFormat = "headway sorting 1";

Json recipe_json(const SortingRecipe& recipe) {
  return {{"shortest", recipe.shortest}, {"longest", recipe.longest},
          {"range", recipe.range},       {"negatives", name_of(recipe.negatives)},
          {"adjacent", recipe.adjacent}, {"crowded", recipe.crowded},
          {"sorted", recipe.sorted},     {"fresh", recipe.fresh},
          {"seed", recipe.seed}};
}

Json read_metadata(const TensorFile& file, const char* key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) throw Error(fmt::format("the metadata has no '{}'", key));
  std::optional<Json> json = parse_json(found->second);
  if (!json) {
    throw Error(
        fmt::format("the metadata's '{}' is no JSON: {}", key, fit(printable(found->second), 80)));
  }
  return *std::move(json);
}

template <class T>
T recipe_field(const Json& recipe, const char* key, bool (Json::*fits)() const, const char* what) {
  const auto found = recipe.find(key);
  if (found == recipe.end()) throw Error(fmt::format("the recipe has no '{}'", key));
  if (!((*found).*fits)()) {
    throw Error(
        fmt::format("the recipe's '{}' should be {}, but is {}", key, what, excerpt(*found, 40)));
  }
  return found->get<T>();
}

SortingRecipe read_recipe(const TensorFile& file) {
  const Json json = read_metadata(file, "recipe");
  const auto whole = [&](const char* key) {
    return recipe_field<std::int64_t>(json, key, &Json::is_number_integer, "a whole number");
  };
  const auto number = [&](const char* key) {
    return recipe_field<double>(json, key, &Json::is_number, "a number");
  };
  SortingRecipe recipe;
  recipe.shortest = whole("shortest");
  recipe.longest = whole("longest");
  recipe.range = whole("range");
  const auto name = recipe_field<std::string>(json, "negatives", &Json::is_string, "text");
  const std::optional<Negatives> negatives = negatives_of(name);
  if (!negatives) {
    throw Error(
        fmt::format("the recipe's 'negatives' should be swaps, adjacent or mixed, but is "
                    "'{}'",
                    fit(printable(name), 40)));
  }
  recipe.negatives = *negatives;
  recipe.adjacent = number("adjacent");
  recipe.crowded = number("crowded");
  recipe.sorted = number("sorted");
  recipe.fresh = recipe_field<bool>(json, "fresh", &Json::is_boolean, "true or false");
  recipe.seed =
      recipe_field<std::uint64_t>(json, "seed", &Json::is_number_unsigned, "a whole number from 0");
  if (const std::string why = refusal(recipe); !why.empty()) throw Error("the recipe: " + why);
  return recipe;
}

LengthTest read_length_test(const TensorFile& file, Negatives negatives, std::int64_t length,
                            std::int64_t range) {
  LengthTest test{negatives, length, {}};
  test.sequences = sequences_from(file, test.name(), range);
  for (std::int64_t row = 0; row < test.sequences.size(); ++row) {
    const std::int32_t is = test.sequences.lengths[static_cast<std::size_t>(row)];
    if (is != length) {
      throw Error(fmt::format("array '{}.lengths': row {}: {}, but every length there is {}",
                              test.name(), row, is, length));
    }
  }
  return test;
}

std::vector<LengthTest> read_length_tests(const TensorFile& file, std::int64_t range) {
  const Json lengths = read_metadata(file, "test_lengths");
  if (!lengths.is_array()) throw Error("the metadata's 'test_lengths' should be a list");
  std::vector<LengthTest> tests;
  for (const Json& length : lengths) {
    if (!length.is_number_integer()) {
      throw Error(fmt::format("the metadata's 'test_lengths' should hold whole numbers, but has {}",
                              excerpt(length, 40)));
    }
    for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent}) {
      tests.push_back(read_length_test(file, negatives, length.get<std::int64_t>(), range));
    }
  }
  return tests;
}

}  // namespace

TensorFile to_tensor_file(const SortingData& data) {
  TensorFile file;
  add_to(file, "train", data.train);
  add_to(file, "val", data.val);
  add_to(file, "test", data.test);
  Json lengths = Json::array();
  for (const LengthTest& test : data.tests) {
    add_to(file, test.name(), test.sequences);
    if (test.negatives == Negatives::kSwaps) lengths.push_back(test.length);
  }
  file.metadata["format"] = kSortingFormat;
  file.metadata["recipe"] = recipe_json(data.recipe).dump();
  file.metadata["test_lengths"] = lengths.dump();
  return file;
}

SortingData sorting_data_from(const TensorFile& file, const std::string& name) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kSortingFormat) {
    throw Error(
        fmt::format("{}: no data of the sorting task (its metadata should say format = "
                    "'{}')",
                    name, kSortingFormat));
  }
  try {
    SortingData data;
    data.recipe = read_recipe(file);
    data.train = sequences_from(file, "train", data.recipe.range);
    data.val = sequences_from(file, "val", data.recipe.range);
    data.test = sequences_from(file, "test", data.recipe.range);
    data.tests = read_length_tests(file, data.recipe.range);
    return data;
  } catch (const Error& error) {
    throw error.within(name);
  }
}

}  // namespace headway
