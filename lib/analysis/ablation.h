// Ablation: the cost of removing each component of a model, ranked and classified.
#pragma once

#include "lib/analysis/removal.h"
#include "lib/base/json.h"
#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"

namespace headway {

struct ComponentEffect {
  Component component;
  Interval drop;              // drop in exact match (a share) with a paired interval
  double exact_match = 0;     // after the removal; of labels: the accuracy
  double token_accuracy = 0;  // with teacher forcing
};

// In points of exact match: critical components cost more than 10, redundant ones at most 1.
inline constexpr double kCriticalPoints = 10;
inline constexpr double kRedundantPoints = 1;
std::string class_of(double points);  // "critical", "important", "redundant"

struct Ablation {
  double exact_match = 0;  // of the complete model
  double token_accuracy = 0;
  std::int64_t problems = 0;
  std::vector<ComponentEffect> effects;  // largest drop first
};

Ablation ablate(const Transformer& model, const Split& split,
                const std::vector<Component>& components, const Replacement& replacement,
                ThreadTeam& team, const EachBatch& each = {});

// Columns rank,unit,label,kind,module,layer,index,class,drop,low,high, then greedy,teacher_forced,
// token_accuracy,token_drop or, for labels, accuracy. Drops in points, accuracies as shares. A
// block has no module, and only heads have an index.
Table to_table(const Ablation& ablation, const TransformerConfig& config);
Json to_metrics(const Ablation& ablation, const TransformerConfig& config);

}  // namespace headway
