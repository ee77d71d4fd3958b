// Sweeps from text. The text is `p.yaml` in the working directory while the object exists.
#pragma once

#include <string>
#include <vector>

#include "lib/sweep/trial_tracker.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {

// test_stages(), `fit` (in: data; out: model, metrics; a run with fewer epochs is a prefix of a
// longer one) and the trial table.
const StageRegistry& sweep_stages();

class Sweeping {
 public:
  explicit Sweeping(const std::string& text, const SweepRequest& request = {},
                    const StageRegistry& registry = sweep_stages());

  const SweepLoader* operator->() const { return &loader_; }
  const SweepLoader& operator*() const { return loader_; }

 private:
  const TemporaryFolder folder_;
  const InFolder inside_;
  RealFileSystem files_;
  SweepLoader loader_;
};

// The pipeline without its sweeps.
PipelineSpec load_plainly(const std::string& text, const LoadOptions& options = {});

SweepSpec sweep_in(const std::string& text, const SweepRequest& request = {});
SweepPipeline sweep_pipeline_in(const std::string& text, const SweepRequest& request = {});
// The text of the PipelineError for the sweep and its trials; "" if there is none.
std::string sweep_mistakes(const std::string& text, const SweepRequest& request = {});

SweepRequest named(const std::string& name);
// A request as from --axis on the command line.
SweepRequest axes(std::vector<std::string> arguments, std::string name = "");

std::vector<std::string> trial_names(const SweepPipeline& sweep_pipeline);
// A trial's stages in the merged pipeline, in its order: "data, train@seed=2".
std::string stages_of(const SweepPipeline& sweep_pipeline, const std::string& trial);
// The stage's places, in the order of the trials.
std::vector<std::string> places(const SweepPipeline& sweep_pipeline, const std::string& stage);
// The progress in these headlines.
std::vector<TrialsProgress> trials_in(const std::vector<Headline>& headlines);
// The members of the fan-in that an input reads.
std::vector<std::string> members(const PipelineSpec& pipeline, const std::string& stage,
                                 const std::string& port);

}  // namespace headway::testing
