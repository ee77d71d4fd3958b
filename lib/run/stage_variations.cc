#include "lib/run/stage_variations.h"

#include <algorithm>
#include <utility>

namespace headway {

StageVariations::StageVariations(IndexedVector<StageId, std::vector<std::size_t>> variations_of)
    : variations_of_(std::move(variations_of)) {
  for (const StageId stage : variations_of_.ids()) {
    const std::vector<std::size_t>& variations = variations_of_[stage];
    ranks_.push_back(variations.empty() ? 0 : 1 + *std::ranges::min_element(variations));
    wanted_by_.push_back(variations.size());
    for (const std::size_t variation : variations) {
      members_.resize(std::max(members_.size(), variation + 1));
      members_[variation].push_back(stage);
    }
  }
}

std::vector<StageId> StageVariations::give_up(StageId stage) {
  std::vector<StageId> unwanted;
  if (variations_of_.empty()) return unwanted;
  for (const std::size_t variation : variations_of_[stage]) {
    for (const StageId member : std::exchange(members_[variation], {})) {
      if (--wanted_by_[member] == 0) unwanted.push_back(member);
    }
  }
  return unwanted;
}

}  // namespace headway
