#include "lib/nn/seq2seq_config.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;

TEST_CASE("the study's model has 24 heads, with names for files and for people") {
  const Seq2SeqConfig config;
  const std::vector<HeadId> heads = config.heads();
  REQUIRE(heads.size() == 24);
  CHECK(config.name(heads[0]) == "encoder.0.self.0");
  CHECK(config.label(heads[6]) == "Encoder L1 H2");
  CHECK(config.label(heads[11]) == "Decoder Self L0 H3");
  CHECK(config.name(heads[12]) == "decoder.0.cross.0");
  CHECK(config.label(heads[23]) == "Decoder Cross L1 H3");
}

TEST_CASE("a pruned model keeps its heads' numbers") {
  Seq2SeqConfig config;
  config.n_layers = 1;
  const Seq2SeqConfig smaller = config.without({{0, 0}, {0, 2}, {1, 3}}).without({{1, 0}, {0, 0}});
  CHECK(smaller.kept == std::vector<std::vector<int>>{{1, 3}, {1, 2}, {0, 1, 2, 3}});
  CHECK(smaller.heads().size() == 8);
  CHECK(smaller.name(smaller.heads()[1]) == "encoder.0.self.3");
}

TEST_CASE("a model's description survives a round trip") {
  Seq2SeqConfig config;
  config.d_model = 64;
  config.dropout = 0.25;
  config.attention_dropout = 0.5;
  const Seq2SeqConfig smaller = config.without({{3, 1}});
  const Seq2SeqConfig read = seq2seq_config_from(to_json(smaller));
  CHECK(to_json(read) == to_json(smaller));
  CHECK(read.kept == smaller.kept);
}

std::string refusal_of(const Seq2SeqConfig& config) {
  try {
    config.check();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("an impossible model shape is refused with the reason") {
  const auto with = [](auto change) {
    Seq2SeqConfig config;
    change(config);
    return refusal_of(config);
  };
  CHECK(with([](auto&) {}).empty());
  CHECK(with([](auto& c) { c.n_heads = 3; }) == "d_model (128) must be divisible by n_heads (3)");
  CHECK(with([](auto& c) { c.n_layers = 0; }) == "n_layers must be between 1 and 1048576, not 0");
  CHECK(with([](auto& c) { c.n_layers = 65; }) == "n_layers must be at most 64, not 65");
  CHECK(with([](auto& c) { c.d_ff = -1; }) == "d_ff must be between 1 and 1048576, not -1");
  CHECK(with([](auto& c) { c.dropout = 1; }) == "dropout must be at least 0 and below 1, not 1");
  CHECK(with([](auto& c) { c.kept = {{0}}; }) ==
        "kept heads are given for 1 attentions, but there are 6");
  for (const std::vector<int>& wrong : {std::vector{4}, {-1}, {1, 1}, {2, 1}}) {
    CHECK(with([&](auto& c) { c.kept = {{}, {}, {}, {}, {}, wrong}; }) ==
          "kept heads must be ascending numbers below n_heads");
  }
}

}  // namespace
}  // namespace headway
