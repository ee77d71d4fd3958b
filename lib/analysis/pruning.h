// Which heads can be removed together. Heads that are redundant one by one need not be redundant
// together: each may replace the other. So three orders of removal are followed to the end: greedy
// (tries all remaining heads after each removal), one-shot (ranking of single removals) and random.
// Orders are chosen on one split and measured on another.
#pragma once

#include "lib/analysis/head_removal.h"
#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"

namespace headway {

struct PruningOptions {
  int random_orders = 5;
  std::uint64_t seed = 641;
};

struct CurvePoint {
  std::size_t removed = 0;
  Interval accuracy;  // exact match; for random orders: mean, lowest, highest
  std::string head;   // label of the head removed last
};

struct PruningCurve {
  std::string strategy;            // "greedy", "one-shot", "random"
  std::vector<CurvePoint> points;  // from no head removed to all
};

struct Pruning {
  Interval whole;                    // exact match of the complete model on the measured split
  std::vector<HeadId> heads;         // all heads
  std::vector<double> drops;         // each head removed alone, in points
  std::vector<HeadId> greedy_order;  // first removed first
  std::vector<PruningCurve> curves;

  std::size_t individually(double points) const;  // heads that alone cost at most this
  // The longest prefix of the greedy order that costs at most this many points of exact match: what
  // the search found, not the proven maximum.
  std::vector<HeadId> together(double points) const;
};

// Called with the share done, 0..1; throws to stop.
using PruningProgress = std::function<void(double)>;

Pruning prune_heads(const Seq2Seq& model, const Seq2SeqSplit& choose, const Seq2SeqSplit& measure,
                    const PruningOptions& options, ThreadTeam& team,
                    const PruningProgress& progress);

// Columns strategy,removed,accuracy,low,high,head.
Table curve_table(const Pruning& pruning);
// Columns tolerance,individually,together,accuracy,heads.
Table tolerance_table(const Pruning& pruning, const Seq2SeqConfig& config,
                      const std::vector<double>& tolerances);

}  // namespace headway
