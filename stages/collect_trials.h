// `collect-trials`: the metrics of all trials of a sweep as one table. Sweeps add it by themselves,
// with an input for each stage that has metrics; the engine runs it itself, so a sweep of commands
// needs no worker.
#pragma once

#include <string>
#include <vector>

#include "lib/stage/native_stage.h"
#include "lib/stage/stage_type.h"

namespace headway {

struct CollectTrialsParams {
  std::string objective;
  bool maximize = true;
  std::vector<std::string> metrics;
  std::vector<std::string> trials;
  std::vector<std::string> decisions;
  std::string resource;
  std::vector<std::string> without_seeds;
};

const SchemaOf<CollectTrialsParams>& collect_trials_schema();
StageType collect_trials_stage();

}  // namespace headway
