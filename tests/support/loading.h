// Pipelines from text, for tests of the language: the text is the file `p.yaml` of a folder that is
// the working directory meanwhile, so that messages begin with "p.yaml:".
#pragma once

#include <string>

#include "lib/spec/load.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {

PipelineSpec load(const std::string& text, const LoadOptions& options = {});
// What PipelineError says of the text; "" where it is a pipeline.
std::string mistakes(const std::string& text, const LoadOptions& options = {});

// The same, of a file in a folder with other files in it.
PipelineSpec load_in(const TemporaryFolder& folder, const std::string& file,
                     const LoadOptions& options = {});
std::string mistakes_in(const TemporaryFolder& folder, const std::string& file,
                        const LoadOptions& options = {});

// A pipeline that is only about its params: the text and one stage.
std::string and_a_stage(const std::string& text);
Json params_of(const std::string& text, const LoadOptions& options = {});
std::string params_mistakes(const std::string& text, const LoadOptions& options = {});

LoadOptions set(std::vector<std::string> arguments);  // --set
LoadOptions variant(std::string name);

const StageSpec& stage(const PipelineSpec& pipeline, const std::string& name);
// "data.data, train@*.model": where an input comes from, in words.
std::string sources(const PipelineSpec& pipeline, const std::string& stage_name,
                    const std::string& port);
std::string needs(const PipelineSpec& pipeline, const std::string& stage_name);
std::vector<std::string> stage_names(const PipelineSpec& pipeline);

// One file of YAML, parsed alone as "y".
Json yaml(const std::string& text);
std::string yaml_mistakes(const std::string& text);

}  // namespace headway::testing
