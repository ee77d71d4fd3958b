// Scores of models on data, per sample, for intervals and paired comparisons.
//
// Where there is one right answer, exact match under greedy decoding equals exact match under
// teacher forcing: as long as the prefix is right, both see the same; once it is wrong, the answer
// is wrong. So one pass with teacher forcing gives both. `decode_answers` really decodes, as a
// check.
#pragma once

#include "lib/train/batches.h"

namespace headway {

struct ScoreSums {
  double loss = 0;
  std::int64_t tokens = 0;  // targets that are asked for
  std::int64_t right_tokens = 0;

  void add(const ScoreSums& other);
};

// Of N samples whose answers have up to W positions. A label is an answer of one position.
struct Scores {
  ScoreSums sums;
  std::int64_t width = 0;           // W
  std::vector<std::uint8_t> exact;  // [N]: 1 if the whole answer is right
  // [N]: right tokens of each sample; only of plain sequences (Split::has_answers).
  std::vector<std::int32_t> right_tokens;
  std::vector<std::uint8_t> right;  // [N, W]: 1 if the target is right or not asked for
  // The likeliest token or class at each position, given the right prefix; padding where nothing is
  // asked for.
  std::vector<std::int32_t> answers;  // [N, W]
  std::vector<float> confidence;      // [N]: probability of the given answer; labels only

  std::int64_t size() const { return std::ssize(exact); }
  double loss() const { return sums.loss / static_cast<double>(sums.tokens); }
  double token_accuracy() const {
    return static_cast<double>(sums.right_tokens) / static_cast<double>(sums.tokens);
  }
  std::int64_t exact_count() const;
  double exact_match() const {
    return static_cast<double>(exact_count()) / static_cast<double>(exact.size());
  }
};

// For all samples of the split, none of which is scored yet.
Scores empty_scores(const Split& split);
// Scores these samples, of whose batch the model gave these logits. `right` and `answers` may be
// empty, and stay so. Different samples may be scored at once. The sums are returned: they depend
// on the order in which they are added.
ScoreSums score_logits(const TransformerConfig& config, const Split& split,
                       std::span<const std::int64_t> samples, const Batch& batch,
                       const at::Tensor& logits, Scores& scores);

// Without dropout or gradients. Results do not depend on the team's size. Beside the scores, memory
// grows neither with the number of samples nor with the square of their length.
Scores score(const Transformer& model, const Split& split, ThreadTeam& team,
             const Hooks& hooks = {}, const EachBatch& each = {});

// Throws Error if the model gave infinities or NaNs, of which the likeliest would mean nothing.
void require_numbers(const Scores& scores);
void require_numbers(const at::Tensor& logits);

// Whether the decoder writes a sample's answer in one piece: all that is asked for comes last. Only
// then its own output decides whether the answer is right.
bool is_decodable(const Split& split, std::int64_t sample);
// The number of tokens that the decoder is fed before it writes the sample's answer by itself.
// Prompts of the same length are decoded together.
std::int64_t prompt_length(const TransformerConfig& config, const Split& split,
                           std::int64_t sample);
// The model's own output for these samples, each of which is decodable: tokens [samples, W],
// padding where nothing is asked for and after the end marker. Without gradients.
std::vector<Token> decode_answers(const Transformer& model, const Split& split,
                                  std::span<const std::int64_t> samples, const Hooks& hooks = {});

}  // namespace headway
