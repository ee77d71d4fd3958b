// Files of attention maps, as their readers see them.
#include "lib/numerics/attention_maps.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/analysis/attention_maps.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

using Texts = std::vector<std::string>;

TensorFile maps_of(const Checkpoint& checkpoint, const Split& split) {
  return attention_maps(checkpoint.model(positions_needed(checkpoint.config, split)), split);
}

Texts site_names(const AttentionMaps& maps) {
  Texts names;
  for (const auto& site : maps.sites()) names.push_back(site.name);
  return names;
}

// The weights in the maps against those of each sample alone.
void check_weights(const Checkpoint& checkpoint, const Split& split) {
  const TensorFile file = maps_of(checkpoint, split);
  const AttentionMaps maps(file);
  REQUIRE(AttentionMaps::are_in(file));
  REQUIRE(std::ssize(maps.problems()) == split.size());
  std::map<std::string, std::vector<int>> heads;  // of sites that have some
  for (const Unit& head : checkpoint.config.heads())
    heads[checkpoint.config.sites()[head.site].name()].push_back(head.head);
  REQUIRE(maps.sites().size() == heads.size());
  for (const auto& site : maps.sites()) CHECK(maps.heads_of(site) == Json(heads.at(site.name)));
  for (std::size_t sample = 0; sample < maps.problems().size(); ++sample) {
    CAPTURE(sample);
    CHECK(maps.problems()[sample] == sample_text(split, static_cast<std::int64_t>(sample)));
    std::map<std::string, std::vector<float>> expected;
    const Hooks hooks({HookPoint::kWeights}, [&](const Site& site, HookPoint, at::Tensor& weights) {
      const at::Tensor whole = weights.contiguous();
      expected[site.name()].assign(whole.data_ptr<float>(),
                                   whole.data_ptr<float>() + whole.numel());
    });
    const c10::AutoGradMode without_gradients(false);
    DropoutStream none;
    checkpoint.model(positions_needed(checkpoint.config, split))
        .forward(make_batch(checkpoint.config, split, static_cast<std::int64_t>(sample), 1), none,
                 hooks);
    for (const auto& site : maps.sites()) {
      CAPTURE(site.name);
      const std::vector<float> found = maps.weights(site, sample);
      const std::vector<float>& alone = expected.at(site.name);
      REQUIRE(found.size() == alone.size());
      float apart = 0;
      for (std::size_t i = 0; i < alone.size(); ++i)
        apart = std::max(apart, std::abs(found[i] - alone[i]));
      CHECK(apart < 1e-5F);
    }
  }
}

TEST_CASE("maps hold the weights of every head for each sample, without padding") {
  for (const ModelKind kind : kEveryKind) {
    CAPTURE(name_of(kind));
    const Split split = uneven_data(kind, 7);
    check_weights(random_checkpoint(shaped_for(tiny_config(kind, 2), dataset_of(split, split))),
                  split);
  }
  check_weights(random_checkpoint(tiny_config(ModelKind::kDecoder)),
                repetitions(7, Asked::kSuffix));
}

TEST_CASE("maps of pruned models leave out attentions without heads and name those that are left") {
  const Checkpoint checkpoint =
      without_units(random_checkpoint(tiny_config()), {{0, 0}, {2, 0}, {2, 1}, {3, 1}});
  const TensorFile file = maps_of(checkpoint, uneven_additions(3));
  const AttentionMaps maps(file);
  CHECK(site_names(maps) == Texts{"encoder.0.self", "decoder.0.cross"});
  CHECK(maps.heads_of(maps.sites()[0]) == Json{1});
  CHECK(maps.heads_of(maps.sites()[1]) == Json{0});
  check_weights(checkpoint, uneven_additions(3));
}

TEST_CASE("maps of an encoder-decoder show the inputs, what was fed, wanted and written") {
  const Checkpoint& checkpoint = half_trained_on_uneven(ModelKind::kEncoderDecoder);
  const Split split =
      split_of(plain_legend(), {{1, 5, kPlus, 2, 7}, {4, kPlus, 8}}, {{4, 2, kEnd}, {1, 2, kEnd}});
  const TensorFile file = maps_of(checkpoint, split);
  const AttentionMaps maps(file);
  CHECK(site_names(maps) == Texts{"encoder.0.self", "decoder.0.self", "decoder.0.cross"});
  CHECK(maps.problems() == Texts{"15+27 -> 42", "4+8 -> 12"});
  CHECK(maps.tokens("inputs", 0) == Texts{"1", "5", "+", "2", "7"});
  CHECK(maps.tokens("inputs", 1) == Texts{"4", "+", "8"});
  CHECK(maps.tokens("decoder_inputs", 1) == Texts{"BOS", "1", "2"});
  CHECK(maps.answer_tokens("targets", 1) == Texts{"1", "2"});
  CHECK(maps.wanted(0) == "42");
  const auto own = decode_answers(checkpoint.model(5), split, all_of(split));
  for (std::size_t sample = 0; sample < 2; ++sample) {
    const auto row = std::span(own).subspan(3 * sample, 3);
    CHECK(maps.answer(sample) == split.vocabulary().spell(row));
    Texts answer;
    for (const Token token : row) {
      if (split.vocabulary().is_word(token)) answer.push_back(split.vocabulary().text(token));
    }
    CHECK(maps.answer_tokens("predictions", sample) == answer);
  }
  CHECK_FALSE(maps.has("next"));
}

