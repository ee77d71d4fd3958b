// Scores of models without some units, one sample after the other, through hooks: the definition,
// to compare with what is computed at once and shared.
#pragma once

#include <functional>

#include "lib/analysis/components.h"
#include "lib/nn/checkpoint.h"
#include "lib/train/scoring.h"

namespace headway::testing {

inline const std::vector<ComponentKind> kEveryComponent = {
    ComponentKind::kHead, ComponentKind::kFeed, ComponentKind::kBlock};

// What stands in for the output of a site's unit, by its place among those that are there, in a
// sample of this length: [T, W].
using StandIn = std::function<at::Tensor(std::int64_t sample, const Site& site, std::int64_t place,
                                         std::int64_t length)>;

// W of a site.
std::int64_t unit_width(const TransformerConfig& config, const Site& site);

StandIn nothing(const TransformerConfig& config);  // zero
// The means at each position over the samples that have it; zero where none has.
StandIn means_over(const Checkpoint& checkpoint, const Split& split);
// The outputs of another sample in the complete model, round and round.
StandIn outputs_of(const Checkpoint& checkpoint, const Split& split,
                   const std::vector<std::int64_t>& donors);

Scores scored_without(const Checkpoint& checkpoint, const Split& split,
                      const std::vector<Unit>& removed, const StandIn& stand_in);

// The same answers, as far as the first has them, and almost the same losses.
void check_same(const Scores& a, const Scores& b);

}  // namespace headway::testing
