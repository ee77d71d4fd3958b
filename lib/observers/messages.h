// Events of a run as text for people, for the terminal and the log. Control characters in names and
// in the output of tools are replaced.
#pragma once

#include <string>

#include "lib/run/observer.h"

namespace headway {

// In seconds. In a run with groups, shorter stages are not shown.
inline constexpr double kShortStage = 1;

std::string start_text(const RunInfo& info);        // "addition: 5 stages, 3 fresh, 2 cpus"
std::string started_text(const StageStart& start);  // "train: started (never run)"
std::string progress_text(const std::string& stage, double fraction, const std::string& words);
std::string finished_text(const StageEnd& report);  // "train: done in 3.2 s"
// What is needed to fix a failed stage: the message, the command, the end of its log, and its path.
std::string failure_text(const StageEnd& report);
std::string summary_text(const RunInfo& info,
                         const RunSummary& summary);  // "addition: 2 done, 3 fresh in 4.2 s"

}  // namespace headway
