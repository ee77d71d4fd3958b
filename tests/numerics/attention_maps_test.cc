#include "lib/numerics/attention_maps.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

// Two problems of two input tokens and one answer token.
TensorFile small_maps_file() {
  TensorFile file;
  file.metadata["problems"] = R"(["first","second"])";
  file.arrays["inputs"] = Array::of({2, 2}, std::vector<std::int32_t>{1, 2, 3, 4});
  file.arrays["decoder_inputs"] = Array::of({2, 1}, std::vector<std::int32_t>{5, 6});
  file.arrays["decoder.0.cross"] =
      Array::of({2, 2, 1, 2}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7});
  file.arrays["encoder.10.self"] = Array::of({2, 1, 2, 2}, std::vector<float>(8));
  file.arrays["encoder.9.self"] = Array::of({2, 0, 2, 2}, std::vector<float>());
  file.arrays["encoder.9.cross"] = Array::of({1}, std::vector<float>(1));  // no attention
  return file;
}

TEST_CASE("attention maps are in the order of stacks and layers") {
  const TensorFile file = small_maps_file();
  std::vector<std::string> labels;
  for (const AttentionMaps::Site& site : AttentionMaps(file).sites())
    labels.push_back(site.label() + " " + std::to_string(site.heads()));
  CHECK(labels == std::vector<std::string>{"Encoder L9 0", "Encoder L10 1", "Decoder Cross L0 2"});
}

TEST_CASE("each problem has its tokens and weights") {
  const TensorFile file = small_maps_file();
  const AttentionMaps maps(file);
  CHECK(maps.problems() == std::vector<std::string>{"first", "second"});
  CHECK(maps.tokens("inputs", 0) == std::vector<std::int32_t>{1, 2});
  CHECK(maps.tokens("decoder_inputs", 1) == std::vector<std::int32_t>{6});
  CHECK(maps.weights(maps.sites()[0], 1).empty());
  CHECK(maps.weights(maps.sites()[2], 1) == std::vector<float>{4, 5, 6, 7});
}

TEST_CASE("heads count from 0 if the metadata do not number them") {
  TensorFile file = small_maps_file();
  const auto numbers = [&] {
    const AttentionMaps maps(file);
    return maps.heads_of(maps.sites()[2]);
  };
  CHECK(numbers() == Json({0, 1}));
  file.metadata["heads"] = R"({"decoder.0.cross":[3,5]})";
  CHECK(numbers() == Json({3, 5}));
  file.metadata["heads"] = "{}";
  CHECK(numbers() == Json::array());
}

}  // namespace
}  // namespace headway
