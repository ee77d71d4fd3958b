// Which heads can go together. Heads that are redundant one by one need not be redundant together:
// each may stand in for the other. So three orders of removal are followed to the end: greedy
// (after each removal all that are left are tried anew), one-shot (the ranking of single removals),
// and random ones. Orders are chosen on one split and measured on another.
#pragma once

#include "lib/analysis/head_removal.h"
#include "lib/numerics/intervals.h"
#include "lib/numerics/table.h"

namespace headway {

struct PruningOptions {
  int random_orders = 5;
  std::uint64_t seed = 641;
};

struct CurvePoint {
  std::size_t removed = 0;
  Interval accuracy;  // exact match; of random orders: mean, lowest, highest
  std::string head;   // the label of the one removed last
};

struct PruningCurve {
  std::string strategy;            // "greedy", "one-shot", "random"
  std::vector<CurvePoint> points;  // from nothing removed to all
};

struct Pruning {
  Interval whole;                    // exact match of the whole model, on the split measured on
  std::vector<HeadId> heads;         // all there are
  std::vector<double> drops;         // of each alone, in points
  std::vector<HeadId> greedy_order;  // first removed first
  std::vector<PruningCurve> curves;

  std::size_t individually(double points) const;  // heads whose removal alone costs at most that
  // The longest start of the greedy order after which exact match is at most that many points
  // lower: what the search found, not a proof that there is nothing larger.
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
