// Merges variations of a pipeline into one: equal stages occur once. Does not know how variations
// are made.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/spec/graph.h"
#include "lib/sweep/trials.h"

namespace headway {

// Where a trial's stage is in the merged pipeline.
struct StagePlace {
  std::string name;  // in the trial: "train", "ablate@zero"
  StageId stage;     // in the merged pipeline
};

class Merger {
 public:
  // `merged` must have no stages yet.
  explicit Merger(PipelineSpec& merged) : merged_(merged) {}

  // Adds the `targets` of a trial's pipeline and everything they need. Returns their places in the
  // order of `pipeline`.
  std::vector<StagePlace> add(const Trial& trial, const PipelineSpec& pipeline,
                              const std::vector<StageId>& targets);

  // Names every stage by what its trials have in common: "data", "train@seed=2",
  // "ablate@zero,seed=2". Call once, at the end.
  void name_stages();
  // Whether this parameter changes any stage.
  bool depends_on(const std::string& path) const;

 private:
  struct Shared {
    std::vector<std::pair<std::string, std::string>> common;  // path and value, as text
    std::vector<Assignment> overrides;                        // the same, for the name
    std::string first_trial;
    std::size_t first_overrides = 0;
    std::size_t trials = 1;  // number of trials that share it
  };

  std::vector<StageId> in_order(const PipelineSpec& pipeline,
                                const std::vector<StageId>& targets) const;
  StageSpec translated(const StageSpec& stage, const PipelineSpec& pipeline,
                       const IndexedVector<StageId, StageId>& merged_index);
  Source translated(const Source& source, const PipelineSpec& pipeline,
                    const IndexedVector<StageId, StageId>& merged_index);

  PipelineSpec& merged_;
  std::unordered_map<std::string, StageId> known_;          // identity -> index
  std::unordered_map<std::string, FanInId> known_fan_ins_;  // identity -> index
  std::size_t trials_ = 0;
  IndexedVector<StageId, Shared> shared_;
};

}  // namespace headway
