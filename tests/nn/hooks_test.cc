// Hooks: what they see, and that the computation goes on with what they make of it. And walks,
// which can be stopped at any site and continued in other ways.
#include "lib/nn/hooks.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;

Tensor hooked_logits(const Checkpoint& checkpoint, const Batch& batch, const Hooks& hooks) {
  const c10::AutoGradMode without_gradients(false);
  DropoutStream none;
  return checkpoint.model(kLongest).forward(batch, none, hooks);
}

// Models of every kind, with both norms and with every feed-forward layer.
template <class Check>
void for_every_kind(const Check& check) {
  for (const ModelKind kind : kEveryKind) {
    for (const NormPlace norm : kEveryNorm) {
      for (const FeedKind feed : kEveryFeed) {
        TransformerConfig config = tiny_config(kind, 2);
        config.norm = norm;
        config.ffn = feed;
        CAPTURE(name_of(kind), name_of(norm), name_of(feed));
        check(config);
      }
    }
  }
}

std::vector<std::string> seen_by_hooks(const Checkpoint& checkpoint, const Batch& batch) {
  std::vector<std::string> seen;
  hooked_logits(checkpoint, batch,
                Hooks::everywhere([&](const Site& site, HookPoint point, Tensor& value) {
                  seen.push_back(hook_name(site, point) + " " + shape_text(value.sizes()));
                }));
  return seen;
}

TEST_CASE("hooks see every point of the computation in order, by name") {
  const TransformerConfig config = tiny_config();
  CHECK(seen_by_hooks(random_checkpoint(config), random_batch(config, 3, 5, 4)) ==
        std::vector<std::string>{
            "encoder.0.resid_pre [3, 5, 8]",        "encoder.0.self.in [3, 5, 8]",
            "encoder.0.self.q [3, 5, 2, 4]",        "encoder.0.self.k [3, 5, 2, 4]",
            "encoder.0.self.v [3, 5, 2, 4]",        "encoder.0.self.weights [3, 2, 5, 5]",
            "encoder.0.self.z [3, 5, 2, 4]",        "encoder.0.self.out [3, 5, 8]",
            "encoder.0.feed.in [3, 5, 8]",          "encoder.0.feed.hidden [3, 5, 12]",
            "encoder.0.feed.out [3, 5, 8]",         "encoder.0.resid_post [3, 5, 8]",
            "decoder.0.resid_pre [3, 4, 8]",        "decoder.0.self.in [3, 4, 8]",
            "decoder.0.self.q [3, 4, 2, 4]",        "decoder.0.self.k [3, 4, 2, 4]",
            "decoder.0.self.v [3, 4, 2, 4]",        "decoder.0.self.weights [3, 2, 4, 4]",
            "decoder.0.self.z [3, 4, 2, 4]",        "decoder.0.self.out [3, 4, 8]",
            "decoder.0.cross.in [3, 4, 8]",         "decoder.0.cross.q [3, 4, 2, 4]",
            "decoder.0.cross.k [3, 5, 2, 4]",       "decoder.0.cross.v [3, 5, 2, 4]",
            "decoder.0.cross.weights [3, 2, 4, 5]", "decoder.0.cross.z [3, 4, 2, 4]",
            "decoder.0.cross.out [3, 4, 8]",        "decoder.0.feed.in [3, 4, 8]",
            "decoder.0.feed.hidden [3, 4, 12]",     "decoder.0.feed.out [3, 4, 8]",
            "decoder.0.resid_post [3, 4, 8]"});
}

