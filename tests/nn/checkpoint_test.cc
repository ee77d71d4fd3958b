#include "lib/nn/checkpoint.h"

#include <ATen/ops/zeros.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/analysis/head_removal.h"
#include "lib/base/error.h"
#include "lib/train/batches.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

std::string refusal_of(const TensorFile& file) {
  try {
    checkpoint_from(file, "model.safetensors");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a checkpoint survives a round trip through its bytes") {
  for (const Checkpoint& checkpoint :
       {random_checkpoint(tiny_config(2)),
        without_heads(random_checkpoint(tiny_config(1)), {{0, 0}, {1, 0}, {1, 1}})}) {
    const std::string bytes = to_safetensors(to_tensor_file(checkpoint));
    const Checkpoint read = checkpoint_from(parse_safetensors(bytes, "m"), "m");
    CHECK(to_json(read.config) == to_json(checkpoint.config));
    CHECK(to_safetensors(to_tensor_file(read)) == bytes);
  }
}

TEST_CASE("a file of another format is refused by name") {
  TensorFile file = to_tensor_file(random_checkpoint(tiny_config()));
  file.metadata["format"] = "headway seq2seq 2";
  CHECK(refusal_of(file) ==
        "model.safetensors: not a checkpoint of a sequence-to-sequence model (its metadata should "
        "say format = 'headway seq2seq 1')");
  file.metadata.erase("format");
  CHECK_THAT(refusal_of(file), StartsWith("model.safetensors: not a checkpoint"));
}

TEST_CASE("a missing, mismatched or extra array is refused by name") {
  const TensorFile good = to_tensor_file(random_checkpoint(tiny_config()));
  TensorFile missing = good;
  missing.arrays.erase("decoder.0.cross.kv.bias");
  CHECK_THAT(refusal_of(missing),
             StartsWith("model.safetensors: no array 'decoder.0.cross.kv.bias'"));
  TensorFile shaped = good;
  shaped.arrays["read_out.bias"] = Array::of({1, 14}, std::vector<float>(14));
  CHECK(refusal_of(shaped) ==
        "model.safetensors: array 'read_out.bias': F32 [14] was expected, but it is F32 [1, 14]");
  TensorFile typed = good;
  typed.arrays["read_out.bias"] = Array::of({14}, std::vector<double>(14));
  CHECK_THAT(refusal_of(typed), ContainsSubstring("but it is F64 [14]"));
  TensorFile more = good;
  more.arrays["extra"] = Array::of({1}, std::vector<float>(1));
  CHECK_THAT(refusal_of(more),
             StartsWith("model.safetensors: ") && ContainsSubstring("arrays, but"));
}

TEST_CASE("a model description that is invalid or far too large is refused immediately") {
  const TensorFile good = to_tensor_file(random_checkpoint(tiny_config()));
  const Json description = *parse_json(good.metadata.at("model"));
  const auto refused_with = [&](const char* key, const Json& value) {
    TensorFile file = good;
    Json changed = description;
    changed[key] = value;
    file.metadata["model"] = changed.dump();
    return refusal_of(file);
  };
  for (const char* key : {"d_model", "n_heads", "n_layers", "d_ff", "vocabulary"}) {
    CAPTURE(key);
    const std::vector<Json> hostile = {-1,    0,   1 << 20, 1LL << 62,        ~0ULL,
                                       1e300, "8", Json(),  Json::array({8}), Json::object()};
    for (const Json& value : hostile) {
      CAPTURE(value.dump());
      CHECK_THAT(refused_with(key, value), StartsWith("model.safetensors: "));
    }
  }
  for (const char* key : {"dropout", "attention_dropout"}) {
    const std::vector<Json> hostile = {-0.1, 1, 1e300, "0.1", Json()};
    for (const Json& value : hostile) {
      CAPTURE(key, value.dump());
      CHECK_THAT(refused_with(key, value), StartsWith("model.safetensors: "));
    }
  }
  const std::vector<Json> heads = {
      Json(),
      7,
      Json::object(),
      {{"encoder.0.self", {0, 1}}},
      {{"encoder.0.self", {0, 1 << 30}}, {"decoder.0.self", {0, 1}}, {"decoder.0.cross", {0, 1}}},
      {{"encoder.0.self", "all"}, {"decoder.0.self", {0, 1}}, {"decoder.0.cross", {0, 1}}}};
  for (const Json& value : heads) {
    CAPTURE(value.dump());
    CHECK_THAT(refused_with("heads", value), StartsWith("model.safetensors: "));
  }
}

TEST_CASE("metadata that is not a model description is refused") {
  TensorFile file = to_tensor_file(random_checkpoint(tiny_config()));
  for (const char* text : {"", "{", "[]", "7", "null", "\"d_model\"", "{\"d_model\": 8}"}) {
    CAPTURE(text);
    file.metadata["model"] = text;
    CHECK_THAT(refusal_of(file), StartsWith("model.safetensors: "));
  }
  file.metadata.erase("model");
  CHECK(refusal_of(file) == "model.safetensors: the metadata does not describe a model");
}

// Logits of the smaller checkpoint, and of the whole one with the heads' outputs set to zero.
void check_removal(const Checkpoint& checkpoint, const std::vector<HeadId>& removed) {
  const Checkpoint smaller = without_heads(checkpoint, removed);
  const Seq2SeqSplit split = uneven_additions(6);
  const Seq2SeqBatch batch = make_batch(split, 0, 6);
  const HeadReplacement zero;
  DropoutStream none;
  const at::Tensor masked =
      checkpoint.model().forward(batch, none, removing(checkpoint.config, removed, zero));
  CHECK(largest_difference(smaller.model().forward(batch, none), masked) < 1e-5);
  CHECK(smaller.config.heads().size() == checkpoint.config.heads().size() - removed.size());
  CHECK(smaller.parameters.count() < checkpoint.parameters.count());
}

TEST_CASE("a model without heads computes the same as the full one with their outputs zeroed") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  for (const HeadId& head : checkpoint.config.heads()) {
    CAPTURE(head.site, head.head);
    check_removal(checkpoint, {head});
  }
  check_removal(checkpoint, {{0, 1}, {1, 0}, {2, 1}, {5, 0}});
}

