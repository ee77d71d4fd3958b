// What models write by themselves, against what they say with the right prefix.
#include <c10/core/GradMode.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/train/scoring.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

// A sample's answer token by token: each time the whole batch of one sample again, with what was
// said so far in place of the answer. As long as the right answer, and padding after an end marker.
// Empty if the model says padding.
Tokens written_slowly(const Transformer& model, const Split& split, std::int64_t sample) {
  const TransformerConfig& config = model.config();
  const c10::AutoGradMode without_gradients(false);
  Split own;
  own.append(split, sample);
  const bool has_target = split.target_length > 0;
  Tokens& row = has_target ? own.targets : own.inputs;
  const std::int64_t end = has_target ? own.target_size(0) : own.input_size(0);
  Tokens said(row.size(), split.vocabulary().pad());
  for (std::int64_t at = 0; at < end; ++at) {
    const auto index = static_cast<std::size_t>(at);
    if (!has_target && !split.input_asked.empty() && own.input_asked[index] == 0) continue;
    const Batch batch = make_batch(config, own, 0, 1);
    DropoutStream none;
    const at::Tensor logits = model.forward(batch, none);  // [T, V]
    const std::int64_t begin = answer_begin(config, own, 0);
    said[index] = static_cast<Token>(logits[begin + at].argmax().item<std::int64_t>());
    if (said[index] == split.vocabulary().end()) break;
    if (said[index] == split.vocabulary().pad()) return {};  // in the row it would end it
    row[index] = said[index];
  }
  return said;
}

void check_answers(const Checkpoint& checkpoint, const Split& split) {
  const Transformer model = checkpoint.model(positions_needed(checkpoint.config, split));
  const std::vector<Token> answers = decode_answers(model, split, all_of(split));
  const auto width = static_cast<std::size_t>(answer_length(split));
  REQUIRE(answers.size() == static_cast<std::size_t>(split.size()) * width);
  ThreadTeam team(2);
  const Scores scores = score(model, split, team);
  std::int64_t compared = 0;
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    CAPTURE(sample, sample_text(split, sample));
    const auto first = answers.begin() + sample * answer_length(split);
    const Tokens said(first, first + answer_length(split));
    const Tokens expected = written_slowly(model, split, sample);
    compared += !expected.empty();
    if (!expected.empty()) CHECK(said == expected);
    // Exact match with the right prefix is exact match of the model's own output.
    const auto& row = split.target_length > 0 ? split.targets : split.inputs;
    bool right = true;
    for (std::size_t at = 0; at < width; ++at) {
      const std::size_t place = static_cast<std::size_t>(sample) * width + at;
      const bool asked =
          split.target_length > 0 || split.input_asked.empty() || split.input_asked[place] != 0;
      if (asked && row[place] != kPad) right &= said[at] == row[place];
    }
    CHECK(right == (scores.exact[static_cast<std::size_t>(sample)] != 0));
  }
  CHECK(compared > split.size() / 2);
}

TEST_CASE("what a model writes by itself is right where it is right with the right prefix") {
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    CAPTURE(name_of(kind));
    check_answers(half_trained_adder(kind), additions(1, 60));
    check_answers(half_trained_on_uneven(kind), uneven_additions(120));
    check_answers(random_checkpoint(tiny_config(kind, 2)), uneven_additions(60));
  }
}

TEST_CASE("a decoder writes the input from where it is asked, for inputs of different lengths") {
  for (const Asked asked : {Asked::kAll, Asked::kSuffix}) {
    const Split split = repetitions(80, asked);
    check_answers(random_checkpoint(tiny_config(ModelKind::kDecoder, 2)), split);
    TransformerConfig config = config_for(ModelKind::kDecoder, split);
    config.d_model = 16;
    check_answers(half_trained(config, split, 6), split);
  }
}

TEST_CASE("answers are written at the positions that the data gives") {
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    TransformerConfig config = tiny_config(kind, Encoding::kRope, 2);
    config.positions = PositionSource::kData;
    check_answers(random_checkpoint(config), with_positions(uneven_additions(60)));
  }
  TransformerConfig config = tiny_config(ModelKind::kDecoder, Encoding::kRelative, 2);
  config.positions = PositionSource::kData;
  check_answers(random_checkpoint(config), with_positions(repetitions(60, Asked::kSuffix)));
}

TEST_CASE("answers are those of the listed samples, in their order") {
  const Split split = uneven_additions(20);
  for (const ModelKind kind : {ModelKind::kEncoderDecoder, ModelKind::kDecoder}) {
    const Checkpoint& checkpoint = half_trained_on_uneven(kind);
    const Transformer model = checkpoint.model(positions_needed(checkpoint.config, split));
    const std::vector<Token> all = decode_answers(model, split, all_of(split));
    const std::vector<std::int64_t> some = {17, 3, 4, 3};
    const std::vector<Token> chosen = decode_answers(model, split, some);
    REQUIRE(chosen.size() == 4 * 3);
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (std::size_t at = 0; at < 3; ++at)
        CHECK(chosen[3 * i + at] == all[3 * static_cast<std::size_t>(some[i]) + at]);
    }
  }
}

TEST_CASE("only an answer that is asked in one piece at the end can be decoded") {
  CHECK_FALSE(is_decodable(labelled({{1, 2}}), 0));
  CHECK(is_decodable(additions(1, 1), 0));
  Split split = split_of(plain_legend(), {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2}, {1, 2}});
  CHECK(is_decodable(split, 3));
  split.input_asked = {0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0};
  CHECK(is_decodable(split, 0));
  CHECK_FALSE(is_decodable(split, 1));  // the last is not asked
  CHECK(is_decodable(split, 2));
  CHECK(is_decodable(split, 3));        // padding need not be
  CHECK_FALSE(is_decodable(split, 4));  // nothing is asked
}

TEST_CASE("a prompt ends with the last token that is fed before the answer") {
  const Split sums = split_of(plain_legend(), {{3, kPlus, 4}}, {{7, kEnd}});
  CHECK(prompt_length(tiny_config(ModelKind::kEncoderDecoder), sums, 0) == 1);  // bos
  CHECK(prompt_length(tiny_config(ModelKind::kDecoder), sums, 0) == 4);
  Split split = split_of(plain_legend(), {{1, 2, 3}});
  CHECK(prompt_length(tiny_config(ModelKind::kDecoder), split, 0) == 1);
  split.input_asked = {0, 0, 1};
  CHECK(prompt_length(tiny_config(ModelKind::kDecoder), split, 0) == 3);  // bos 1 2
}

}  // namespace
}  // namespace headway::testing
