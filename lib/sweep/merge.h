// Merges the pipelines of trials into one: equal stages occur once. Does not know how trials are
// chosen.
#pragma once

#include <string>
#include <unordered_map>
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
    Trial first;
    std::vector<Assignment> common;  // overrides of all its trials
    std::size_t trials = 1;          // number of trials that share it
  };

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
