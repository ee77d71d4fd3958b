#include "lib/analysis/activations.h"

#include <ATen/ATen.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

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
    ThreadTeam team(2);
    file = record_activations(checkpoint.model(kLongest), data, all_of(data), patterns, team);
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
    std::set<std::string> names;
    for (const NamedHook& hook : named_hooks(recorded.config)) {
      CAPTURE(hook.name);
      CHECK(names.insert(hook.name).second);
      REQUIRE(recorded.file.arrays.contains(hook.name));
      CHECK(recorded.file.arrays.at(hook.name).shape.front() == recorded.data.size());
    }
    for (const auto& [name, array] : recorded.file.arrays) {
      if (name.find('.') != std::string::npos) CHECK(names.contains(name));
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
  ThreadTeam team(1);
  const TensorFile file = record_activations(random_checkpoint(config).model(kLongest), data,
                                             all_of(data), {"*"}, team);
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

TEST_CASE("recorded in several batches of different lengths, each sample is as if alone") {
  TransformerConfig config = tiny_config(ModelKind::kEncoderDecoder);
  const Split data = uneven_data(ModelKind::kEncoderDecoder, 300);
  config = shaped_for(config, dataset_of(data, data));
  const Checkpoint checkpoint = random_checkpoint(config);
  const Transformer model = checkpoint.model(kLongest);
  ThreadTeam team(2);
  const std::vector<std::string> hooks = {"decoder.0.cross.weights", "encoder.0.resid_post"};
  const TensorFile all = record_activations(model, data, all_of(data), hooks, team);
  for (const std::int64_t sample : {0, 131, 299}) {
    const std::vector<std::int64_t> one = {sample};
    const TensorFile alone = record_activations(model, data, one, hooks, team);
    const Array &of_all = all.arrays.at(hooks[1]), &of_one = alone.arrays.at(hooks[1]);
    const auto values = of_all.floats(), expected = of_one.floats();  // [N, T, d]
    const std::int64_t from = sample * of_all.shape[1] * of_all.shape[2];
    for (std::size_t i = 0; i < expected.size(); ++i)
      REQUIRE(std::abs(values[static_cast<std::size_t>(from) + i] - expected[i]) < 1e-5F);
    CHECK(all.arrays.at("input_lengths").ints()[static_cast<std::size_t>(sample)] ==
          data.input_size(sample));
  }
}

TEST_CASE("a feed-forward layer that was removed has no inside to be seen") {
  const TransformerConfig config = tiny_config(ModelKind::kDecoder);
  std::vector<Unit> feeds;
  for (const Unit& unit : config.units()) {
    if (config.sites()[unit.site].is_feed()) feeds.push_back(unit);
  }
  for (const NamedHook& hook : named_hooks(config.without(feeds)))
    CHECK(hook.point != HookPoint::kHidden);
}

TEST_CASE("a hook that there is not is refused with those that there are") {
  CHECK_THROWS_MATCHES(
      Recorded(ModelKind::kEncoder, {"encoder.0.self.zz"}), Error,
      MessageMatches(ContainsSubstring("no hook 'encoder.0.self.zz'; there are ") &&
                     ContainsSubstring("encoder.1.resid_post") &&
                     ContainsSubstring("; did you mean 'encoder.0.self.z'?")));
  CHECK_THROWS_MATCHES(Recorded(ModelKind::kEncoder, {"*", "decoder.*"}), Error,
                       MessageMatches(ContainsSubstring("no hook 'decoder.*'")));
}

}  // namespace
}  // namespace headway::testing
