#include "lib/analysis/activations.h"

#include <ATen/ATen.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"
#include "lib/train/scoring.h"
#include "lib/train/transformer_task.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/tiny_data.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

struct Recorded {
  TransformerConfig config;
  Checkpoint checkpoint;
  Split data;
  TensorFile file;

  Recorded(ModelKind kind, const std::vector<std::string>& patterns)
      : config(tiny_config(kind, 2)),
        checkpoint(config, {}, {}, Parameters({})),
        data(uneven_data(kind, 6)) {
    config = shaped_for(config, dataset_of(data, data));
    checkpoint = random_checkpoint(config);
    file = record_activations(checkpoint.model(kLongest), data, all_of(data), patterns);
  }
  at::Tensor tensor(const std::string& name) const {
    const Array& array = file.arrays.at(name);
    return at::tensor(array.floats()).view(array.shape);
  }
};

TEST_CASE("every hook that a model names is recorded, once for each sample") {
  for (const ModelKind kind : kEveryKind) {
    const Recorded recorded(kind, {"*"});
    CAPTURE(name_of(kind));
    for (const std::string& name : hook_names(recorded.config)) {
      CAPTURE(name);
      REQUIRE(recorded.file.arrays.contains(name));
      CHECK(recorded.file.arrays.at(name).shape.front() == recorded.data.size());
    }
    for (const auto& [name, array] : recorded.file.arrays) {
      const auto names = hook_names(recorded.config);
      if (name.find('.') != std::string::npos) CHECK(std::ranges::count(names, name) == 1);
    }
  }
}

TEST_CASE("what is recorded fits together: heads give values by their weights") {
  const Recorded recorded(ModelKind::kDecoder, {"decoder.1.*"});
  CHECK_FALSE(recorded.file.arrays.contains("decoder.0.resid_post"));
  const at::Tensor z = recorded.tensor("decoder.1.self.z");              // [N, T, H, D]
  const at::Tensor weights = recorded.tensor("decoder.1.self.weights");  // [N, H, T, S]
  const at::Tensor v = recorded.tensor("decoder.1.self.v");              // [N, S, H, D]
  const at::Tensor expected = at::matmul(weights, v.transpose(1, 2)).transpose(1, 2);
  CHECK(at::allclose(z, expected, 1e-4, 1e-5));
}

TEST_CASE("with norms before the sublayers, a block adds what its sublayers give") {
  TransformerConfig config = tiny_config(ModelKind::kDecoder);
  config.norm = NormPlace::kPre;
  const Split data = uneven_data(ModelKind::kDecoder, 5);
  config = shaped_for(config, dataset_of(data, data));
  const TensorFile file =
      record_activations(random_checkpoint(config).model(kLongest), data, all_of(data), {"*"});
  const auto floats = [&](const char* name) { return file.arrays.at(name).floats(); };
  const auto before = floats("decoder.0.resid_pre"), after = floats("decoder.0.resid_post");
  const auto attention = floats("decoder.0.self.out"), feed = floats("decoder.0.feed.out");
  for (std::size_t i = 0; i < before.size(); ++i)
    REQUIRE(std::abs(before[i] + attention[i] + feed[i] - after[i]) < 1e-4F);
}

TEST_CASE("the tokens stand beside the activations, and lengths where rows are padded") {
  const Recorded recorded(ModelKind::kEncoderDecoder, {"encoder.0.resid_pre"});
  CHECK(recorded.file.arrays.at("inputs").shape[1] ==
        recorded.file.arrays.at("encoder.0.resid_pre").shape[1]);
  for (const char* name : {"decoder_inputs", "targets", "input_lengths", "decoder_lengths"})
    CHECK(recorded.file.arrays.contains(name));
  CHECK(Json::parse(recorded.file.metadata.at("samples")).size() == 6);
}

TEST_CASE("a hook that there is not is refused with those that there are") {
  CHECK_THROWS_MATCHES(Recorded(ModelKind::kEncoder, {"encoder.0.self.zz"}), Error,
                       MessageMatches(ContainsSubstring("no hook 'encoder.0.self.zz'; did you mean "
                                                        "'encoder.0.self.z'?") &&
                                      ContainsSubstring("encoder.1.resid_post")));
  CHECK_THROWS_MATCHES(Recorded(ModelKind::kEncoder, {"*", "decoder.*"}), Error,
                       MessageMatches(ContainsSubstring("no hook 'decoder.*'")));
}

}  // namespace
}  // namespace headway::testing
