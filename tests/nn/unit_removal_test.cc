// Smaller models against whole ones in which the removed units say nothing.
#include <c10/core/GradMode.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/nn/checkpoint.h"
#include "tests/nn/support.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using at::Tensor;

// The logits of a model of which these units are set to zero.
Tensor logits_with_silent(const Checkpoint& checkpoint, const std::vector<Unit>& units,
                          const Batch& batch) {
  const Hooks zeroing({HookPoint::kZ, HookPoint::kOut},
                      [&](const Site& site, HookPoint point, Tensor& value) {
                        const std::vector<int> places = checkpoint.config.units_of(site.index);
                        for (const Unit& unit : units) {
                          if (unit.site != site.index) continue;
                          if (site.is_feed() && point == HookPoint::kOut) value.zero_();
                          if (point != HookPoint::kZ) continue;
                          const auto place = std::ranges::find(places, unit.head) - places.begin();
                          value.select(2, place).zero_();
                        }
                      });
  const c10::AutoGradMode without_gradients(false);
  DropoutStream none;
  return checkpoint.model(kLongest).forward(batch, none, zeroing);
}

void check_removal(const Checkpoint& checkpoint, const std::vector<Unit>& removed) {
  const Checkpoint smaller = without_units(checkpoint, removed);
  const Batch batch = random_batch(checkpoint.config, 6, 5, 4);
  const Tensor masked = logits_with_silent(checkpoint, removed, batch);
  CHECK(largest_difference(logits_of(smaller, batch), masked) < 2e-5);
  CHECK(largest_difference(logits_of(checkpoint, batch), masked) > 1e-4);
  CHECK(smaller.config.units().size() == checkpoint.config.units().size() - removed.size());
  CHECK(smaller.parameters.count() < checkpoint.parameters.count());
  CHECK(smaller.tokens == checkpoint.tokens);
  CHECK(smaller.classes == checkpoint.classes);
}

TEST_CASE("a model without units computes the same as the full one with their outputs zeroed") {
  for (const ModelKind kind : kEveryKind) {
    for (const NormPlace norm : kEveryNorm) {
      TransformerConfig config = tiny_config(kind, 2);
      config.norm = norm;
      const Checkpoint checkpoint = random_checkpoint(config);
      for (const Unit& unit : config.units()) {
        CAPTURE(name_of(norm), config.name(unit));
        check_removal(checkpoint, {unit});
      }
      check_removal(checkpoint, {{0, 1}, {1, kWholeFeed}, {2, 0}});
    }
  }
}

// Heads have biases of their own there.
TEST_CASE("the heads that are left keep their positions' bias") {
  for (const ModelKind kind : kEveryKind) {
    for (const Encoding encoding : kEveryEncoding) {
      for (const PositionSource source : {PositionSource::kCounted, PositionSource::kData}) {
        if (encoding == Encoding::kNone && source == PositionSource::kData) continue;
        TransformerConfig config = tiny_config(kind, encoding);
        config.n_heads = 4;
        config.positions = source;
        const Checkpoint checkpoint = random_checkpoint(config);
        CAPTURE(name_of(kind), name_of(encoding), name_of(source));
        for (const Site& site : config.sites()) {
          if (!site.is_feed()) check_removal(checkpoint, {{site.index, 0}, {site.index, 2}});
        }
      }
    }
  }
}

TEST_CASE("every kind of feed-forward layer can be removed") {
  for (const ModelKind kind : kEveryKind) {
    for (const FeedKind feed : {FeedKind::kRelu, FeedKind::kGelu, FeedKind::kGated}) {
      CAPTURE(name_of(kind), name_of(feed));
      TransformerConfig config = tiny_config(kind, 2);
      config.ffn = feed;
      std::vector<Unit> feeds;
      for (const Unit& unit : config.units()) {
        if (config.sites()[unit.site].is_feed()) feeds.push_back(unit);
      }
      const Checkpoint checkpoint = random_checkpoint(config);
      for (const Unit& unit : feeds) check_removal(checkpoint, {unit});
      check_removal(checkpoint, feeds);
    }
  }
}

TEST_CASE("all units of a block, or of the model, can be removed") {
  for (const ModelKind kind : kEveryKind) {
    for (const NormPlace norm : kEveryNorm) {
      TransformerConfig config = tiny_config(kind, Encoding::kRelative, 2);
      config.norm = norm;
      const Checkpoint checkpoint = random_checkpoint(config);
      const std::vector<Site> sites = config.sites();
      for (const char* block : {"encoder.0", "encoder.1", "decoder.0", "decoder.1"}) {
        CAPTURE(name_of(kind), name_of(norm), block);
        std::vector<Unit> units = config.units();
        std::erase_if(units, [&](const Unit& unit) { return sites[unit.site].block() != block; });
        if (!units.empty()) check_removal(checkpoint, units);
      }
      check_removal(checkpoint, config.units());
    }
  }
}

TEST_CASE("units can be removed from a pruned model, by their original numbers") {
  TransformerConfig config = tiny_config();  // encoder self, feed, decoder self, cross, feed
  config.n_heads = 4;
  config.encoding = Encoding::kRelative;
  const Checkpoint whole = random_checkpoint(config);
  const std::vector<Unit> first = {{0, 0}, {2, 2}, {3, 1}, {4, kWholeFeed}};
  const std::vector<Unit> second = {{0, 2}, {1, kWholeFeed}, {2, 3}, {3, 0}};
  const Checkpoint smaller = without_units(whole, first);
  check_removal(smaller, second);
  std::vector<Unit> both = first;
  both.insert(both.end(), second.begin(), second.end());
  const Checkpoint at_once = without_units(whole, both);
  const Checkpoint in_steps = without_units(smaller, second);
  CHECK(to_json(at_once.config) == to_json(in_steps.config));
  CHECK(bytes_of(at_once.parameters) == bytes_of(in_steps.parameters));
}

TEST_CASE("removing units does not change the original model") {
  const Checkpoint checkpoint = random_checkpoint(tiny_config());
  const std::string before = bytes_of(checkpoint.parameters);
  without_units(checkpoint, {{0, 0}}).parameters.flat().fill_(3);
  without_units(checkpoint, {}).parameters.flat().fill_(3);
  CHECK(bytes_of(checkpoint.parameters) == before);
}

}  // namespace
}  // namespace headway::testing
