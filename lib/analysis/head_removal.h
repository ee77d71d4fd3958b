// Scores models without some of their heads, for ablation and pruning. Tries many heads at once and
// shares the computation before each head's site.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/train/scoring.h"

namespace headway {

// Replaces the output of removed heads.
class HeadReplacement {
 public:
  HeadReplacement() = default;  // zero
  // Uses the head's mean output at each position, over the samples of a split that have a token
  // there: inputs for the encoder, targets for the decoder. Zero where no sample has one.
  static HeadReplacement mean_over(const Seq2Seq& model, const Seq2SeqSplit& split,
                                   ThreadTeam& team);

  // z [B, T, H, D] with these heads replaced; z itself if there are none.
  at::Tensor apply(const AttentionSite& site, const at::Tensor& z,
                   const std::vector<std::int64_t>& places) const;

 private:
  std::vector<at::Tensor> means_;  // for each site [T, H, D]; empty: zero
};

// Hooks that remove heads.
HeadHooks removing(const Seq2SeqConfig& config, const std::vector<HeadId>& removed,
                   const HeadReplacement& replacement);

struct RemovalScores {
  Seq2SeqScores base;               // without `removed`
  std::vector<Seq2SeqScores> each;  // without `removed` and one candidate
};

RemovalScores score_removals(const Seq2Seq& model, const Seq2SeqSplit& split,
                             const std::vector<HeadId>& removed,
                             const std::vector<HeadId>& candidates,
                             const HeadReplacement& replacement, ThreadTeam& team,
                             const EachBatch& each = {});

}  // namespace headway
