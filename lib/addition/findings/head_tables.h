// Tables with a row for each head, as findings use them: what its removal costs, and what it looks
// at; and how the two go together.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lib/numerics/intervals.h"
#include "lib/report/sources.h"

namespace headway {

struct HeadDrop {
  std::string label;   // "Encoder L0 H3"
  std::string module;  // "encoder", "decoder-self", "decoder-cross"
  int layer = 0;
  std::string head_class;  // "critical", "important", "redundant"
  double drop = 0;         // points of exact match, with its interval
  double low = 0;
  double high = 0;
  double left = 0;  // exact match without it, a share

  Interval interval() const { return {drop, low, high}; }
};

struct HeadAblation {
  std::string way;              // "zero", "mean": how heads are switched off; may be empty
  std::vector<HeadDrop> heads;  // largest drop first

  double whole() const;  // exact match with all heads, a share
  const HeadDrop* find(const std::string& label) const;
  std::size_t count(const std::string& head_class) const;
};

// An Error, introduced by the artifact, where a column is missing or there is no head.
std::vector<HeadAblation> read_ablations(const Sources& sources, std::string_view name);

// "zero ablation", "ablation" where the way has no name. Escaped.
std::string way_text(const HeadAblation& ablation);

struct HeadLook {
  std::string label;
  std::string module;
  int layer = 0;
  std::map<std::string, double> shares;  // by statistic; none where one is undefined

  double at(const std::string& statistic) const;  // NaN where it is undefined
};

std::vector<HeadLook> read_looks(const Sources& sources, std::string_view name);

// What a head would give, looking at all tokens of the input evenly: to the two digits of a column
// (of which the encoder's statistic `column` counts one).
double even_share(const std::string& statistic, const std::string& module, int digits);

// Digits of the numbers that are added, from a dataset's metrics.
int digits_of_data(const Sources& sources, std::string_view name);

// How many additions there are of two numbers of so many digits, none with a zero in front; 0 where
// that is more than can be counted.
std::size_t additions_of(std::size_t digits);

std::string module_text(const std::string& module);           // "encoder self-attention", …
std::string site_text(const std::string& module, int layer);  // "layer 0 of cross-attention"

// "10.7 points, 95 % interval 9.3 to 12": for where parentheses are open already.
std::string drop_in_parentheses(const HeadDrop& head);

// Spearman's rank correlation, and how often chance alone brings one as large. It has no interval:
// the formulas for one want many heads no two of which are equal, and half of all drops may be 0.
struct RankCorrelation {
  double value = 0;  // NaN where it is undefined
  double p = 1;      // NaN likewise
  std::size_t pairs = 0;

  bool is_defined() const;
  bool excludes_zero() const;  // chance brings it about in less than one of twenty cases
};

RankCorrelation correlate_ranks(const std::vector<double>& a, const std::vector<double>& b);

// "0.72 over 16 heads (p = 0.002)"
std::string correlation_text(const RankCorrelation& correlation);

// a - b, of two values with their intervals, as if they were measured on different problems: made
// of the intervals as Newcombe's is of Wilson's. Where both were measured on the same problems, and
// what is hard for one is hard for the other, the true interval is narrower. For `comparisons`
// looked at together it is wider, so that all of them hold with 95 % (Bonferroni).
Interval difference_between(const Interval& a, const Interval& b, std::size_t comparisons = 1);

}  // namespace headway
