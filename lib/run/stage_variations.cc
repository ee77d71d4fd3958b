#include "lib/run/stage_groups.h"

#include <algorithm>
#include <utility>

namespace headway {

StageGroups::StageGroups(IndexedVector<StageId, std::vector<std::size_t>> groups_of)
    : groups_of_(std::move(groups_of)) {
  for (const StageId stage : groups_of_.ids()) {
    const std::vector<std::size_t>& groups = groups_of_[stage];
    ranks_.push_back(groups.empty() ? 0 : 1 + *std::ranges::min_element(groups));
    wanted_by_.push_back(groups.size());
    for (const std::size_t group : groups) {
      members_.resize(std::max(members_.size(), group + 1));
      members_[group].push_back(stage);
    }
  }
}

std::vector<StageId> StageGroups::give_up(StageId stage) {
  std::vector<StageId> unwanted;
  if (groups_of_.empty()) return unwanted;
  for (const std::size_t group : groups_of_[stage]) {
    for (const StageId member : std::exchange(members_[group], {})) {
      if (--wanted_by_[member] == 0) unwanted.push_back(member);
    }
  }
  return unwanted;
}

}  // namespace headway
