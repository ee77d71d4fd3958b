// What each head attends to in a split. Statistics are means over the queries that have them.
//
//   diagonal   weight on the query's own position (self attention)
//   previous   weight on the position before the query's (self attention)
//   operator   weight on the + (encoder and cross attention)
//   column     encoder: a digit's weight on the other number's digit of its column;
//              cross: an output digit's weight on the two input digits of its column
//   carry      the weight of an input digit (encoder) or output digit (cross) on both digits of the
//              column to its right, where the carry comes from; carry_with, carry_without: only if
//              that column carries, or does not
//   leading    cross: the leading output digit's weight on the leftmost column. That digit is the
//              column's carry and has no column of its own, so only this statistic includes it
//   entropy    of the weights, divided by that of equal weights: 1 is even, 0 is one key
//   sparsity   1 if all weight is on one key, 0 if it is even: (n - e) / (n - 1) with
//              e = 1 / sum of squared weights, n the number of visible keys
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/numerics/table.h"
#include "lib/train/scoring.h"

namespace headway {

struct Mean {
  double sum = 0;
  double count = 0;

  void add(double value) { sum += value, count += 1; }
  void add(const Mean& other) { sum += other.sum, count += other.count; }
  double value() const;  // NaN if there is none
};

struct HeadStatistics {
  Mean diagonal, previous, operator_, column, carry, carry_with, carry_without, leading;
  Mean entropy, sparsity;

  void add(const HeadStatistics& other);
};

// For every head of the model, in the order of Seq2SeqConfig::heads().
std::vector<HeadStatistics> attention_statistics(const Seq2Seq& model, const Seq2SeqSplit& split,
                                                 ThreadTeam& team, const EachBatch& each = {});

// Columns head,label,module,layer,index, then the statistics; undefined ones are empty.
Table to_table(const std::vector<HeadStatistics>& statistics, const Seq2SeqConfig& config);

}  // namespace headway
