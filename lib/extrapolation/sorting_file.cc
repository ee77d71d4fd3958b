#include "lib/base/json_fields.h"
#include "lib/extrapolation/sorting.h"

namespace headway {
namespace {

constexpr const char* kSortingFormat = "headway sorting 1";

Json read_metadata(const TensorFile& file, const char* key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) throw Error("the metadata has no '{}'", key);
  std::optional<Json> json = parse_json(found->second);
  if (!json)
    throw Error("the metadata's '{}' is no JSON: {}", key, fit(printable(found->second), 80));
  return *std::move(json);
}

LengthTest read_length_test(const TensorFile& file, Negatives negatives, std::int64_t length,
                            std::int64_t range) {
  LengthTest test{negatives, length, {}};
  test.sequences = sequences_from(file, test.name(), range);
  for (std::int64_t row = 0; row < test.sequences.size(); ++row) {
    const std::int32_t is = test.sequences.lengths[static_cast<std::size_t>(row)];
    if (is != length)
      throw Error("array '{}.lengths': row {}: {}, but every length there is {}", test.name(), row,
                  is, length);
  }
  return test;
}

std::vector<LengthTest> read_length_tests(const TensorFile& file, std::int64_t range) {
  const Json lengths = read_metadata(file, "test_lengths");
  if (!lengths.is_array()) throw Error("the metadata's 'test_lengths' should be a list");
  std::vector<LengthTest> tests;
  for (const Json& length : lengths) {
    if (!length.is_number_integer())
      throw Error("the metadata's 'test_lengths' should hold whole numbers, but has {}",
                  excerpt(length, 40));
    for (const Negatives negatives : {Negatives::kSwaps, Negatives::kAdjacent})
      tests.push_back(read_length_test(file, negatives, length.get<std::int64_t>(), range));
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
  file.metadata["recipe"] = to_json_fields(data.recipe).dump();
  file.metadata["test_lengths"] = lengths.dump();
  return file;
}

SortingData sorting_data_from(const TensorFile& file, const std::string& name) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kSortingFormat)
    throw Error("{}: no data of the sorting task (its metadata should say format = '{}')", name,
                kSortingFormat);
  try {
    SortingData data;
    read_fields(read_metadata(file, "recipe"), "the recipe", data.recipe);
    if (const std::string why = refusal(data.recipe); !why.empty())
      throw Error("the recipe: " + why);
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
