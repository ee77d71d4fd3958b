// Classifiers as files, and files that are not classifiers.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"
#include "lib/nn/checkpoint.h"
#include "tests/nn/tiny_classifiers.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

std::string classifier_refusal(const TensorFile& file) {
  try {
    classifier_checkpoint_from(file, "model.safetensors");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> array_names(const TensorFile& file) {
  std::vector<std::string> names;
  for (const auto& [name, array] : file.arrays) names.push_back(name);
  return names;
}

TEST_CASE("a classifier survives a round trip through its bytes") {
  for (const Encoding encoding : kEveryEncoding) {
    for (const Pooling pooling : kEveryPooling) {
      const ClassifierCheckpoint checkpoint =
          random_classifier(tiny_classifier(encoding, pooling, 2));
      const std::string bytes = to_safetensors(to_tensor_file(checkpoint));
      const ClassifierCheckpoint read =
          classifier_checkpoint_from(parse_safetensors(bytes, "m"), "m");
      CHECK(to_json(read.config) == to_json(checkpoint.config));
      CHECK(to_safetensors(to_tensor_file(read)) == bytes);
    }
  }
}

TEST_CASE("a classifier's file has its arrays by name, including its encoding and pooling") {
  const auto names = [](Encoding encoding, Pooling pooling) {
    return array_names(to_tensor_file(random_classifier(tiny_classifier(encoding, pooling))));
  };
  const std::vector<std::string> plain = {"classify.0.bias",
                                          "classify.0.weight",
                                          "classify.1.bias",
                                          "classify.1.weight",
                                          "embedding",
                                          "encoder.0.feed.in.bias",
                                          "encoder.0.feed.in.weight",
                                          "encoder.0.feed.norm.bias",
                                          "encoder.0.feed.norm.gain",
                                          "encoder.0.feed.out.bias",
                                          "encoder.0.feed.out.weight",
                                          "encoder.0.self.norm.bias",
                                          "encoder.0.self.norm.gain",
                                          "encoder.0.self.out.bias",
                                          "encoder.0.self.out.weight",
                                          "encoder.0.self.qkv.bias",
                                          "encoder.0.self.qkv.weight"};
  for (const Encoding encoding :
       {Encoding::kSinusoidal, Encoding::kNone, Encoding::kRope, Encoding::kAlibi}) {
    CHECK(names(encoding, Pooling::kMean) == plain);
  }
  std::vector<std::string> more = plain;
  more.emplace_back("positions.learned");
  CHECK(names(Encoding::kLearned, Pooling::kMin) == more);
  more.back() = "positions.relative";
  CHECK(names(Encoding::kRelative, Pooling::kMax) == more);
  more = plain;
  more.emplace_back("pool.bias");
  more.emplace_back("pool.weight");
  CHECK(names(Encoding::kNone, Pooling::kMulti) == more);
}

TEST_CASE("a model of the other kind is refused by name") {
  const TensorFile classifier = to_tensor_file(random_classifier(tiny_classifier()));
  const TensorFile seq2seq = to_tensor_file(random_checkpoint(tiny_config()));
  CHECK(classifier_refusal(classifier).empty());
  CHECK(classifier_refusal(seq2seq) ==
        "model.safetensors: not a checkpoint of a sequence classifier (its metadata should say "
        "format = 'headway classifier 1')");
  std::string message;
  try {
    checkpoint_from(classifier, "model.safetensors");
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message ==
        "model.safetensors: not a checkpoint of a sequence-to-sequence model (its metadata should "
        "say format = 'headway seq2seq 1')");
}

TEST_CASE("a classifier's file with a missing, mismatched or extra array is refused by name") {
  const TensorFile good =
      to_tensor_file(random_classifier(tiny_classifier(Encoding::kLearned, Pooling::kMulti)));
  TensorFile missing = good;
  missing.arrays.erase("positions.learned");
  CHECK_THAT(classifier_refusal(missing),
             StartsWith("model.safetensors: no array 'positions.learned'"));
  TensorFile shaped = good;
  shaped.arrays["pool.bias"] = Array::of({2, 4}, std::vector<float>(8));
  CHECK(classifier_refusal(shaped) ==
        "model.safetensors: array 'pool.bias': F32 [8] was expected, but it is F32 [2, 4]");
  TensorFile more = good;
  more.arrays["extra"] = Array::of({1}, std::vector<float>(1));
  CHECK_THAT(classifier_refusal(more), ContainsSubstring("arrays, but a model of this shape has"));
}

TEST_CASE("a classifier description that is far too large is refused immediately") {
  const TensorFile good = to_tensor_file(random_classifier(tiny_classifier(Encoding::kLearned)));
  for (const char* key : {"d_model", "n_layers", "d_ff", "vocabulary", "classes", "trained_to"}) {
    CAPTURE(key);
    TensorFile file = good;
    Json description = *parse_json(good.metadata.at("model"));
    description[key] = key == std::string("n_layers") ? 64 : 1 << 20;
    file.metadata["model"] = description.dump();
    CHECK_THAT(classifier_refusal(file), StartsWith("model.safetensors: "));
  }
  TensorFile bare = good;
  bare.metadata.erase("model");
  CHECK(classifier_refusal(bare) == "model.safetensors: the metadata does not describe a model");
}

}  // namespace
}  // namespace headway::testing
