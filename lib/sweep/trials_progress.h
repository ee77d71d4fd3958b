// How many trials have finished, and the best so far.
#pragma once

#include <cstddef>
#include <string>

#include "lib/run/observer.h"

namespace headway {

// A trial is finished when all its stages are, and failed when one has failed.
struct TrialsProgress {
  std::size_t total = 0, finished = 0, failed = 0, running = 0;
  double seconds_left = 0;  // 0: not known yet
  std::string objective;    // "evaluate.greedy"; empty: none
  std::string best;         // the best trial so far; empty: none yet
  double best_value = 0;

  std::size_t left() const { return total - finished - failed - running; }
};

// "12 of 36 trials finished, 2 running, 1 failed, 21 left, about 14 min left; best …"
std::string trials_text(const TrialsProgress& progress);

// The text, and the event "trials".
Headline headline_of(const TrialsProgress& progress);

// Sets the number of trials in `info`.
void announce_trials(std::size_t trials, RunInfo& info);

}  // namespace headway