// Says 3, whatever it is fed.
Checkpoint stubborn_decoder() {
  Checkpoint checkpoint = random_checkpoint(tiny_config(ModelKind::kDecoder));
  const ParameterMap parameters = checkpoint.parameters.views(false);
  parameters.at("read_out.weight").zero_();
  parameters.at("read_out.bias").zero_();
  parameters.at("read_out.bias")[3] = 1;
  return checkpoint;
}

TEST_CASE(
    "maps of a decoder show one row of tokens, and what it predicts after each that is asked") {
  const Split split = split_of(plain_legend(), {{1, 5, kPlus, 2}, {4}}, {{1, 7, kEnd}, {3, kEnd}});
  const TensorFile file = maps_of(stubborn_decoder(), split);
  const AttentionMaps maps(file);
  CHECK(site_names(maps) == Texts{"decoder.0.self"});
  CHECK_FALSE(maps.has("inputs"));
  CHECK(maps.tokens("decoder_inputs", 0) == Texts{"1", "5", "+", "2", "BOS", "1", "7"});
  CHECK(maps.tokens("decoder_inputs", 1) == Texts{"4", "BOS", "3"});
  using Next = std::vector<std::optional<std::string>>;
  CHECK((maps.next_tokens("next", 0) == Next{{}, {}, {}, {}, "3", "3", "3"}));
  CHECK((maps.next_tokens("next", 1) == Next{{}, "3", "3"}));
  CHECK((maps.next_tokens("next_wanted", 0) == Next{{}, {}, {}, {}, "1", "7", "END"}));
  CHECK(maps.answer_tokens("targets", 1) == Texts{"3"});
  CHECK(maps.answer(0) == "333");  // as long as the right answer with its end
  CHECK(maps.wanted(0) == "17");
}

TEST_CASE("maps of a decoder of data without targets show no answer but the next tokens") {
  Split split = split_of(plain_legend(), {{1, 5, 2}, {4, 6}});
  split.input_asked = {0, 1, 1, 0, 1, 0};
  const TensorFile file = maps_of(stubborn_decoder(), split);
  const AttentionMaps maps(file);
  CHECK(maps.problems() == Texts{"152", "46"});
  CHECK(maps.tokens("decoder_inputs", 0) == Texts{"BOS", "1", "5"});
  CHECK(maps.tokens("decoder_inputs", 1) == Texts{"BOS", "4"});
  using Next = std::vector<std::optional<std::string>>;
  CHECK((maps.next_tokens("next", 0) == Next{{}, "3", "3"}));
  CHECK((maps.next_tokens("next", 1) == Next{{}, "3"}));
  CHECK((maps.next_tokens("next_wanted", 0) == Next{{}, "5", "2"}));
  CHECK_FALSE(maps.has("targets"));
  CHECK_FALSE(maps.has("predictions"));
  CHECK(maps.answer(0).empty());
}

TEST_CASE("maps of a classifier show the inputs, the label and the answer with its probability") {
  const Checkpoint& checkpoint = half_trained_on_uneven(ModelKind::kEncoder);
  const Split split = labelled({{3, 2, 1}, {1, 2}, {1, 3, 2, 4}});
  const TensorFile file = maps_of(checkpoint, split);
  const AttentionMaps maps(file);
  ThreadTeam team(1);
  const Scores scores = score(checkpoint.model(4), split, team);
  CHECK(site_names(maps) == Texts{"encoder.0.self"});
  CHECK(maps.problems() == Texts{"falling: 321", "rising: 12", "mixed: 1324"});
  CHECK(maps.tokens("inputs", 1) == Texts{"1", "2"});
  CHECK(maps.wanted(2) == "mixed");
  for (std::size_t sample = 0; sample < 3; ++sample) {
    const auto answer = static_cast<std::size_t>(scores.answers[sample]);
    CHECK(maps.answer(sample) == split.legend->classes[answer]);
    CHECK(maps.confidence(sample).value() == scores.confidence[sample]);
  }
  for (const char* missing : {"decoder_inputs", "targets", "predictions", "next", "next_wanted"})
    CHECK_FALSE(maps.has(missing));
}

TEST_CASE("maps survive their file") {
  const Split split = uneven_additions(4);
  const TensorFile file = maps_of(half_trained_on_uneven(ModelKind::kDecoder), split);
  const TensorFile read = parse_safetensors(to_safetensors(file), "maps");
  CHECK(AttentionMaps(read).tokens("decoder_inputs", 2) ==
        AttentionMaps(file).tokens("decoder_inputs", 2));
  CHECK(read.metadata == file.metadata);
}

}  // namespace
}  // namespace headway::testing
