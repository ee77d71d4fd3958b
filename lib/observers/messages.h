// What a run says to people, as text: shared by the terminal, the log and tests. Control characters
// of names and of what tools said are replaced here, so that none reaches a terminal.
#pragma once

#include <string>

#include "lib/run/observer.h"

namespace headway {

// In a run with groups, a stage that took less seconds than this is not shown.
inline constexpr double kShortStage = 1;

std::string start_text(const RunInfo& info);  // "addition: 5 stages, 3 fresh, up to 2 at a time"
std::string started_text(const StageStart& start);  // "train: started (never run)"
std::string progress_text(const std::string& stage, double fraction, const std::string& words);
std::string finished_text(const StageReport& report);  // "train: done in 3.2 s"
// Everything needed to mend a failed stage: what, the command, the last lines of its log, where the
// log is.
std::string failure_text(const StageReport& report);
std::string summary_text(const RunInfo& info,
                         const RunSummary& summary);  // "addition: 2 done, 3 fresh in 4.2 s"

}  // namespace headway
