// The whole model against plain tensor operations, and what it must not see.
#include "lib/nn/seq2seq.h"

#include <torch/csrc/autograd/autograd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"
#include "lib/train/batches.h"
#include "tests/nn/plain_seq2seq.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;

// Gradients of a weighted sum of the logits, one for each leaf.
std::vector<Tensor> slopes_of(const Tensor& logits, const ParameterMap& leaves) {
  torch::autograd::variable_list inputs;
  for (const auto& [name, leaf] : leaves) inputs.push_back(leaf);
  const Tensor weights = draw(logits.sizes(), 99).to(logits.scalar_type());
  return torch::autograd::grad({(logits * weights).sum()}, inputs);
}

Tensor forward(const Checkpoint& checkpoint, const Seq2SeqBatch& batch,
               const HeadHooks& hooks = {}) {
  DropoutStream none;
  return checkpoint.model().forward(batch, none, hooks);
}

TEST_CASE("the model and its gradients match plain tensor operations") {
  for (const std::int64_t layers : {1, 2}) {
    for (const Seq2SeqSplit& split : {additions(2, 3), uneven_additions(5)}) {
      CAPTURE(layers, split.target_length);
      const Checkpoint checkpoint = random_checkpoint(tiny_config(layers));
      const Seq2SeqBatch batch = make_batch(split, 0, split.size());
      const ParameterMap leaves = checkpoint.parameters.views(true);
      DropoutStream none;
      const Tensor mine = Seq2Seq(checkpoint.config, leaves).forward(batch, none);
      const ParameterMap plain_leaves = double_leaves(checkpoint.parameters);
      const Tensor theirs = plain_logits(checkpoint.config, plain_leaves, batch);
      REQUIRE(mine.sizes() == theirs.sizes());
      CHECK(largest_difference(mine, theirs) < 2e-5);

      const auto slopes = slopes_of(mine, leaves), expected = slopes_of(theirs, plain_leaves);
      std::size_t i = 0;
      for (const auto& [name, leaf] : leaves) {
        CAPTURE(name);
        CHECK(largest_difference(slopes[i], expected[i]) <
              1e-5 * (1 + expected[i].abs().max().item<double>()));
        ++i;
      }
    }
  }
}

TEST_CASE("a later target token changes its own logit and no earlier one") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  const Seq2SeqSplit split = additions(3, 2);
  Seq2SeqBatch batch = make_batch(split, 0, 2);
  const Tensor before = forward(checkpoint, batch).view({2, 4, kVocabularySize});
  for (std::int64_t changed = 0; changed < 4; ++changed) {
    CAPTURE(changed);
    Seq2SeqBatch other = batch;
    other.fed = batch.fed.clone();
    other.fed.select(1, changed).add_(1).remainder_(kVocabularySize);
    const Tensor after = forward(checkpoint, other).view({2, 4, kVocabularySize});
    CHECK(largest_difference(before.narrow(1, 0, changed), after.narrow(1, 0, changed)) == 0);
    CHECK(largest_difference(before.select(1, changed), after.select(1, changed)) > 1e-3);
  }
}

TEST_CASE("a padded sample has the same logits as without padding") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  const Seq2SeqSplit split = uneven_additions(12);
  const Seq2SeqBatch batch = make_batch(split, 0, split.size());
  REQUIRE(batch.lengths.defined());
  const Tensor together = forward(checkpoint, batch).view({12, 3, kVocabularySize});
  for (std::int64_t i = 0; i < split.size(); ++i) {
    Seq2SeqBatch alone;
    alone.inputs = batch.inputs.narrow(0, i, 1)
                       .narrow(1, 0, batch.lengths[i].item<std::int64_t>())
                       .contiguous();
    alone.fed = batch.fed.narrow(0, i, 1).contiguous();
    CHECK(largest_difference(forward(checkpoint, alone), together[i]) < 1e-5);
  }
}

TEST_CASE("the contents of the padding do not matter") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  const Seq2SeqSplit split = uneven_additions(12);
  Seq2SeqBatch batch = make_batch(split, 0, split.size());
  const Tensor before = forward(checkpoint, batch);
  const Tensor padded = batch.inputs.eq(kPad);
  REQUIRE(padded.any().item<bool>());
  batch.inputs = batch.inputs.masked_fill(padded, 7);
  CHECK(largest_difference(before, forward(checkpoint, batch)) == 0);
}

