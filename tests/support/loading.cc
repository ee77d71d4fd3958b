#include "tests/support/loading.h"

#include <catch2/catch_test_macros.hpp>
#include <ctime>

#include "lib/base/text.h"
#include "lib/spec/document.h"
#include "lib/spec/yaml.h"
#include "tests/support/test_stages.h"

namespace headway::testing {
namespace {

std::string source_text(const PipelineSpec& pipeline, const Source& source) {
  if (source.files) return source.files->written;
  const bool many = source.is_fan_in();
  const FanIn* fan_in = many ? &pipeline.fan_ins[source.fan_in] : nullptr;
  const StageSpec& from = pipeline.stages[many ? fan_in->members.front() : source.stage];
  const OutputId output = many ? fan_in->output : source.output;
  const std::string name = many ? fan_in->name() : from.name;
  return output.exists() ? name + "." + from.output(output).name : name;
}

std::string all_sources(const PipelineSpec& pipeline, const std::vector<Source>& sources) {
  std::vector<std::string> texts;
  for (const Source& source : sources) texts.push_back(source_text(pipeline, source));
  return join(texts, ", ");
}

}  // namespace

PipelineSpec load_in(const TemporaryFolder& folder, const std::string& file,
                     const LoadOptions& options) {
  const InFolder inside(folder.path());
  RealFileSystem files;
  return load_variation(read_pipeline_file(file, files), options, test_stages(), files);
}

std::string mistakes_in(const TemporaryFolder& folder, const std::string& file,
                        const LoadOptions& options) {
  try {
    load_in(folder, file, options);
    return "";
  } catch (const PipelineError& error) {
    return error.what();
  }
}

PipelineSpec load(const std::string& text, const LoadOptions& options) {
  const TemporaryFolder folder;
  folder.write("p.yaml", text);
  return load_in(folder, "p.yaml", options);
}

std::string mistakes(const std::string& text, const LoadOptions& options) {
  const TemporaryFolder folder;
  folder.write("p.yaml", text);
  return mistakes_in(folder, "p.yaml", options);
}

std::string quickly(const std::string& text) {
  const std::clock_t start = std::clock();  // of the processor: others may keep the machine busy
  std::string messages = mistakes(text);
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 60);
  return messages;
}

std::string and_a_stage(const std::string& text) {
  return text + "\nstages:\n  only: {uses: shell, with: {run: 'true'}}\n";
}

Json params_of(const std::string& text, const LoadOptions& options) {
  return to_json(load(and_a_stage(text), options).params);
}

std::string params_mistakes(const std::string& text, const LoadOptions& options) {
  return mistakes(and_a_stage(text), options);
}

LoadOptions set(std::vector<std::string> arguments) {
  return {"", std::move(arguments)};
}

LoadOptions variant(std::string name) {
  return {std::move(name), {}};
}

const StageSpec& stage(const PipelineSpec& pipeline, const std::string& name) {
  for (const StageSpec& stage : pipeline.stages) {
    if (stage.name == name) return stage;
  }
  throw Error("no stage " + name);
}

std::string sources(const PipelineSpec& pipeline, const std::string& stage_name,
                    const std::string& port) {
  for (const InputSpec& input : stage(pipeline, stage_name).inputs) {
    if (input.port == port) return all_sources(pipeline, input.sources);
  }
  throw Error("no input " + port);
}

std::string needs(const PipelineSpec& pipeline, const std::string& stage_name) {
  return all_sources(pipeline, stage(pipeline, stage_name).needs);
}

std::vector<std::string> stage_names(const PipelineSpec& pipeline) {
  std::vector<std::string> names;
  for (const StageSpec& stage : pipeline.stages) names.push_back(stage.name);
  return names;
}

Json yaml(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<Value> value = parse_yaml(text, SourceLocation::intern("y"), diagnostics);
  diagnostics.throw_if_any();
  return to_json(value.value());
}

std::string yaml_mistakes(const std::string& text) {
  try {
    yaml(text);
    return "";
  } catch (const PipelineError& error) {
    return error.what();
  }
}

}  // namespace headway::testing
