// The report of a pipeline that declares none: one stage that reads everything worth showing.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lib/spec/load.h"

namespace headway {

inline constexpr const char* kReportType = "report";  // the stage type

// Stages that report on the whole pipeline. Excludes stages whose results are shown in other
// folders than their own: those report on a part.
std::vector<StageId> report_stages(const PipelineSpec& pipeline);

// The name that add_default_report gives the stage.
std::string default_report_name(const PipelineSpec& pipeline);

// The report's input name for an output; "": leave the output out; nullopt: use the default name.
using InputName = std::function<std::optional<std::string>(const StageSpec&, const Output&)>;

// Stages that a report does without, and what is wrong with others.
struct MissingResults {
  std::vector<std::string> stages = {};
  std::vector<std::string> notes = {};     // what the report says of them
  std::vector<std::string> warnings = {};  // expectations that results miss and that only warn
};

// Adds a report that reads every figure, table, text, metrics file and attention map of the
// pipeline, except those of stages that report_stages excludes and of missing ones. Throws
// PipelineError if the name is taken or there is nothing to show.
void add_default_report(PipelineSpec& pipeline, const StageRegistry& registry, FileSystem& files,
                        const InputName& input_name, const MissingResults& missing = {});

}  // namespace headway
