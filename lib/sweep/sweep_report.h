// What lib/report does not know about the default report of a sweep (lib/report/default_report.h).
#pragma once

#include <optional>
#include <string>

#include "lib/spec/pipeline_spec.h"

namespace headway {

extern const char* const kSweepTemplate;  // report.md

// What the template calls the outputs of the table of trials; "" for one that it does not show, and
// nothing for outputs of other stages.
std::optional<std::string> sweep_input_name(const StageSpec& stage, const Output& output);

// Whether a report shows a sweep: its input `trials` is the table of trials.
bool is_of_sweep(const Provenance& provenance);

}  // namespace headway
