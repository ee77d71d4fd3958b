// A report for pipelines and sweeps whose file declares none: a stage that reads all that people
// may want to see.
#pragma once

#include <vector>

#include "lib/spec/load.h"

namespace headway {

inline constexpr const char* kReportType = "report";  // the stage type

// The stages that are reports; of a sweep those over all trials.
std::vector<StageId> report_stages(const PipelineSpec& pipeline);

// What the one that is added is called; in a sweep whose trials have a stage 'report', not so.
std::string default_report_name(const PipelineSpec& pipeline);

// Adds one that reads every table, figure, text and metrics of the pipeline; of a sweep, those of
// the stages over all trials. Throws PipelineError where the name is taken.
void add_default_report(PipelineSpec& pipeline, const StageRegistry& registry, FileSystem& files);

}  // namespace headway