TEST_CASE("hooks see the heads that are left, and the feed-forward layers that are left") {
  TransformerConfig config = tiny_config(ModelKind::kDecoder, 2);
  config.kept = {{1}, {}, {}, {0}};
  CHECK(seen_by_hooks(random_checkpoint(config), random_batch(config, 3, 0, 4)) ==
        std::vector<std::string>{
            "decoder.0.resid_pre [3, 4, 8]",       "decoder.0.self.in [3, 4, 8]",
            "decoder.0.self.q [3, 4, 1, 4]",       "decoder.0.self.k [3, 4, 1, 4]",
            "decoder.0.self.v [3, 4, 1, 4]",       "decoder.0.self.weights [3, 1, 4, 4]",
            "decoder.0.self.z [3, 4, 1, 4]",       "decoder.0.self.out [3, 4, 8]",
            "decoder.0.feed.in [3, 4, 8]",         "decoder.0.feed.out [3, 4, 8]",
            "decoder.0.resid_post [3, 4, 8]",      "decoder.1.resid_pre [3, 4, 8]",
            "decoder.1.self.in [3, 4, 8]",         "decoder.1.self.q [3, 4, 0, 4]",
            "decoder.1.self.k [3, 4, 0, 4]",       "decoder.1.self.v [3, 4, 0, 4]",
            "decoder.1.self.weights [3, 0, 4, 4]", "decoder.1.self.z [3, 4, 0, 4]",
            "decoder.1.self.out [3, 4, 8]",        "decoder.1.feed.in [3, 4, 8]",
            "decoder.1.feed.hidden [3, 4, 12]",    "decoder.1.feed.out [3, 4, 8]",
            "decoder.1.resid_post [3, 4, 8]"});
}

TEST_CASE("hooks that only look change nothing") {
  for_every_kind([](const TransformerConfig& config) {
    const Checkpoint checkpoint = random_checkpoint(config);
    const Batch batch = random_batch(config, 3, 5, 4);
    const Hooks hooks = Hooks::everywhere([](const Site&, HookPoint, Tensor&) {});
    CHECK(at::equal(hooked_logits(checkpoint, batch, hooks), logits_of(checkpoint, batch)));
  });
}

// What a hook does to a value: not linear, and different for each position and dimension.
Tensor changed(const Tensor& value) {
  return value * draw(value.sizes(), 5) + draw(value.sizes(), 6);
}

TEST_CASE("every point can be changed, in place or by another tensor, with the same effect") {
  for_every_kind([](const TransformerConfig& config) {
    const Checkpoint checkpoint = random_checkpoint(config);
    const Batch batch = random_batch(config, 3, 5, 4);
    const Tensor untouched = logits_of(checkpoint, batch);
    for (const Site& at : config.sites()) {
      for (const HookPoint point : kEveryPoint) {
        int calls = 0;
        const auto logits_with = [&](bool in_place) {
          calls = 0;
          return hooked_logits(checkpoint, batch,
                               Hooks({point}, [&](const Site& site, HookPoint, Tensor& value) {
                                 if (site.index != at.index) return;
                                 ++calls;
                                 const Tensor other = changed(value);
                                 if (in_place) {
                                   value.copy_(other);
                                 } else {
                                   value = other;
                                 }
                               }));
        };
        CAPTURE(hook_name(at, point));
        const Tensor assigned = logits_with(false), in_place = logits_with(true);
        CHECK(at::equal(assigned, in_place));
        if (calls == 0) continue;  // no such point at this site
        CHECK(calls == 1);
        CHECK_FALSE(at::equal(assigned, untouched));
      }
    }
  });
}

TEST_CASE("without hooks, a model is what it was before they changed something") {
  const TransformerConfig config = tiny_config(ModelKind::kEncoderDecoder, 2);
  const Checkpoint checkpoint = random_checkpoint(config);
  const std::string before = bytes_of(checkpoint.parameters);
  const Batch batch = random_batch(config, 3, 5, 4);
  const Tensor inputs = batch.inputs.clone(), untouched = logits_of(checkpoint, batch);
  hooked_logits(checkpoint, batch,
                Hooks::everywhere([](const Site&, HookPoint, Tensor& value) { value.zero_(); }));
  CHECK(bytes_of(checkpoint.parameters) == before);
  CHECK(at::equal(batch.inputs, inputs));
  CHECK(at::equal(logits_of(checkpoint, batch), untouched));
}

