// Loads pipelines from text. The text is `p.yaml` in a folder that is the working directory
// meanwhile, so that messages begin with "p.yaml:".
#pragma once

#include <string>

#include "lib/spec/load.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {

PipelineSpec load(const std::string& text, const LoadOptions& options = {});
// The text of the PipelineError; "" if there is none.
std::string mistakes(const std::string& text, const LoadOptions& options = {});
// The same for a text that could take forever; checks that it took less than a minute of processor
// time.
std::string quickly(const std::string& text);

// Loads a file in a folder with other files.
PipelineSpec load_in(const TemporaryFolder& folder, const std::string& file,
                     const LoadOptions& options = {});
std::string mistakes_in(const TemporaryFolder& folder, const std::string& file,
                        const LoadOptions& options = {});

// The text and one stage, for tests of params.
std::string and_a_stage(const std::string& text);
Json params_of(const std::string& text, const LoadOptions& options = {});
std::string params_mistakes(const std::string& text, const LoadOptions& options = {});

LoadOptions set(std::vector<std::string> arguments);  // --set
LoadOptions variant(std::string name);

const StageSpec& stage(const PipelineSpec& pipeline, const std::string& name);
// Where an input comes from: "data.data, train@*.model".
std::string sources(const PipelineSpec& pipeline, const std::string& stage_name,
                    const std::string& port);
std::string needs(const PipelineSpec& pipeline, const std::string& stage_name);
std::vector<std::string> stage_names(const PipelineSpec& pipeline);

// Parses YAML as a file called "y".
Json yaml(const std::string& text);
std::string yaml_mistakes(const std::string& text);

}  // namespace headway::testing
