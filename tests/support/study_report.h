// Makes a study's report with its own template (pipelines/reports) from the small fixed artifacts
// in tests/report/artifacts. Tests change artifacts and read the page.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/report/report.h"

namespace headway::testing {

// Artifacts by input of the report: "ablation" -> the tables of ablate@mean and ablate@zero.
using StudyInputs = std::map<std::string, std::vector<SourceFile>>;

// All inputs of the report of `study` ("addition", "extrapolation").
StudyInputs study_inputs(const std::string& study);

// Inputs missing from `inputs` count as not connected.
Report study_report(const std::string& study, const StudyInputs& inputs);

}  // namespace headway::testing
