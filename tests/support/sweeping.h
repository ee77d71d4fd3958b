// Sweeps from text, for tests of what they mean: the text is the file `p.yaml` of the working
// directory, for as long as the object lives.
#pragma once

#include <string>
#include <vector>

#include "lib/sweep/sweep_pipeline.h"
#include "lib/sweep/trials_progress.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {

// test_stages() with `fit` (in: data; out: model, metrics; a run with fewer epochs is the beginning
// of one with more) and the table of trials.
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
SweepPipeline campaign_in(const std::string& text, const SweepRequest& request = {});
// What PipelineError says of the sweep and its trials; "" where they are good.
std::string sweep_mistakes(const std::string& text, const SweepRequest& request = {});

// On the command line: --axis.
SweepRequest axes(std::vector<std::string> arguments, std::string name = "");

std::vector<std::string> trial_names(const SweepPipeline& campaign);
// "data, train@seed=2": the stages of the merged pipeline that a trial has, in its order.
std::string stages_of(const SweepPipeline& campaign, const std::string& trial);
// The stage's places, in the order of the trials.
std::vector<std::string> places(const SweepPipeline& campaign, const std::string& stage);
// The progress that headlines announced.
std::vector<TrialsProgress> trials_in(const std::vector<Headline>& headlines);
// The members of the fan-in that an input reads.
std::vector<std::string> members(const PipelineSpec& pipeline, const std::string& stage,
                                 const std::string& port);

}  // namespace headway::testing
