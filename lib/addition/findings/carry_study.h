// Heads as the ablation and the attention statistics know them, joined: who looks at the column to
// the right, where a carry comes from, and what the removal of each costs. Numbers, no sentences.
//
// The leading digit of a sum has no column of its own: it is what the leftmost column carries. How
// a head looks there when it writes that digit is the statistic `leading`, apart from `carry`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/addition/findings/head_tables.h"

namespace headway {

struct CarryHead {
  HeadLook look;
  std::vector<HeadDrop> drops;  // one for each way of switching it off
  bool can_look = false;        // at the column to the right
  bool looks = false;           // there, more than even attention would
  bool leads = false;           // the same of the leftmost column, for the leading digit

  const HeadDrop& drop() const { return drops.front(); }
  bool is(const std::string& head_class, std::size_t way = 0) const;
  bool is_by_every_way(const std::string& head_class) const;
};

struct CarryStudy {
  int digits = 0;
  // The first one gives classes and losses: `mean` where it is there. Zeros are something that the
  // rest of the model never saw, so that what they cost need not be what the head says.
  std::vector<HeadAblation> ablations;
  std::vector<CarryHead> heads;  // those that all tables know
  bool has_leading = false;      // else `carry` is of all output digits, the leading one among them

  std::vector<const CarryHead*> able() const;
  std::vector<const CarryHead*> looking() const;
  std::vector<const CarryHead*> leading() const;
  // Of those that give the column to the right more than half of their weight, the one that costs
  // most; null where there is none.
  const CarryHead* carry_head() const;
  double even() const;  // weight of a column, where all tokens get the same

  // Of what single heads cost, added up, the share at those for which it holds. What a removal
  // gains counts for nothing. NaN where nothing is lost.
  double share_of_loss(const std::function<bool(const CarryHead&)>& holds,
                       std::size_t way = 0) const;

  // A statistic, divided by what even attention would give, against the drop; of all heads that
  // have it, or of a module's.
  RankCorrelation correlation(const std::string& statistic, const std::string& module,
                              std::size_t way) const;
};

// From `heads`, `statistics` and `data`. An Error where the tables have no head in common.
CarryStudy read_carry_study(const Sources& sources);

// As read_looks; with `leading` where the table has it.
std::vector<HeadLook> read_carry_looks(const Sources& sources, std::string_view name);

std::size_t count_in(const std::vector<const CarryHead*>& heads, const std::string& module);

struct CarryRelation {
  std::string statistic;  // "carry", "column"
  std::string module;     // empty: all heads that have it
  std::size_t way = 0;    // of the study's ablations
  RankCorrelation correlation;
};

std::vector<CarryRelation> relations_of(const CarryStudy& study);

}  // namespace headway
