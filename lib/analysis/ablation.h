// Ablation: the cost of removing each component of a model, ranked and classified.
#pragma once

#include "lib/analysis/removal.h"
#include "lib/base/json.h"
#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"

namespace headway {

struct ComponentEffect {
  Component component;
  Interval drop;              // of the accuracy (a share), paired
  double accuracy = 0;        // after the removal, as measured by Accuracy
  double token_accuracy = 0;  // with teacher forcing
  double loss = 0;
};

// In points of accuracy: critical components cost more than 10, redundant ones at most 1.
inline constexpr double kCriticalPoints = 10;
inline constexpr double kRedundantPoints = 1;
std::string class_of(double points);  // "critical", "important", "redundant"

struct Ablation {
  std::string measure;  // Accuracy::name
  double accuracy = 0;  // of the complete model
  double token_accuracy = 0;
  double loss = 0;
  std::int64_t problems = 0;
  std::vector<ComponentEffect> effects;  // largest drop first
};

Ablation ablate(const Transformer& model, const Split& split,
                const std::vector<Component>& components, const Replacement& replacement,
                ThreadTeam& team, const EachBatch& each = {});

// Columns rank,unit,label,kind,module,layer,index,class,drop,low,high, then the accuracy that is
// left (Accuracy::name), beside greedy also teacher_forced,token_accuracy,token_drop; then
// loss,loss_increase. Drops in points, accuracies as shares. A block has no module, and only heads
// have an index.
Table to_table(const Ablation& ablation, const TransformerConfig& config);
Json to_metrics(const Ablation& ablation);

}  // namespace headway
