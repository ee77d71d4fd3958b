// Shows the state of runs again and again until they end: on a terminal as a table that is drawn
// anew, elsewhere as a line for each change.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/cli/pipeline_status.h"

namespace headway {

struct Watched {
  std::vector<PipelineStatus> pipelines;
  bool full = false;
  bool goes_on = false;  // a run lives
};

// Calls `look` every second, until a call says that nothing goes on. Returns 0, or 130 after
// ctrl-C.
int watch(const std::function<Watched()>& look);

// The lines that tell of the changes since the last call, for a reader without a terminal. Progress
// of a stage is told every ten seconds.
class ChangeTeller {
 public:
  // `now`: in seconds, of any clock.
  std::vector<std::string> changes(const Watched& watched, double now);

 private:
  struct Told {
    std::string state;
    std::string words;
    double when = 0;
  };
  std::map<std::pair<std::string, std::string>, Told> told_;  // by pipeline and stage
  std::map<std::string, bool> was_running_;                   // by pipeline
};

// What fits on a screen of that many lines and columns: stages that are fresh or never ran are the
// first to go.
std::vector<std::string> fit_screen(std::vector<std::string> lines, std::size_t rows,
                                    std::size_t columns);

}  // namespace headway
