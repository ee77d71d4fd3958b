// What each head attends to in a split, by position, by the roles and by the relations that the
// data declares. Means over the queries that have the property.
//
//   diagonal   weight on the query's own position (self-attention)
//   previous   weight on the position before the query's (self-attention)
//   entropy    of the weights, divided by that of equal weights: 1 is even, 0 is one key
//   sparsity   1 if all weight is on one key, 0 if it is even: (n - e) / (n - 1) with
//              e = 1 / sum of squared weights, n the number of keys that the head can see there
//   NAME       for each relation: the query's weight on all its keys in the relation
//
// A query of a decoder has the role of the token that it writes, a key has the role of its own
// token.
#pragma once

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
  Mean diagonal, previous, entropy, sparsity;
  std::vector<Mean> relations;  // of the legend
  // Mean weight of a query of each role on all keys of each role that it sees: [roles, roles], or
  // empty if there are more than kMostRoles.
  std::vector<Mean> roles;

  void add(const HeadStatistics& other);
};
inline constexpr std::size_t kMostRoles = 256;

// For every head of the model, in the order of TransformerConfig::heads().
std::vector<HeadStatistics> attention_statistics(const Transformer& model, const Split& split,
                                                 ThreadTeam& team, const EachBatch& each = {});

// Columns head,label,module,layer,index, the statistics, a column for each relation, and
// `copying` (lib/analysis/circuits.h; empty: of no head). Those without meaning are empty.
Table statistics_table(const std::vector<HeadStatistics>& statistics,
                       const TransformerConfig& config, const Legend& legend,
                       const std::vector<double>& copying);
// Columns head,label,module,layer,index,query,key,weight,count: a row for each two roles that occur
// together.
Table role_table(const std::vector<HeadStatistics>& statistics, const TransformerConfig& config,
                 const Legend& legend);

}  // namespace headway
