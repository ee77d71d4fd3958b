// Models without some of their heads, scored: the engine below ablation and pruning. Many heads are
// tried at once, and what is computed before a head's place is computed once for all that follow.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/train/scoring.h"

namespace headway {

enum class RemovalMode { kZero, kMean };

// What stands in for the output of a removed head.
class HeadReplacement {
 public:
  HeadReplacement() = default;  // zero
  // The mean over a split of what the head gives at each position.
  static HeadReplacement mean_over(const Seq2Seq& model, const Seq2SeqSplit& split,
                                   ThreadTeam& team);

  // z [B, T, H, D] with these heads replaced; z itself where there are none.
  at::Tensor apply(const AttentionSite& site, const at::Tensor& z,
                   const std::vector<std::int64_t>& places) const;

 private:
  std::vector<at::Tensor> means_;  // for each site [T, H, D]; empty: zero
};

// Hooks that remove heads.
HeadHooks removing(const Seq2SeqConfig& config, const std::vector<HeadId>& removed,
                   const HeadReplacement& replacement);

struct RemovalScores {
  Seq2SeqScores base;               // with `removed` removed
  std::vector<Seq2SeqScores> each;  // with `removed` and one candidate removed
};

RemovalScores score_removals(const Seq2Seq& model, const Seq2SeqSplit& split,
                             const std::vector<HeadId>& removed,
                             const std::vector<HeadId>& candidates,
                             const HeadReplacement& replacement, ThreadTeam& team,
                             const EachBatch& each = {});

}  // namespace headway