TEST_CASE("all heads of one attention, or of all, can be removed") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  for (const std::size_t site : {0, 2, 3}) check_removal(checkpoint, {{site, 0}, {site, 1}});
  check_removal(checkpoint, checkpoint.config.heads());
}

TEST_CASE("heads can be removed from a pruned model, by their original numbers") {
  Seq2SeqConfig config = tiny_config(1);
  config.n_heads = 4;
  const Checkpoint whole = random_checkpoint(config);
  const Checkpoint smaller = without_heads(whole, {{0, 0}, {1, 2}, {2, 1}});
  check_removal(smaller, {{0, 2}, {1, 3}, {2, 0}});
  const Checkpoint at_once = without_heads(whole, {{0, 0}, {0, 2}, {1, 2}, {1, 3}, {2, 0}, {2, 1}});
  const Checkpoint in_steps = without_heads(smaller, {{0, 2}, {1, 3}, {2, 0}});
  CHECK(to_json(at_once.config) == to_json(in_steps.config));
  CHECK(bytes_of(at_once.parameters) == bytes_of(in_steps.parameters));
}

TEST_CASE("removing heads does not change the original model") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(1));
  const std::string before = bytes_of(checkpoint.parameters);
  without_heads(checkpoint, {{0, 0}}).parameters.flat().fill_(3);
  without_heads(checkpoint, {}).parameters.flat().fill_(3);
  CHECK(bytes_of(checkpoint.parameters) == before);
}

}  // namespace
}  // namespace headway::testing