TEST_CASE("changed weights decide which values become the heads' outputs") {
  for (const ModelKind kind : kEveryKind) {
    CAPTURE(name_of(kind));
    const TransformerConfig config = tiny_config(kind);
    const Checkpoint checkpoint = random_checkpoint(config);
    Tensor values;
    hooked_logits(checkpoint, random_batch(config, 3, 5, 5),
                  Hooks({HookPoint::kV, HookPoint::kWeights, HookPoint::kZ},
                        [&](const Site& site, HookPoint point, Tensor& value) {
                          CAPTURE(hook_name(site, point));
                          if (point == HookPoint::kV) {
                            value = changed(value);
                            values = value;  // [B, S, H, D]
                          } else if (point == HookPoint::kWeights) {
                            value.zero_().select(3, 2).fill_(2);  // twice the third key
                          } else {
                            CHECK(largest_difference(value, values.narrow(1, 2, 1) * 2) < 1e-6);
                          }
                        }));
  }
}

TEST_CASE("weights that a hook leaves sum to 1, and give the heads' outputs from the values") {
  const TransformerConfig config = tiny_config();
  Tensor values, weights;
  int compared = 0;
  hooked_logits(random_checkpoint(config), random_batch(config, 3, 5, 4),
                Hooks({HookPoint::kV, HookPoint::kWeights, HookPoint::kZ},
                      [&](const Site&, HookPoint point, Tensor& value) {
                        if (point == HookPoint::kV) values = value.clone();
                        if (point == HookPoint::kWeights) {
                          weights = value.clone();
                          CHECK(largest_difference(weights.sum(-1),
                                                   at::ones_like(weights.select(3, 0))) < 1e-5);
                        }
                        if (point != HookPoint::kZ) return;
                        ++compared;
                        const Tensor z = at::matmul(weights, values.transpose(1, 2));
                        CHECK(largest_difference(value, z.transpose(1, 2)) < 1e-5);
                      }));
  CHECK(compared == 3);
}

TEST_CASE("each point is what its description says") {
  for (const NormPlace norm : kEveryNorm) {
    CAPTURE(name_of(norm));
    TransformerConfig config = tiny_config(ModelKind::kDecoder);
    config.norm = norm;
    const Checkpoint checkpoint = random_checkpoint(config);
    std::map<std::string, Tensor> seen;
    hooked_logits(checkpoint, random_batch(config, 3, 0, 4),
                  Hooks::everywhere([&](const Site& site, HookPoint point, Tensor& value) {
                    seen[hook_name(site, point)] = value.clone();
                  }));
    const ParameterMap parameters = checkpoint.parameters.views(false);
    const auto at = [&](const std::string& name) { return seen.at("decoder.0." + name); };
    const auto linear_at = [&](const Tensor& x, const std::string& name) {
      return at::linear(x, parameters.at(name + ".weight"), parameters.at(name + ".bias"));
    };
    const auto normed = [&](const Tensor& x, const std::string& name) {
      return at::layer_norm(x, {8}, parameters.at(name + ".gain"), parameters.at(name + ".bias"));
    };
    const bool is_pre = norm == NormPlace::kPre;
    const Tensor pre = at("resid_pre");
    CHECK(largest_difference(at("self.in"), is_pre ? normed(pre, "decoder.0.self.norm") : pre) <
          1e-5);
    const Tensor qkv = linear_at(at("self.in"), "decoder.0.self.qkv").view({3, 4, 3, 2, 4});
    CHECK(largest_difference(at("self.q"), qkv.select(2, 0)) < 1e-5);
    CHECK(largest_difference(at("self.k"), qkv.select(2, 1)) < 1e-5);
    CHECK(largest_difference(at("self.v"), qkv.select(2, 2)) < 1e-5);
    CHECK(largest_difference(at("self.out"),
                             linear_at(at("self.z").flatten(2), "decoder.0.self.out")) < 1e-5);
    const Tensor sum = pre + at("self.out");
    const Tensor middle = is_pre ? sum : normed(sum, "decoder.0.self.norm");
    CHECK(largest_difference(at("feed.in"),
                             is_pre ? normed(middle, "decoder.0.feed.norm") : middle) < 1e-5);
    CHECK(largest_difference(at("feed.hidden"),
                             linear_at(at("feed.in"), "decoder.0.feed.in").relu()) < 1e-5);
    CHECK(largest_difference(at("feed.out"), linear_at(at("feed.hidden"), "decoder.0.feed.out")) <
          1e-5);
    const Tensor end = middle + at("feed.out");
    CHECK(largest_difference(at("resid_post"), is_pre ? end : normed(end, "decoder.0.feed.norm")) <
          1e-5);
  }
}

