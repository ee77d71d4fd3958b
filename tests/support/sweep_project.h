// A project in memory whose pipelines are swept, as `headway sweep` does it. Its executor stands in
// for the table of trials too: it writes what the table reads.
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
  SweepPipeline sweep_pipeline(const SweepRequest& request = {}) { return loader(request).load_all(); }
  Outcome sweep(const SweepSettings& settings = {});
  Outcome run_sweep_pipeline(const SweepPipeline& sweep_pipeline, const SweepSettings& settings = {});
  // The key that a stage of the merged pipeline has, once all before it is there.
  Digest key_in_sweep(const std::string& stage, const SweepRequest& request = {});
  // Folders and files below outputs/<pipeline>/<sweep>: "seed=1/train/o.txt".
  Names shown_files(const std::string& sweep);

  std::vector<TrialsProgress> trials;  // told in the last sweep
};

}  // namespace headway::testing
