// A project in memory that runs sweeps like `headway sweep`. For the trial table its executor
// writes what the table reads.
#pragma once

#include "lib/sweep/sweep_pipeline.h"
#include "tests/support/project.h"
#include "tests/support/sweeping.h"

namespace headway::testing {

struct SweepSettings {
  SweepRequest request = {};
  bool forgets = true;
  int cpus = 1;
};

class SweepProject : public Project {
 public:
  SweepProject();

  SweepLoader loader(const SweepRequest& request = {});
  SweepPipeline sweep_pipeline(const SweepRequest& request = {}) {
    return loader(request).load_all();
  }
  Outcome sweep(const SweepSettings& settings = {});
  Outcome run_sweep_pipeline(const SweepPipeline& sweep_pipeline,
                             const SweepSettings& settings = {});
  // The key of a stage in the merged pipeline; everything upstream must be finished.
  Digest key_in_sweep(const std::string& stage, const SweepRequest& request = {});
  // Folders and files below outputs/<pipeline>/<sweep>: "seed=1/train/o.txt".
  Names shown_files(const std::string& sweep);

  std::vector<TrialsProgress> trials;  // reported in the last sweep
  std::vector<VariationEnd> finished;  // trials, the same
};

}  // namespace headway::testing