TEST_CASE("continuing a walk with another result has the effect of a hook that changes it") {
  for_every_kind([](const TransformerConfig& config) {
    const c10::AutoGradMode without_gradients(false);
    const Checkpoint checkpoint = random_checkpoint(config);
    const Batch batch = random_batch(config, 3, 5, 4);
    const Transformer model = checkpoint.model(kLongest);
    const Tensor untouched = logits_of(checkpoint, batch);
    for (const Site& replaced : config.sites()) {
      CAPTURE(replaced.name());
      const HookPoint point = replaced.is_feed() ? HookPoint::kOut : HookPoint::kZ;
      const Tensor hooked = hooked_logits(
          checkpoint, batch, Hooks({point}, [&](const Site& site, HookPoint, Tensor& value) {
            if (site.index == replaced.index) value = value * -2 + 1;
          }));
      DropoutStream none;
      Walk walk = model.begin(batch);
      model.walk_to(replaced.index, walk, none);
      model.absorb(walk, model.compute(walk, none) * -2 + 1, none);
      model.finish(walk, none);
      CHECK(at::equal(hooked, model.logits(walk, none)));
      CHECK(largest_difference(hooked, untouched) > 1e-3);
    }
  });
}

TEST_CASE("a result may be the same for all samples, without being copied for each") {
  const TransformerConfig config = tiny_config();
  const Checkpoint checkpoint = random_checkpoint(config);
  const Transformer model = checkpoint.model(kLongest);
  const Batch batch = random_batch(config, 3, 5, 4);
  for (const Site& site : config.sites()) {
    CAPTURE(site.name());
    const c10::AutoGradMode without_gradients(false);
    DropoutStream none;
    Walk walk = model.begin(batch);
    model.walk_to(site.index, walk, none);
    const Tensor mean = model.compute(walk, none).mean(0, true);
    std::vector<std::int64_t> shape(static_cast<std::size_t>(mean.dim()), -1);
    shape[0] = site.is_feed() ? 3 * walk.length(site) : 3;
    Walk other = walk;
    model.absorb(walk, mean.expand(shape), none);
    model.absorb(other, mean.expand(shape).contiguous(), none);
    model.finish(walk, none);
    model.finish(other, none);
    CHECK(at::equal(model.logits(walk, none), model.logits(other, none)));
  }
}

TEST_CASE("a walk can be copied at any site, and the copies are independent") {
  for_every_kind([](const TransformerConfig& config) {
    const c10::AutoGradMode without_gradients(false);
    const Checkpoint checkpoint = random_checkpoint(config);
    const Batch batch = random_batch(config, 3, 5, 4);
    const Transformer model = checkpoint.model(kLongest);
    // Changes all that can be changed.
    const Hooks spoiling =
        Hooks::everywhere([](const Site&, HookPoint, Tensor& value) { value.mul_(0.5).add_(1); });
    DropoutStream none;
    Walk walk = model.begin(batch);
    for (std::size_t site = 0; site < model.sites().size(); ++site) {
      Walk before = walk;
      model.finish(before, none, spoiling);
      const Tensor result = model.compute(walk, none);
      Walk branch = walk;
      model.absorb(branch, result * 0, none);
      model.finish(branch, none);
      model.absorb(walk, result, none);
    }
    CHECK(at::equal(model.logits(walk, none), logits_of(checkpoint, batch)));
  });
}

}  // namespace
}  // namespace headway::testing
