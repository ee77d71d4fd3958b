// Events of a run as text for people, for the terminal and the log. Control characters in names and
// in the output of tools are replaced. And the summary for programs.
#pragma once

#include <string>

#include "lib/run/observer.h"

namespace headway {

// The version of what programs read (docs/json.md). Increased when a field is removed or changes
// its meaning, not when one is added.
inline constexpr int kJsonSchema = 1;

// An event of a stream on a line of its own, with the time.
std::string event_line(Json event);

// In seconds. In a run with variations, shorter stages are not shown.
inline constexpr double kShortStage = 1;

std::string start_text(const RunInfo& info);        // "quickstart: 5 stages, 3 fresh, 2 cpus"
std::string started_text(const StageStart& start);  // "train: started (never run)"
// "train: 42 % epoch 3", or without the percentage if the fraction is unknown.
std::string progress_text(const std::string& stage, double fraction, const std::string& words);
// "42 % epoch 3"
std::string progress_words(double fraction, const std::string& words);
std::string began_text(const std::string& stage, const JobPlace& place);  // "train: began on n2"
// "train: waiting: job 17: Resources, 3rd in the queue"
std::string waiting_text(const std::string& stage, const std::string& waiting);
std::string finished_text(const StageEnd& end);  // "train: done in 3.2 s on n2"
// "stage 'train' warns: expected greedy >= 0.99, got 0.97 (p.yaml:9:20)"
std::string warning_text(const StageEnd& end);
// What is needed to fix a failed stage: the message, its node and memory on a cluster, the command,
// the end of its log, and its path.
std::string failure_text(const StageEnd& end);
// "quickstart: 2 done, 3 fresh in 4.2 s"
std::string summary_text(const RunInfo& info, const RunSummary& summary);
Json summary_json(const RunSummary& summary);

}  // namespace headway
