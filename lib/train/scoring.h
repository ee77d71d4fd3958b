// Scores of models on data, per sample, for intervals and paired comparisons.
//
// Exact match under greedy decoding equals exact match under teacher forcing: as long as the prefix
// is right, both see the same; once it is wrong, the answer is wrong. So one pass with teacher
// forcing gives both (a test compares it with real decoding).
#pragma once

#include "lib/train/batches.h"

namespace headway {

struct Seq2SeqScores {
  double loss_sum = 0;
  std::int64_t tokens = 0;          // targets that are not padding
  std::int64_t right_tokens = 0;    // with teacher forcing
  std::vector<std::uint8_t> exact;  // [N]: 1 if all targets of the sample are right
  std::vector<std::uint8_t> right;  // [N, T]: 1 if the target is right or padding

  double loss() const { return loss_sum / static_cast<double>(tokens); }
  double token_accuracy() const {
    return static_cast<double>(right_tokens) / static_cast<double>(tokens);
  }
  std::int64_t exact_count() const;
  double exact_match() const {
    return static_cast<double>(exact_count()) / static_cast<double>(exact.size());
  }
};

// Appends the scores of the following samples.
void append(Seq2SeqScores& scores, const Seq2SeqScores& more);
// Scores one batch: logits [B * T, V], targets int32 [B, T]; ignores `pad`.
Seq2SeqScores score_logits(const at::Tensor& logits, const at::Tensor& targets, Token pad);

// Without dropout or gradients. Results do not depend on the team's size.
Seq2SeqScores score(const Seq2Seq& model, const Seq2SeqSplit& split, ThreadTeam& team,
                    const HeadHooks& hooks = {}, const EachBatch& each = {});

struct ClassifierScores {
  double loss_sum = 0;
  std::vector<float> probability;   // [N]: of label 1
  std::vector<std::uint8_t> right;  // [N]: 1 if the likelier label is right

  double loss() const { return loss_sum / static_cast<double>(right.size()); }
  double accuracy() const;
};

// Without dropout or gradients. Results do not depend on the team's size. Memory grows neither with
// the number of sequences nor with the square of their length.
ClassifierScores score(const Classifier& model, const LabelledSequences& sequences,
                       ThreadTeam& team, const EachBatch& each = {});

}  // namespace headway
