#include "lib/analysis/components.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

using Names = std::vector<std::string>;
constexpr ComponentKind kHeads = ComponentKind::kHead, kFeeds = ComponentKind::kFeed,
                        kBlocks = ComponentKind::kBlock;

Names names(const std::vector<Component>& components) {
  Names all;
  for (const Component& component : components) all.push_back(component.name);
  return all;
}

TEST_CASE("heads, feed-forward layers and blocks of every kind of model, in order") {
  const TransformerConfig encoder = tiny_config(ModelKind::kEncoder, 2);
  CHECK(names(components_of(encoder, {kHeads})) ==
        Names{"encoder.0.self.0", "encoder.0.self.1", "encoder.1.self.0", "encoder.1.self.1"});
  CHECK(names(components_of(encoder, {kFeeds})) == Names{"encoder.0.feed", "encoder.1.feed"});
  CHECK(names(components_of(encoder, {kBlocks})) == Names{"encoder.0", "encoder.1"});
  const TransformerConfig both = tiny_config(ModelKind::kEncoderDecoder);
  CHECK(names(components_of(both, {kHeads})) == Names{"encoder.0.self.0", "encoder.0.self.1",
                                                      "decoder.0.self.0", "decoder.0.self.1",
                                                      "decoder.0.cross.0", "decoder.0.cross.1"});
  CHECK(names(components_of(both, {kFeeds})) == Names{"encoder.0.feed", "decoder.0.feed"});
  CHECK(names(components_of(both, {kBlocks})) == Names{"encoder.0", "decoder.0"});
  CHECK(names(components_of(tiny_config(ModelKind::kDecoder), {kBlocks, kHeads, kFeeds})) ==
        Names{"decoder.0", "decoder.0.self.0", "decoder.0.self.1", "decoder.0.feed"});
  CHECK(components_of(both, {}).empty());
}

TEST_CASE("a component has its kind, its label and its units") {
  const TransformerConfig config = tiny_config(ModelKind::kEncoderDecoder, 2);
  const std::vector<Component> blocks = components_of(config, {kBlocks});
  REQUIRE(blocks.size() == 4);
  CHECK(blocks[3] == Component{kBlocks,
                               "decoder.1",
                               "Decoder Block L1",
                               {{7, 0}, {7, 1}, {8, 0}, {8, 1}, {9, kWholeFeed}}});
  CHECK(blocks[1] ==
        Component{kBlocks, "encoder.1", "Encoder Block L1", {{2, 0}, {2, 1}, {3, kWholeFeed}}});
  CHECK(blocks[1].first() == Unit{2, 0});
  CHECK(components_of(config, {kHeads})[3] ==
        Component{kHeads, "encoder.1.self.1", "Encoder L1 H1", {{2, 1}}});
  CHECK(components_of(config, {kFeeds})[2] ==
        Component{kFeeds, "decoder.0.feed", "Decoder FFN L0", {{6, kWholeFeed}}});
  CHECK((units_of(blocks) == config.units()));
  CHECK((units_of(components_of(config, {kHeads})) == config.heads()));
}

TEST_CASE("what is pruned is no component, nor part of one") {
  const TransformerConfig whole = tiny_config(ModelKind::kEncoderDecoder, 2);
  const TransformerConfig config =
      whole.without({{0, 0}, {1, kWholeFeed}, {2, 0}, {2, 1}, {3, kWholeFeed}, {4, 0}, {4, 1}});
  CHECK(names(components_of(config, {kHeads})) ==
        Names{"encoder.0.self.1", "decoder.0.cross.0", "decoder.0.cross.1", "decoder.1.self.0",
              "decoder.1.self.1", "decoder.1.cross.0", "decoder.1.cross.1"});
  CHECK(names(components_of(config, {kFeeds})) == Names{"decoder.0.feed", "decoder.1.feed"});
  const std::vector<Component> blocks = components_of(config, {kBlocks});
  CHECK(names(blocks) == Names{"encoder.0", "decoder.0", "decoder.1"});  // encoder.1 is gone
  CHECK((blocks[0].units == std::vector<Unit>{{0, 1}}));
  CHECK(blocks[1].first() == Unit{5, 0});
  TransformerConfig without_feed = whole;
  without_feed.ffn = FeedKind::kNone;
  CHECK(components_of(without_feed, {kFeeds}).empty());
  CHECK(names(components_of(without_feed, {kBlocks})).size() == 4);
}

}  // namespace
}  // namespace headway::testing
