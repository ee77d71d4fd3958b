// Head ablation: the cost of removing each head, ranked and classified.
#pragma once

#include "lib/analysis/head_removal.h"
#include "lib/base/json.h"
#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"

namespace headway {

struct HeadEffect {
  HeadId head;
  Interval drop;              // drop in exact match (a share) with a paired interval
  double exact_match = 0;     // after the removal
  double token_accuracy = 0;  // with teacher forcing
};

// In points of exact match: critical heads cost more than 10, redundant ones at most 1.
inline constexpr double kCriticalPoints = 10;
inline constexpr double kRedundantPoints = 1;
std::string class_of(double points);  // "critical", "important", "redundant"

struct Ablation {
  double exact_match = 0;  // of the complete model
  double token_accuracy = 0;
  std::int64_t problems = 0;
  std::vector<HeadEffect> effects;  // largest drop first
};

Ablation ablate_heads(const Seq2Seq& model, const Seq2SeqSplit& split,
                      const HeadReplacement& replacement, ThreadTeam& team,
                      const EachBatch& each = {});

// Columns rank,head,label,module,layer,index,class,drop,low,high,greedy,teacher_forced,
// token_accuracy,token_drop; drops in points, accuracies as shares.
Table to_table(const Ablation& ablation, const Seq2SeqConfig& config);
Json to_metrics(const Ablation& ablation, const Seq2SeqConfig& config);

}  // namespace headway
