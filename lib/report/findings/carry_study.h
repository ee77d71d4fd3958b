// Heads as the ablation and the attention statistics know them, joined: who looks at the column to
// the right, where a carry comes from, and what the removal of each costs. Numbers, no sentences.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/report/findings/head_tables.h"

namespace headway {

struct CarryHead {
  HeadLook look;
  std::vector<HeadDrop> drops;  // one for each way of switching it off
  bool can_look = false;        // at the column to the right
  bool looks = false;           // there, more than even attention would

  const HeadDrop& drop() const { return drops.front(); }
  bool is(const std::string& head_class) const { return drop().head_class == head_class; }
};

struct CarryStudy {
  int digits = 0;
  std::vector<HeadAblation> ablations;  // the first one gives classes and losses
  std::vector<CarryHead> heads;         // those that all tables know

  std::vector<const CarryHead*> able() const;
  std::vector<const CarryHead*> looking() const;
  double even() const;  // weight of the column to the right, where all tokens get the same

  // Of what single heads cost, added up, the share at those for which it holds. What a removal
  // gains counts for nothing. NaN where nothing is lost.
  double share_of_loss(const std::function<bool(const CarryHead&)>& holds) const;

  // A statistic against the drop; of all heads that have it, or of a module's.
  RankCorrelation correlation(const std::string& statistic, const std::string& module,
                              std::size_t way) const;
};

// From `heads`, `statistics` and `data`. An Error where the tables have no head in common.
CarryStudy read_carry_study(const Sources& sources);

std::size_t count_in(const std::vector<const CarryHead*>& heads, const std::string& module);

struct CarryRelation {
  std::string statistic;  // "carry", "column"
  std::string module;     // empty: all heads that have it
  std::size_t way = 0;    // of the study's ablations
  RankCorrelation correlation;
};

std::vector<CarryRelation> relations_of(const CarryStudy& study);

}  // namespace headway
