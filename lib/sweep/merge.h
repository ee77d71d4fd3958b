// Several variations of one pipeline as one: stages that are the same in all respects are there
// once, whoever needs them. Knows nothing of how variations come about.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/spec/pipeline_spec.h"
#include "lib/sweep/trials.h"

namespace headway {

// Where a stage of one trial is in the merged pipeline.
struct StagePlace {
  std::string name;  // in the trial: "train", "ablate@zero"
  int stage = -1;    // in the merged pipeline
};

class Merger {
 public:
  // The merged pipeline begins as `merged`, without stages.
  explicit Merger(PipelineSpec& merged) : merged_(merged) {}

  // Adds the `targets` of a trial's pipeline with all they need. Its places, in the pipeline's
  // order.
  std::vector<StagePlace> add(const Trial& trial, const PipelineSpec& pipeline,
                              const std::vector<int>& targets);

  // Names every stage by what the trials that share it have in common: "data", "train@seed=2",
  // "ablate@zero,seed=2"; call once, at the end.
  void name_stages();
  // Whether some stage is another one where this parameter has another value.
  bool depends_on(const std::string& path) const;

 private:
  struct Shared {
    std::vector<std::pair<std::string, std::string>> common;  // path and value, as text
    std::vector<Assignment> overrides;                        // the same, to name it by
    std::string first_trial;
    std::size_t first_overrides = 0;
    std::size_t trials = 1;  // that share it
  };

  StageSpec translated(const StageSpec& stage, const PipelineSpec& pipeline,
                       const std::vector<int>& merged_index);
  Source translated(const Source& source, const PipelineSpec& pipeline,
                    const std::vector<int>& merged_index);

  PipelineSpec& merged_;
  std::unordered_map<std::string, int> known_;          // what a stage is -> its index
  std::unordered_map<std::string, int> known_fan_ins_;  // the same
  std::size_t trials_ = 0;
  std::vector<Shared> shared_;  // by stage
};

}  // namespace headway
