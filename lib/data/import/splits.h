// Which split each imported sample belongs to, and which samples are dropped because they overlap.
#pragma once

#include "lib/data/equal_rows.h"
#include "lib/data/import/sample_table.h"

namespace headway {

struct SplitChoice {
  std::vector<std::string> names;  // train, val, test, then others in the order of the data
  std::vector<std::int32_t> of;    // names, of each sample; kDropped
  std::int64_t dropped = 0;

  static constexpr std::int32_t kDropped = -1;
};

// From the sections or the field `split`, else drawn: samples with the same input, or that are a
// pair, come into the same split, so drawn splits never overlap. Throws Error with the first
// overlapping record (Overlap::kRefuse), or if one of the three splits has no samples.
SplitChoice choose_splits(const SampleTable& table, const ImportOptions& options);

}  // namespace headway
