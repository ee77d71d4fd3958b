// The report of a pipeline whose file declares none: a stage that reads everything people may want
// to see.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lib/spec/load.h"

namespace headway {

inline constexpr const char* kReportType = "report";  // the stage type

// The stages that are reports on the whole pipeline, by index: not those whose results are shown in
// other places than their own folder, which report on a part of it.
std::vector<int> report_stages(const PipelineSpec& pipeline);

// What add_default_report calls the stage.
std::string default_report_name(const PipelineSpec& pipeline);

// What the report calls the input for an output; "" leaves the output out, nothing asks for the
// usual name.
using InputName = std::function<std::optional<std::string>(const StageSpec&, const Output&)>;

// Adds a report that reads every figure, table, text and metrics file of the pipeline, but not of
// stages that report_stages would leave out. Throws PipelineError if another stage has its name or
// there is nothing to show.
void add_default_report(PipelineSpec& pipeline, const StageRegistry& registry, FileSystem& files,
                        const InputName& input_name);

}  // namespace headway
