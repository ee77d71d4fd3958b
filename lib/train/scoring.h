// How right a model is on a split: per sample, so that intervals and paired comparisons can be
// made.
//
// Exact match under greedy decoding equals exact match under teacher forcing from BOS: at each step
// the prefix is either right, and then both see the same, or the answer is wrong already. So one
// pass with teacher forcing gives both (a test compares it with real decoding).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lib/data/seq2seq_data.h"
#include "lib/nn/seq2seq.h"
#include "lib/numerics/thread_team.h"
#include "lib/train/map_batches.h"

namespace headway {

struct Seq2SeqScores {
  double loss_sum = 0;
  std::int64_t tokens = 0;          // targets that are not padding
  std::int64_t right_tokens = 0;    // with teacher forcing
  std::vector<std::uint8_t> exact;  // [N]: 1 where every target of the sample is right
  std::vector<std::uint8_t> right;  // [N, T]: 1 where the target is right, or padding

  double loss() const { return loss_sum / static_cast<double>(tokens); }
  double token_accuracy() const {
    return static_cast<double>(right_tokens) / static_cast<double>(tokens);
  }
  std::int64_t exact_count() const;
  double exact_match() const {
    return static_cast<double>(exact_count()) / static_cast<double>(exact.size());
  }
};

// Scores of samples that stand behind each other.
void append(Seq2SeqScores& scores, const Seq2SeqScores& more);
// Of one batch. logits [B * T, V], targets int32 [B, T], of which `pad` are not counted.
Seq2SeqScores score_logits(const at::Tensor& logits, const at::Tensor& targets, Token pad);

// Without dropout or gradients, batch by batch on the team; results do not depend on its size.
Seq2SeqScores score(const Seq2Seq& model, const Seq2SeqSplit& split, ThreadTeam& team,
                    const HeadHooks& hooks = {}, const EachBatch& each = {});

}  // namespace headway
