// Which variations of a merged pipeline each stage belongs to: several, one or none. A variation
// can be given up.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/spec/pipeline_spec.h"

namespace headway {

class StageVariations {
 public:
  StageVariations() = default;
  // The variations of each stage, numbered from 0; the most urgent first.
  explicit StageVariations(IndexedVector<StageId, std::vector<std::size_t>> variations_of);

  // 0: it is in no variation; else the number of its first variation, from 1.
  std::size_t rank(StageId stage) const { return ranks_.empty() ? 0 : ranks_[stage]; }
  // Gives up all variations of this stage. Returns the stages that belonged only to variations that
  // are given up, itself included; each is returned once.
  std::vector<StageId> give_up(StageId stage);

 private:
  IndexedVector<StageId, std::vector<std::size_t>>
      variations_of_;  // empty: there are no variations
  IndexedVector<StageId, std::size_t> ranks_;
  IndexedVector<StageId, std::size_t> wanted_by_;  // variations that are not given up
  std::vector<std::vector<StageId>> members_;      // empty: given up
};

}  // namespace headway