TEST_CASE("hooks see every attention in order, with its weights and its heads' outputs") {
  Seq2SeqConfig config = tiny_config(2);
  config.kept = {{0, 1}, {1}, {0, 1}, {0, 1}, {0}, {}};
  const Checkpoint checkpoint = random_checkpoint(config);
  const Seq2SeqSplit split = additions(2, 3);  // S 5, T 3
  std::vector<std::string> seen;
  const auto note = [&](const char* what, const AttentionSite& site, const Tensor& tensor) {
    seen.push_back(site.name() + " " + what + " " + shape_text(tensor.sizes().vec()));
  };
  HeadHooks hooks;
  hooks.on_weights = [&](const AttentionSite& site, const Tensor& weights) {
    note("weights", site, weights);
  };
  hooks.on_output = [&](const AttentionSite& site, const Tensor& z) {
    note("z", site, z);
    return z;
  };
  const Seq2SeqBatch batch = make_batch(split, 0, 3);
  const Tensor hooked = forward(checkpoint, batch, hooks);
  CHECK(seen == std::vector<std::string>{
                    "encoder.0.self weights [3, 2, 5, 5]", "encoder.0.self z [3, 5, 2, 4]",
                    "encoder.1.self weights [3, 1, 5, 5]", "encoder.1.self z [3, 5, 1, 4]",
                    "decoder.0.self weights [3, 2, 3, 3]", "decoder.0.self z [3, 3, 2, 4]",
                    "decoder.0.cross weights [3, 2, 3, 5]", "decoder.0.cross z [3, 3, 2, 4]",
                    "decoder.1.self weights [3, 1, 3, 3]", "decoder.1.self z [3, 3, 1, 4]",
                    "decoder.1.cross weights [3, 0, 3, 5]", "decoder.1.cross z [3, 3, 0, 4]"});
  CHECK(largest_difference(hooked, forward(checkpoint, batch)) == 0);
}

TEST_CASE("a hook that replaces an output has the same effect as replacing it inline") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  const Seq2SeqSplit split = additions(2, 3);
  const Seq2SeqBatch batch = make_batch(split, 0, 3);
  const Seq2Seq model = checkpoint.model();
  const Tensor untouched = forward(checkpoint, batch);
  for (std::size_t replaced = 0; replaced < model.sites().size(); ++replaced) {
    CAPTURE(replaced);
    const auto replace = [&](const AttentionSite& site, const Tensor& z) {
      return site.index == replaced ? z * -2 + 1 : z;
    };
    HeadHooks hooks;
    hooks.on_output = replace;
    DropoutStream none;
    Seq2SeqWalk walk = model.begin(batch);
    while (walk.next < model.sites().size()) {
      const AttentionSite site = model.sites()[walk.next];
      model.absorb(walk, replace(site, model.attend(walk, none).z), none);
    }
    const Tensor hooked = forward(checkpoint, batch, hooks);
    CHECK(largest_difference(hooked, model.logits(walk)) == 0);
    CHECK(largest_difference(hooked, untouched) > 1e-3);
  }
}

TEST_CASE("a walk can be copied at any site, and the copies are independent") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(2));
  const Seq2SeqSplit split = additions(2, 3);
  const Seq2SeqBatch batch = make_batch(split, 0, 3);
  const Seq2Seq model = checkpoint.model();
  DropoutStream none;
  Seq2SeqWalk walk = model.begin(batch);
  for (std::size_t site = 0; site < model.sites().size(); ++site) {
    const Tensor z = model.attend(walk, none).z;
    Seq2SeqWalk branch = walk;
    model.absorb(branch, z * 0, none);
    model.finish(branch, none);
    model.absorb(walk, z, none);
  }
  CHECK(largest_difference(model.logits(walk), forward(checkpoint, batch)) == 0);
}

TEST_CASE("dropout is a function of its stream, and applied everywhere but in the embeddings") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(1));
  const Seq2SeqSplit split = additions(2, 3);
  const Seq2SeqBatch batch = make_batch(split, 0, 3);
  const auto dropped = [&](DropoutRates rates, std::uint64_t seed) {
    DropoutStream stream(rates, RandomStream(seed));
    return checkpoint.model().forward(batch, stream);
  };
  const Tensor whole = forward(checkpoint, batch);
  CHECK(largest_difference(dropped({0, 0}, 1), whole) == 0);
  CHECK(largest_difference(dropped({0.3, 0}, 1), dropped({0.3, 0}, 1)) == 0);
  CHECK(largest_difference(dropped({0.3, 0}, 1), dropped({0.3, 0}, 2)) > 1e-3);
  CHECK(largest_difference(dropped({0.3, 0}, 1), whole) > 1e-3);
  CHECK(largest_difference(dropped({0, 0.3}, 1), whole) > 1e-3);
}

TEST_CASE("a sequence longer than the maximum is refused") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config(1));
  Seq2SeqBatch batch;
  batch.inputs = draw({1, kLongestInput + 1}, 1).to(at::kInt).abs();
  batch.fed = batch.inputs.narrow(1, 0, 1).contiguous();
  CHECK_THROWS_MATCHES(forward(checkpoint, batch), Error,
                       Catch::Matchers::Message("a sequence of 1025 tokens is longer than 1024"));
}

}  // namespace
}  // namespace headway::testing
