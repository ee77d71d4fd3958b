// Decoding with kept keys and values against the whole model on every prefix.
#include "lib/nn/seq2seq.h"

#include <ATen/ops/zeros.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/analysis/head_removal.h"
#include "lib/train/batches.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;

// The whole model on the output so far, step by step: int32 [B, steps].
Tensor decode_plainly(const Seq2Seq& model, const Seq2SeqBatch& batch, std::int64_t steps,
                      const HeadHooks& hooks) {
  const std::int64_t B = batch.inputs.size(0);
  Tensor fed = batch.inputs.new_full({B, steps + 1}, kBos);
  for (std::int64_t step = 0; step < steps; ++step) {
    DropoutStream none;
    const Tensor logits = model.forward(
        {batch.inputs, batch.lengths, fed.narrow(1, 0, step + 1).contiguous(), {}}, none, hooks);
    const Tensor last = logits.view({B, step + 1, -1}).select(1, step);
    fed.select(1, step + 1).copy_(last.argmax(1));
  }
  return fed.narrow(1, 1, steps);
}

void check_decoding(const Checkpoint& checkpoint, const Seq2SeqSplit& split,
                    const std::vector<HeadId>& removed) {
  const Seq2Seq model = checkpoint.model();
  const Seq2SeqBatch batch = make_batch(split, 0, split.size());
  const HeadReplacement zero;
  const HeadHooks hooks = removing(checkpoint.config, removed, zero);
  const Tensor said = greedy_decode(model, batch.inputs, batch.lengths, kBos, 7, hooks);
  CHECK(said.equal(decode_plainly(model, batch, 7, hooks)));
}

TEST_CASE("decoding with a cache predicts what the whole model predicts on each prefix") {
  for (const std::int64_t layers : {1, 2}) {
    check_decoding(random_checkpoint(tiny_config(layers)), additions(3, 40), {});
    check_decoding(random_checkpoint(tiny_config(layers)), uneven_additions(40), {});
  }
  check_decoding(half_trained_adder(), additions(1, 40), {});
}

TEST_CASE("decoding with a cache predicts the same when heads are removed") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  for (const HeadId& head : checkpoint.config.heads()) {
    CAPTURE(head.site, head.head);
    check_decoding(checkpoint, uneven_additions(20), {head});
  }
  check_decoding(checkpoint, uneven_additions(20), checkpoint.config.heads());
  check_decoding(without_heads(checkpoint, {{0, 1}, {2, 0}, {2, 1}, {5, 0}}), additions(3, 20), {});
}

TEST_CASE("a decoding step gives the logits of the whole model") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  const Seq2Seq model = checkpoint.model();
  const Seq2SeqSplit split = uneven_additions(9);
  const Seq2SeqBatch batch = make_batch(split, 0, 9);
  DropoutStream none;
  const Tensor whole = model.forward(batch, none).view({9, 3, kVocabularySize});
  const Seq2SeqWalk encoded = model.encode(batch.inputs, batch.lengths, {});
  std::vector<Tensor> cache;
  for (std::int64_t step = 0; step < 3; ++step) {
    const Tensor logits =
        model.decode_step(encoded, batch.fed.select(1, step).contiguous(), step, cache, {});
    CHECK(largest_difference(logits, whole.select(1, step)) < 1e-5);
  }
}

TEST_CASE("hooks see every decoding step, with the keys available by then") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(1));
  const Seq2SeqSplit split = additions(1, 2);
  const Seq2SeqBatch batch = make_batch(split, 0, 2);
  std::vector<std::string> seen;
  HeadHooks hooks;
  hooks.on_weights = [&](const AttentionSite& site, const Tensor& weights) {
    seen.push_back(site.name() + " " + shape_text(weights.sizes().vec()));
  };
  greedy_decode(checkpoint.model(), batch.inputs, batch.lengths, kBos, 2, hooks);
  CHECK(seen ==
        std::vector<std::string>{"encoder.0.self [2, 2, 3, 3]", "decoder.0.self [2, 2, 1, 1]",
                                 "decoder.0.cross [2, 2, 1, 3]", "decoder.0.self [2, 2, 1, 2]",
                                 "decoder.0.cross [2, 2, 1, 3]"});
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
