// Pipelines that have run, by the names that `status` prints: p, p/wide, p/steps=50.
#pragma once

#include <optional>
#include <string>

#include "lib/cli/verbs.h"

namespace headway {

// Arguments whose PIPELINE is such a name: the pipeline; nullopt if it is a file or unknown.
std::optional<KnownPipeline> find_label(const PipelineArguments& arguments, CommandLine& line);

// Why its file can no longer make it; "" if it can, or if the file cannot be read now.
std::string gone_from_file(const KnownPipeline& known, const Layout& layout, CommandLine& line);

}  // namespace headway
