// Decoding with kept keys and values against the whole model on every prefix.
#include "lib/nn/decoding.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;

// A batch as a prompt of its first `length` tokens, with room for the positions of `steps` more.
Prompt prompt_of(const Batch& batch, std::int64_t length) {
  Prompt prompt{batch, batch.fed_positions};
  prompt.batch.fed = batch.fed.narrow(1, 0, length).contiguous();
  return prompt;
}

// The whole model on the prompt and the output so far, step by step: int32 [B, steps].
Tensor decode_plainly(const Transformer& model, const Prompt& prompt, std::int64_t steps,
                      const Hooks& hooks) {
  const c10::AutoGradMode without_gradients(false);
  const std::int64_t first = prompt.batch.fed.size(1);
  Batch batch = prompt.batch;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (prompt.positions.defined())
      batch.fed_positions = prompt.positions.narrow(1, 0, first + step).contiguous();
    DropoutStream none;
    const Tensor logits = model.forward(batch, none, hooks).unflatten(0, {-1, first + step});
    const Tensor said = logits.select(1, first + step - 1).argmax(1, true);  // [B, 1]
    batch.fed = at::cat({batch.fed, said.to(at::kInt)}, 1);
  }
  return batch.fed.narrow(1, first, steps);
}

void check_decoding(const Checkpoint& checkpoint, std::int64_t prompt_length,
                    const Hooks& hooks = {}) {
  constexpr std::int64_t kSteps = 7;
  const Transformer model = checkpoint.model(kLongest);
  const Batch batch = random_batch(checkpoint.config, 20, 6, prompt_length + kSteps - 1);
  const Prompt prompt = prompt_of(batch, prompt_length);
  const Tensor said = greedy_decode(model, prompt, kSteps, hooks);
  CHECK(said.equal(decode_plainly(model, prompt, kSteps, hooks)));
}

TEST_CASE("decoding with a cache says what the whole model says on each prefix") {
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    for (const Encoding encoding : kEveryEncoding) {
      for (const PositionSource source : {PositionSource::kCounted, PositionSource::kData}) {
        if (encoding == Encoding::kNone && source == PositionSource::kData) continue;
        for (const NormPlace norm : kEveryNorm) {
          for (const std::int64_t prompt : {1, 4}) {
            CAPTURE(name_of(kind), name_of(encoding), name_of(source), name_of(norm), prompt);
            TransformerConfig config = tiny_config(kind, encoding, 2);
            config.positions = source;
            config.norm = norm;
            check_decoding(random_checkpoint(config), prompt);
          }
        }
      }
    }
  }
}

TEST_CASE(
    "decoding with a cache gives the logits of the whole model, however much is fed at once") {
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    for (const Encoding encoding : kEveryEncoding) {
      for (const PositionSource source : {PositionSource::kCounted, PositionSource::kData}) {
        if (encoding == Encoding::kNone && source == PositionSource::kData) continue;
        CAPTURE(name_of(kind), name_of(encoding), name_of(source));
        TransformerConfig config = tiny_config(kind, encoding, 2);
        config.positions = source;
        const Checkpoint checkpoint = random_checkpoint(config);
        const Transformer model = checkpoint.model(kLongest);
        const Batch batch = random_batch(config, 9, 5, 7);
        const c10::AutoGradMode without_gradients(false);
        const Tensor whole = logits_of(checkpoint, batch).view({9, 7, config.vocabulary});
        Walk walk = model.begin_decoding(batch, {});
        std::int64_t next = 0;
        for (const std::int64_t length : {1, 3, 1, 2}) {
          const auto part = [&](const Tensor& all) {
            return all.defined() ? all.narrow(1, next, length).contiguous() : all;
          };
          const Tensor logits = model.decode(walk, part(batch.fed), part(batch.fed_positions), {});
          next += length;
          CHECK(largest_difference(logits, whole.select(1, next - 1)) < 2e-5);
        }
      }
    }
  }
}

