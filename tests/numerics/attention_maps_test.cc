#include "lib/numerics/attention_maps.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include "lib/base/error.h"

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

using Texts = std::vector<std::string>;

TEST_CASE("each problem has its tokens and weights, and without texts tokens are numbers") {
  const TensorFile file = small_maps_file();
  const AttentionMaps maps(file);
  CHECK(maps.problems() == Texts{"first", "second"});
  CHECK(maps.tokens("inputs", 0) == Texts{"1", "2"});
  CHECK(maps.tokens("decoder_inputs", 1) == Texts{"6"});
  CHECK(maps.weights(maps.sites()[0], 1).empty());
  CHECK(maps.weights(maps.sites()[2], 1) == std::vector<float>{4, 5, 6, 7});
  CHECK(maps.answer(1).empty());
}

TEST_CASE("tokens have the file's texts, and markers are in capitals") {
  TensorFile file = small_maps_file();
  file.metadata["tokens"] = R"(["a word","","pad","é","pad","bos","end"])";
  file.arrays["inputs"] = Array::of({2, 2}, std::vector<std::int32_t>{0, 3, 2, 4});
  file.arrays["decoder_inputs"] = Array::of({2, 1}, std::vector<std::int32_t>{5, 7});
  const AttentionMaps maps(file);
  CHECK(maps.tokens("inputs", 0) == Texts{"a word", "é"});
  CHECK(maps.tokens("inputs", 1) == Texts{"pad", "PAD"});  // a word, and the marker
  CHECK(maps.tokens("decoder_inputs", 0) == Texts{"BOS"});
  CHECK(maps.tokens("decoder_inputs", 1) == Texts{"?7"});
}

TEST_CASE("padding is cut off tokens and weights") {
  TensorFile file = small_maps_file();
  file.arrays["input_lengths"] = Array::of({2}, std::vector<std::int32_t>{2, 1});
  {
    const AttentionMaps maps(file);
    CHECK(maps.tokens("inputs", 0) == Texts{"1", "2"});
    CHECK(maps.tokens("inputs", 1) == Texts{"3"});
    CHECK(maps.weights(maps.sites()[2], 0) == std::vector<float>{0, 1, 2, 3});
    CHECK(maps.weights(maps.sites()[2], 1) == std::vector<float>{4, 6});
    CHECK(maps.weights(maps.sites()[1], 1).size() == 1);
  }
  for (const std::int32_t wrong : {0, 3, -1}) {
    file.arrays["input_lengths"] = Array::of({2}, std::vector<std::int32_t>{2, wrong});
    CHECK_THROWS_WITH(AttentionMaps(file).tokens("inputs", 1),
                      "problem 1 has " + std::to_string(wrong) +
                          " of the 2 tokens in 'inputs': at least one is expected, and no more");
  }
}

TEST_CASE("an answer ends where its end marker is, and has no padding") {
  TensorFile file = small_maps_file();
  file.metadata["tokens"] = R"(["a","b","pad","bos","end"])";
  file.arrays["targets"] = Array::of({2, 3}, std::vector<std::int32_t>{0, 4, 2, 1, 0, 2});
  file.arrays["predictions"] = Array::of({2, 3}, std::vector<std::int32_t>{4, 1, 1, 3, 2, 1});
  const AttentionMaps maps(file);
  CHECK(maps.answer_tokens("targets", 0) == Texts{"a"});
  CHECK(maps.answer_tokens("targets", 1) == Texts{"b", "a"});
  CHECK(maps.answer_tokens("predictions", 0).empty());
  CHECK(maps.answer_tokens("predictions", 1) == Texts{"BOS", "PAD", "b"});
  file.metadata.erase("tokens");
  CHECK(AttentionMaps(file).answer_tokens("targets", 0) == Texts{"0", "4", "2"});
}

TEST_CASE("a model is asked for some of the next tokens") {
  TensorFile file = small_maps_file();
  file.metadata["tokens"] = R"(["a","b"])";
  file.arrays["decoder_inputs"] = Array::of({2, 3}, std::vector<std::int32_t>{0, 1, 0, 1, 1, 1});
  file.arrays["decoder.0.cross"] = Array::of({2, 1, 3, 2}, std::vector<float>(12));
  file.arrays["next"] = Array::of({2, 3}, std::vector<std::int32_t>{-1, 0, 1, -1, -1, -1});
  file.arrays["decoder_lengths"] = Array::of({2}, std::vector<std::int32_t>{2, 3});
  CHECK(AttentionMaps(file).next_tokens("next", 0) ==
        std::vector<std::optional<std::string>>{std::nullopt, "a"});
  CHECK(AttentionMaps(file).next_tokens("next", 1).size() == 3);
  file.arrays["next"] = Array::of({2, 2}, std::vector<std::int32_t>(4));
  CHECK_THROWS_AS(AttentionMaps(file).next_tokens("next", 0), Error);
}

TEST_CASE("what was answered and what is right are texts of each problem") {
  TensorFile file = small_maps_file();
  file.metadata["answers"] = R"(["yes","no"])";
  file.metadata["wanted"] = R"(["no","no"])";
  {
    const AttentionMaps maps(file);
    CHECK(maps.answer(0) == "yes");
    CHECK(maps.wanted(0) == "no");
  }
  file.metadata["answers"] = R"(["yes"])";
  CHECK_THROWS_WITH(AttentionMaps(file), "metadata 'answers' has 1 texts for 2 problems");
  file.metadata["answers"] = "[1,2]";
  CHECK_THROWS_WITH(AttentionMaps(file),
                    "metadata 'answers' must be a JSON list of texts, with at least one");
}

TEST_CASE("a file says whether it has attention maps") {
  TensorFile file = small_maps_file();
  CHECK_FALSE(AttentionMaps::are_in(file));
  file.metadata["tokens"] = "[]";
  CHECK(AttentionMaps::are_in(file));
  CHECK_THROWS_AS(AttentionMaps(file), Error);
  file.metadata.erase("problems");
  CHECK_FALSE(AttentionMaps::are_in(file));
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
