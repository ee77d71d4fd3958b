// Scores models without some of their units, for ablation and pruning. Tries many removals at once,
// and computes what several of them have in common once.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "lib/analysis/components.h"
#include "lib/train/scoring.h"

namespace headway {

class Replacement {
 public:
  Replacement() = default;  // zero
  // The means over the samples of a split that have a token at the position. Zero where none has.
  static Replacement mean_over(const Transformer& model, const Split& split, ThreadTeam& team,
                               const EachBatch& each = {});
  // Each sample's outputs come from another one of the split that is scored. If that one is
  // shorter, its outputs are repeated from the start.
  static Replacement resample(std::uint64_t seed);

  // For each sample of a split the one that its outputs come from: each once, in one random circle.
  // Empty if the replacement needs none. Throws Error if there is no other sample.
  std::vector<std::int64_t> donors_in(const Split& split) const;
  // The outputs that stand in for those of all sites, in the batch of these samples. [B or 1, T, U,
  // W] with the U units of the site, of width W; empty: zero.
  std::vector<at::Tensor> outputs_for(const Transformer& model, const Split& split,
                                      std::span<const std::int64_t> donors,
                                      std::span<const std::int64_t> samples,
                                      const Batch& batch) const;

 private:
  RemovalMode mode_ = RemovalMode::kZero;
  std::vector<at::Tensor> means_;  // for each site [L, U, W]
  std::uint64_t seed_ = 0;
};

struct RemovalScores {
  Scores base;  // without `removed`
  // Without `removed` and one candidate; without `right` and `answers`, which would take much
  // memory.
  std::vector<Scores> each;
};

struct RemovalSearch {
  // Candidates may be given up, with any scores, once they have more wrong samples than this.
  std::int64_t most_wrong = std::numeric_limits<std::int64_t>::max();
};

// Models that differ only from some site on share what precedes it. Throws Error if the replacement
// needs more samples than there are.
RemovalScores score_removals(const Transformer& model, const Split& split,
                             const std::vector<Unit>& removed,
                             const std::vector<std::vector<Unit>>& candidates,
                             const Replacement& replacement, ThreadTeam& team,
                             const EachBatch& each = {}, const RemovalSearch& search = {});

}  // namespace headway
