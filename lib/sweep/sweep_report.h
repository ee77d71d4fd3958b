// The sweep's part of the default report (lib/report/default_report.h).
#pragma once

#include <optional>
#include <string>

#include "lib/spec/pipeline_spec.h"

namespace headway {

extern const char* const kSweepTemplate;  // report.md

// The template's name for an output of the trial table; "" if it is not shown; nullopt for other
// stages' outputs.
std::optional<std::string> sweep_input_name(const StageSpec& stage, const Output& output);

// Whether the report shows a sweep: its input `trials` is the trial table.
bool is_of_sweep(const Provenance& provenance);

}  // namespace headway
