// Runs a sweep, and the texts printed meanwhile.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/run/observer.h"
#include "lib/sweep/successive_halving.h"

namespace headway {

struct SweepSteps {
  // Runs one merged pipeline; `last`: stages not in it may be removed from outputs/.
  std::function<RunSummary(const SweepPipeline& sweep_pipeline, bool last)> run;
  std::function<void(const RungDecisions& decisions)> decided;  // for successive halving
};

struct SweepOutcome {
  SweepPipeline sweep_pipeline;  // the last one that ran
  bool interrupted = false;
  int exit_code = 0;
};

// `all` is the result of loader.load_all(). Halving reads each rung's results from `outputs`.
SweepOutcome run_sweep(const SweepLoader& loader, SweepPipeline all, const SweepSteps& steps,
                       const Path& outputs, FileSystem& files);

// "20 configurations were drawn, 12 of them are different"; "" if all are.
std::string draws_text(const SweepLoader& loader, const SweepPipeline& all);
// "successive halving, 3 rungs: 9 with train.epochs=3, …"
std::string halving_text(const SweepLoader& loader);
// One line for each configuration: whether it goes on, and why.
std::string decisions_text(const RungDecisions& rung, const std::string& resource);
// A list of events.
Json decision_events(const RungDecisions& rung);

// The table at the end of a sweep, in at most `width` columns, with notes. `show_all` is the
// command that shows all rows.
std::string sweep_results_text(const SweepPipeline& sweep_pipeline,
                               const std::vector<TrialResult>& results, std::size_t width,
                               bool is_terminal, const std::string& show_all);

}  // namespace headway
