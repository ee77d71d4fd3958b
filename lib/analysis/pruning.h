// Which components can be removed together. Those that are redundant one by one need not be
// redundant together: each may replace the other. So three orders of removal are followed to the
// end: greedy (tries all that remain after each removal), one-shot (ranking of single removals) and
// random. Orders are chosen on one split and measured on another.
#pragma once

#include "lib/analysis/removal.h"
#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"

namespace headway {

struct PruningOptions {
  int random_orders = 5;
  std::uint64_t seed = 641;
};

struct CurvePoint {
  std::size_t removed = 0;
  Interval accuracy;  // as measured by Accuracy; for random orders: mean, lowest, highest
  std::string unit;   // label of the component removed last
};

struct PruningCurve {
  std::string strategy;            // "greedy", "one-shot", "random"
  std::vector<CurvePoint> points;  // from nothing removed to all
};

struct Pruning {
  Interval whole;                       // accuracy of the complete model on the measured split
  std::vector<Component> components;    // all that can be removed
  std::vector<double> drops;            // each of them removed alone, in points
  std::vector<Component> greedy_order;  // first removed first
  std::vector<PruningCurve> curves;

  std::size_t individually(double points) const;  // components that alone cost at most this
  // The longest prefix of the greedy order that costs at most this many points: what the search
  // found, not the proven maximum.
  std::vector<Component> together(double points) const;
};

// Called with the share done, 0..1; throws to stop.
using PruningProgress = std::function<void(double)>;

// The components must not overlap. What is removed gives zero.
Pruning prune(const Transformer& model, const std::vector<Component>& components,
              const Split& choose, const Split& measure, const PruningOptions& options,
              ThreadTeam& team, const PruningProgress& progress);

// Columns strategy,removed,accuracy,low,high,unit.
Table curve_table(const Pruning& pruning);
// Columns tolerance,individually,together,accuracy,units.
Table tolerance_table(const Pruning& pruning, const std::vector<double>& tolerances);

}  // namespace headway
