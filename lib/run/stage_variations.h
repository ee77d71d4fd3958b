// Stages that belong together: a stage may be in several groups, or in none. A group can be given
// up. Does not know what the groups are.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

class StageGroups {
 public:
  StageGroups() = default;
  // The groups of each stage, numbered from 0; the most urgent first.
  explicit StageGroups(IndexedVector<StageId, std::vector<std::size_t>> groups_of);

  // 0: it is in no group; else the number of its first group, from 1.
  std::size_t rank(StageId stage) const { return ranks_.empty() ? 0 : ranks_[stage]; }
  // Gives up all groups of this stage. Returns the stages that belonged only to groups that are
  // given up, itself included; each is returned once.
  std::vector<StageId> give_up(StageId stage);

 private:
  IndexedVector<StageId, std::vector<std::size_t>> groups_of_;  // empty: there are no groups
  IndexedVector<StageId, std::size_t> ranks_;
  IndexedVector<StageId, std::size_t> wanted_by_;  // groups that are not given up
  std::vector<std::vector<StageId>> members_;      // empty: given up
};

}  // namespace headway
