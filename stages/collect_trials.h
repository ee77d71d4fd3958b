// `collect-trials`: collects the metrics of all trials of a sweep in one table. Every sweep adds
// this stage, with an input for each stage that writes metrics (lib/sweep/sweep_pipeline.cc). Needs
// no worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct TrialOverride {
  std::string path;
  std::string value;  // as text
};

// The metrics of one stage of a trial: an item of an input.
struct TrialStage {
  std::string name;  // name in the trial
  std::string port;
  std::string item;
};

struct CollectedTrial {
  std::string name;
  std::vector<TrialOverride> overrides;
  std::vector<TrialStage> stages;
};

// See RungDecisions.
struct CollectedDecision {
  std::int64_t rung = 1;
  std::int64_t amount = 1;
  std::string configuration;
  std::string value;  // empty: failed
  std::int64_t rank = 1;
  bool goes_on = false;
  std::string reason;
};

struct CollectTrialsParams {
  std::string objective;
  bool maximize = true;
  std::vector<std::string> metrics;
  std::vector<CollectedTrial> trials;
  std::vector<CollectedDecision> decisions;
  std::string resource;
  std::vector<std::string> without_seeds;
};

const SchemaOf<CollectTrialsParams>& collect_trials_schema();
StageType collect_trials_stage();

}  // namespace headway
