// What a batch has many times is found, computed once, and makes no difference.
#include "lib/nn/repeats.h"

#include <ATen/ATen.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/nn/transformer.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;

std::vector<std::int64_t> values_of(const Tensor& tensor) {
  const Tensor wide = tensor.to(at::kLong).contiguous();
  return {wide.data_ptr<std::int64_t>(), wide.data_ptr<std::int64_t>() + wide.numel()};
}

using Numbers = std::vector<std::int64_t>;

TEST_CASE("distinct tokens are numbered as they come, with or without their places") {
  const Tensor tokens = at::tensor({4, 1, 4, 1, 1, 4, 4, 1}, at::kInt).view({4, 2});
  const auto anywhere = find_occurrences(tokens, 5, false);
  REQUIRE(anywhere);
  CHECK(values_of(anywhere->tokens) == Numbers{4, 1});
  CHECK(values_of(anywhere->numbers) == Numbers{0, 1, 0, 1, 1, 0, 0, 1});
  const auto in_place = find_occurrences(tokens, 5, true);
  REQUIRE(in_place);
  CHECK(values_of(in_place->tokens) == Numbers{4, 1, 1, 4});
  CHECK(values_of(in_place->places) == Numbers{0, 1, 0, 1});
  CHECK(values_of(in_place->numbers) == Numbers{0, 1, 0, 1, 2, 3, 0, 1});
}

TEST_CASE("where most tokens are distinct, nothing is to be saved") {
  CHECK_FALSE(find_occurrences(at::tensor({1, 2, 3, 4, 1}, at::kInt).view({1, 5}), 5, false));
  CHECK_FALSE(find_occurrences(at::tensor({1}, at::kInt).view({1, 1}), 5, false));
  CHECK_FALSE(find_occurrences(at::zeros({1, 9}, at::kInt), 5, true));
  CHECK_FALSE(find_occurrences(at::zeros({0, 3}, at::kInt), 5, true));
}

TEST_CASE("a model computes the same bits with its repeats and without") {
  for (const ModelKind kind : kEveryKind) {
    for (const NormPlace norm : kEveryNorm) {
      for (const Encoding encoding : kEveryEncoding) {
        CAPTURE(name_of(kind), name_of(norm), name_of(encoding));
        TransformerConfig config = tiny_config(kind, encoding, 2);
        config.norm = norm;
        const Transformer model = random_checkpoint(config).model(kLongest);
        const Batch batch = random_batch(config, 60, 3, 2);
        DropoutStream none;
        const Walk walk = model.begin(batch);
        CHECK(walk.encoder_repeats.are_there() == config.has_encoder());
        CHECK(walk.decoder_repeats.are_there() == config.has_decoder());
        // What a hook sees of each row must not be shared, so there are no repeats.
        const Hooks watching({HookPoint::kIn}, [](const Site&, HookPoint, Tensor&) {});
        CHECK(at::equal(model.forward(batch, none), model.forward(batch, none, watching)));
      }
    }
  }
}

TEST_CASE("what a hook does to one of several equal rows leaves the others alone") {
  const TransformerConfig config = tiny_config(ModelKind::kEncoderDecoder, Encoding::kNone, 1);
  const Transformer model = random_checkpoint(config).model(kLongest);
  Batch batch = random_batch(config, 60, 3, 2);
  batch.inputs.copy_(batch.inputs.select(0, 0).expand_as(batch.inputs).clone());
  batch.lengths = Tensor();
  batch.fed.copy_(batch.fed.select(0, 0).expand_as(batch.fed).clone());
  for (const HookPoint point : {HookPoint::kResidPre, HookPoint::kIn, HookPoint::kQ}) {
    const Hooks only_first({point}, [](const Site& site, HookPoint, Tensor& value) {
      if (site.index == 0) value.select(0, 0).add_(1);
    });
    DropoutStream none;
    const Tensor plain = model.forward(batch, none).view({60, -1}),
                 changed = model.forward(batch, none, only_first).view({60, -1});
    CHECK_FALSE(at::equal(plain[0], changed[0]));
    CHECK(at::equal(plain.slice(0, 1), changed.slice(0, 1)));
  }
}

}  // namespace
}  // namespace headway::testing
