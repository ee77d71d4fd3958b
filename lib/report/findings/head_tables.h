// Tables with a row for each head, as findings use them: what its removal costs, and what it looks
// at; and how the two go together.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

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

std::string module_text(const std::string& module);           // "encoder self-attention", …
std::string site_text(const std::string& module, int layer);  // "layer 0 of cross-attention"

// "10.7 points, 95 % interval 9.3 to 12": for where parentheses are open already.
std::string drop_in_parentheses(const HeadDrop& head);

// Spearman's rank correlation with its 95 % interval (Fisher's transformation, with Fieller's
// variance), which is NaN for fewer than five pairs.
struct RankCorrelation {
  double value = 0;  // NaN where it is undefined
  double low = 0;
  double high = 0;
  std::size_t pairs = 0;

  bool is_defined() const;
  bool excludes_zero() const;
};

RankCorrelation correlate_ranks(const std::vector<double>& a, const std::vector<double>& b);

// "0.72 over 16 heads (95 % interval 0.32 to 0.9)"
std::string correlation_text(const RankCorrelation& correlation);

// "larger", "smaller" (a's interval lies above b's, below b's) or "" where they overlap.
std::string beyond_intervals(double a_low, double a_high, double b_low, double b_high);

}  // namespace headway
