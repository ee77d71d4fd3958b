// Models as files, and files that are not models.
#include "lib/nn/checkpoint.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

std::string checkpoint_refusal(const TensorFile& file) {
  try {
    checkpoint_from(file, "model.safetensors");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TensorFile tiny_file(ModelKind kind = ModelKind::kEncoderDecoder) {
  return to_tensor_file(random_checkpoint(tiny_config(kind)));
}

void check_round_trip(const Checkpoint& checkpoint) {
  const std::string bytes = to_safetensors(to_tensor_file(checkpoint));
  const Checkpoint read = checkpoint_from(parse_safetensors(bytes, "m"), "m");
  CHECK(to_json(read.config) == to_json(checkpoint.config));
  CHECK(read.tokens == checkpoint.tokens);
  CHECK(read.classes == checkpoint.classes);
  CHECK(to_safetensors(to_tensor_file(read)) == bytes);
}

TEST_CASE("a checkpoint survives a round trip through its bytes") {
  for (const ModelKind kind : kEveryKind) {
    for (const Encoding encoding : kEveryEncoding) {
      for (const FeedKind feed : kEveryFeed) {
        for (const NormPlace norm : kEveryNorm) {
          CAPTURE(name_of(kind), name_of(encoding), name_of(feed), name_of(norm));
          TransformerConfig config = tiny_config(kind, encoding, 2);
          config.ffn = feed;
          config.norm = norm;
          check_round_trip(random_checkpoint(config));
        }
      }
    }
  }
  for (const Pooling pooling : kEveryPooling) {
    TransformerConfig config = tiny_config(ModelKind::kEncoder);
    config.pooling = pooling;
    check_round_trip(random_checkpoint(config));
  }
}

TEST_CASE("so does a checkpoint without some of its units, or all of them") {
  for (const ModelKind kind : kEveryKind) {
    const Checkpoint checkpoint = random_checkpoint(tiny_config(kind));
    check_round_trip(without_units(checkpoint, {{0, 1}, {1, kWholeFeed}}));
    check_round_trip(without_units(checkpoint, checkpoint.config.units()));
  }
}

TEST_CASE("words of any kind can be tokens and classes") {
  Checkpoint checkpoint = random_checkpoint(tiny_config(ModelKind::kEncoder));
  checkpoint.tokens[3] = "\"[größer]\"\n";
  checkpoint.classes = {"not sorted", "sorted"};
  check_round_trip(checkpoint);
}

std::vector<std::string> array_names(const TransformerConfig& config) {
  std::vector<std::string> names;
  for (const auto& [name, array] : to_tensor_file(random_checkpoint(config)).arrays)
    names.push_back(name);
  return names;
}

TEST_CASE("the arrays of an encoder have the names of its layers, encoding and pooling") {
  const auto names = [](Encoding encoding, Pooling pooling) {
    TransformerConfig config = tiny_config(ModelKind::kEncoder, encoding);
    config.pooling = pooling;
    return array_names(config);
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

TEST_CASE("the arrays of a decoder have the names of its layers, and its last norm with pre-norm") {
  TransformerConfig config = tiny_config(ModelKind::kDecoder);
  config.ffn = FeedKind::kNone;
  std::vector<std::string> names = {"decoder.0.self.norm.bias",
                                    "decoder.0.self.norm.gain",
                                    "decoder.0.self.out.bias",
                                    "decoder.0.self.out.weight",
                                    "decoder.0.self.qkv.bias",
                                    "decoder.0.self.qkv.weight",
                                    "embedding",
                                    "read_out.bias",
                                    "read_out.weight"};
  CHECK(array_names(config) == names);
  config.norm = NormPlace::kPre;
  names.insert(names.begin() + 6, {"decoder.norm.bias", "decoder.norm.gain"});
  CHECK(array_names(config) == names);
}

// Weights are drawn by name, one after the other: these bytes decide what a seed trains.
TEST_CASE("the parameters of the addition study's model have their names, shapes and order") {
  TransformerConfig config;
  config.n_layers = 1;
  std::vector<std::string> shapes;
  for (const ParameterShape& shape : parameter_shapes(config)) {
    if (!shape.name.ends_with(".bias"))
      shapes.push_back(shape.name + " " + shape_text(shape.shape));
  }
  CHECK(shapes == std::vector<std::string>{
                      "encoder.embedding [14, 128]", "decoder.embedding [14, 128]",
                      "encoder.0.self.qkv.weight [384, 128]",
                      "encoder.0.self.out.weight [128, 128]", "encoder.0.self.norm.gain [128]",
                      "encoder.0.feed.in.weight [512, 128]", "encoder.0.feed.out.weight [128, 512]",
                      "encoder.0.feed.norm.gain [128]", "decoder.0.self.qkv.weight [384, 128]",
                      "decoder.0.self.out.weight [128, 128]", "decoder.0.self.norm.gain [128]",
                      "decoder.0.cross.q.weight [128, 128]", "decoder.0.cross.kv.weight [256, 128]",
                      "decoder.0.cross.out.weight [128, 128]", "decoder.0.cross.norm.gain [128]",
                      "decoder.0.feed.in.weight [512, 128]", "decoder.0.feed.out.weight [128, 512]",
                      "decoder.0.feed.norm.gain [128]", "read_out.weight [14, 128]"});
}

TEST_CASE("a file of another format is refused by name") {
  TensorFile file = tiny_file();
  file.metadata["format"] = "headway seq2seq 1";
  CHECK(checkpoint_refusal(file) ==
        "model.safetensors: not a checkpoint of a transformer (its metadata should say format = "
        "'headway transformer 1')");
  file.metadata.erase("format");
  CHECK_THAT(checkpoint_refusal(file), StartsWith("model.safetensors: not a checkpoint"));
}

TEST_CASE("a missing, mismatched or extra array is refused by name") {
  const TensorFile good = tiny_file();
  TensorFile missing = good;
  missing.arrays.erase("decoder.0.cross.kv.bias");
  CHECK_THAT(checkpoint_refusal(missing),
             StartsWith("model.safetensors: no array 'decoder.0.cross.kv.bias'"));
  TensorFile shaped = good;
  shaped.arrays["read_out.bias"] = Array::of({1, 14}, std::vector<float>(14));
  CHECK(checkpoint_refusal(shaped) ==
        "model.safetensors: array 'read_out.bias': F32 [14] was expected, but it is F32 [1, 14]");
  TensorFile typed = good;
  typed.arrays["read_out.bias"] = Array::of({14}, std::vector<double>(14));
  CHECK_THAT(checkpoint_refusal(typed), ContainsSubstring("but it is F64 [14]"));
  TensorFile more = good;
  more.arrays["extra"] = Array::of({1}, std::vector<float>(1));
  CHECK(checkpoint_refusal(more) ==
        "model.safetensors: 37 arrays, but a model of this shape has 36");
}

TEST_CASE("a model description that is invalid or far too large is refused immediately") {
  for (const ModelKind kind : kEveryKind) {
    const TensorFile good =
        to_tensor_file(random_checkpoint(tiny_config(kind, Encoding::kLearned)));
    const Json description = *parse_json(good.metadata.at("model"));
    const auto refused_with = [&](const std::string& key, const Json& value) {
      TensorFile file = good;
      Json changed = description;
      changed[key] = value;
      file.metadata["model"] = changed.dump();
      return checkpoint_refusal(file);
    };
    for (const auto& [key, value] : description.items()) {
      const std::vector<Json> hostile = {-1,  1 << 21, 1LL << 62,        ~0ULL,         1e300,
                                         "8", Json(),  Json::array({8}), Json::object()};
      for (const Json& wrong : hostile) {
        if (key == "position_seed" && wrong.is_number_integer() && wrong.dump() != "-1")
          continue;  // any is good
        CAPTURE(name_of(kind), key, wrong.dump());
        CHECK_THAT(refused_with(key, wrong), StartsWith("model.safetensors: "));
      }
    }
    for (const char* key : {"d_model", "d_ff", "vocabulary", "trained_to"}) {
      CAPTURE(name_of(kind), key);
      CHECK_THAT(refused_with(key, 1 << 20), StartsWith("model.safetensors: "));
    }
    CHECK_THAT(refused_with("n_layers", 64), StartsWith("model.safetensors: "));
    for (const ModelKind other : kEveryKind) {
      if (other == kind) continue;
      CHECK_THAT(refused_with("kind", name_of(other)), StartsWith("model.safetensors: "));
    }
  }
}

TEST_CASE("metadata that is not a model description is refused") {
  TensorFile file = tiny_file();
  for (const char* text : {"", "{", "[]", "7", "null", "\"d_model\"", "{\"d_model\": 8}"}) {
    CAPTURE(text);
    file.metadata["model"] = text;
    CHECK_THAT(checkpoint_refusal(file), StartsWith("model.safetensors: "));
  }
  file.metadata.erase("model");
  CHECK(checkpoint_refusal(file) == "model.safetensors: the metadata should have 'model' as JSON");
}

TEST_CASE("a file must name as many tokens and classes as its model has") {
  for (const char* key : {"tokens", "classes"}) {
    const TensorFile good = tiny_file(ModelKind::kEncoder);
    for (const char* text :
         {"", "{", "7", "null", "[1, 2]", "[\"0\", 1]", "{\"a\": 2}", "\"ab\""}) {
      CAPTURE(key, text);
      TensorFile file = good;
      file.metadata[key] = text;
      CHECK_THAT(checkpoint_refusal(file), StartsWith("model.safetensors: "));
    }
    TensorFile file = good;
    file.metadata[key] = "[\"a\", \"b\", \"c\"]";
    CHECK_THAT(checkpoint_refusal(file),
               ContainsSubstring("are named, but the model has 10 and 2"));
    file.metadata.erase(key);
    CHECK_THAT(checkpoint_refusal(file),
               StartsWith("model.safetensors: the metadata should have '"));
  }
}

}  // namespace
}  // namespace headway::testing