// Sets the outputs of these units to zero.
Hooks silencing(const std::vector<Unit>& units) {
  return Hooks({HookPoint::kZ, HookPoint::kOut},
               [units](const Site& site, HookPoint point, Tensor& value) {
                 if (site.is_feed() != (point == HookPoint::kOut)) return;
                 for (const Unit& unit : units) {
                   if (unit.site != site.index) continue;
                   if (site.is_feed()) {
                     value.zero_();
                   } else {
                     value.select(2, unit.head).zero_();
                   }
                 }
               });
}

TEST_CASE("decoding with a cache says the same when units are silenced or removed") {
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    const Checkpoint checkpoint = random_checkpoint(tiny_config(kind, Encoding::kRelative, 2));
    const std::vector<Unit> units = checkpoint.config.units();
    for (const Unit& unit : units) {
      CAPTURE(checkpoint.config.name(unit));
      check_decoding(checkpoint, 2, silencing({unit}));
      check_decoding(without_units(checkpoint, {unit}), 2);
    }
    check_decoding(checkpoint, 1, silencing(units));
    check_decoding(without_units(checkpoint, units), 1);
  }
}

TEST_CASE("hooks may change all points while decoding, with the effect they have on whole models") {
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    for (const HookPoint point : kEveryPoint) {
      CAPTURE(name_of(kind), name_of(point));
      const Checkpoint checkpoint = random_checkpoint(tiny_config(kind, 2));
      check_decoding(checkpoint, 2, Hooks({point}, [](const Site&, HookPoint, Tensor& value) {
                       value.mul_(-0.5).abs_();
                     }));
    }
  }
}

TEST_CASE("hooks see every decoding step, with the keys available by then") {
  const TransformerConfig config = tiny_config();
  const Prompt prompt = prompt_of(random_batch(config, 2, 3, 2), 2);
  std::vector<std::string> seen;
  greedy_decode(random_checkpoint(config).model(kLongest), prompt, 2,
                Hooks({HookPoint::kK, HookPoint::kWeights},
                      [&](const Site& site, HookPoint point, Tensor& value) {
                        seen.push_back(hook_name(site, point) + " " + shape_text(value.sizes()));
                      }));
  CHECK(seen == std::vector<std::string>{
                    "encoder.0.self.k [2, 3, 2, 4]", "encoder.0.self.weights [2, 2, 3, 3]",
                    "decoder.0.self.k [2, 2, 2, 4]", "decoder.0.self.weights [2, 2, 2, 2]",
                    "decoder.0.cross.k [2, 3, 2, 4]", "decoder.0.cross.weights [2, 2, 2, 3]",
                    "decoder.0.self.k [2, 1, 2, 4]", "decoder.0.self.weights [2, 2, 1, 3]",
                    "decoder.0.cross.k [2, 3, 2, 4]", "decoder.0.cross.weights [2, 2, 1, 3]"});
}

TEST_CASE("decoding stops with an error where positions end") {
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    TransformerConfig config = tiny_config(kind);
    const Transformer model = random_checkpoint(config).model(5);
    const Prompt prompt = prompt_of(random_batch(config, 2, 3, 2), 2);
    greedy_decode(model, prompt, 4);  // the fourth token said is not fed
    CHECK_THROWS_MATCHES(greedy_decode(model, prompt, 5), Error,
                         Catch::Matchers::Message("a sequence of 6 is longer than 5"));
  }
}

TEST_CASE("the first of equally likely classes is taken") {
  Tensor logits = at::zeros({2, 3});
  logits[0][1] = logits[0][2] = logits[1][1] = 2;
  logits[1][0] = -1;
  const Tensor likely = most_likely(logits);
  CHECK(likely[0].item<int>() == 1);
  CHECK(likely[1].item<int>() == 1);
  CHECK(most_likely(at::zeros({1, 3})).item<int>() == 0);
}

}  // namespace
}  // namespace headway::testing
