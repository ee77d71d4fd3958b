#include "tests/support/sweeping.h"

#include "lib/base/text.h"
#include "lib/sweep/sweep_spec.h"
#include "stages/stages.h"
#include "tests/support/loading.h"
#include "tests/support/test_stages.h"

namespace headway::testing {
namespace {

struct FitParams {
  std::int64_t epochs = 27;
  std::int64_t schedule = 0;
  std::int64_t seed = 1;
  double lr = 0.1;
};

StageType fit_type() {
  SchemaOf<FitParams> schema;
  schema.add("epochs", &FitParams::epochs, "how long").at_least(1);
  schema.add("schedule", &FitParams::schedule, "of the whole run; 0: epochs").at_least(0);
  schema.add("seed", &FitParams::seed, "of the weights");
  schema.add("lr", &FitParams::lr, "learning rate").above(0);
  StageType type;
  type.name = "fit";
  type.params = std::make_shared<SchemaOf<FitParams>>(schema);
  type.inputs = {{.name = "data", .help = "what to learn"}};
  type.outputs = {{"model", "model.bin", "the model", {}},
                  {"metrics", "metrics.json", "how good it is", {}}};
  type.prefix_params = PrefixParams{.amount = "epochs", .whole = "schedule"};
  return type;
}

PipelineFile read_file(const TemporaryFolder& folder, const std::string& text, FileSystem& files) {
  folder.write("p.yaml", text);
  return read_file_with_sweeps("p.yaml", files);
}

}  // namespace

const StageRegistry& sweep_stages() {
  static const StageRegistry kRegistry = [] {
    StageRegistry registry = test_stages();
    registry.add(fit_type());
    registry.add(collect_trials_stage());
    return registry;
  }();
  return kRegistry;
}

Sweeping::Sweeping(const std::string& text, const SweepRequest& request,
                   const StageRegistry& registry)
    : inside_(folder_.path()),
      loader_(read_file(folder_, text, files_), request, registry, files_) {}

PipelineSpec load_plainly(const std::string& text, const LoadOptions& options) {
  const TemporaryFolder folder;
  const InFolder inside(folder.path());
  RealFileSystem files;
  return load_variation(read_file(folder, text, files), options, sweep_stages(), files);
}

SweepSpec sweep_in(const std::string& text, const SweepRequest& request) {
  return Sweeping(text, request)->sweep();
}

SweepPipeline sweep_pipeline_in(const std::string& text, const SweepRequest& request) {
  return Sweeping(text, request)->load_all();
}

std::string sweep_mistakes(const std::string& text, const SweepRequest& request) {
  try {
    sweep_pipeline_in(text, request);
    return "";
  } catch (const PipelineError& error) {
    return error.what();
  }
}

SweepRequest named(const std::string& name) {
  SweepRequest request;
  request.name = name;
  return request;
}

SweepRequest axes(std::vector<std::string> arguments, std::string name) {
  SweepRequest request;
  request.name = std::move(name);
  request.changes.axes = std::move(arguments);
  return request;
}

std::vector<std::string> trial_names(const SweepPipeline& sweep_pipeline) {
  std::vector<std::string> names;
  for (const SweepTrial& trial : sweep_pipeline.trials) names.push_back(trial.trial.name);
  return names;
}

std::string stages_of(const SweepPipeline& sweep_pipeline, const std::string& trial) {
  for (const SweepTrial& one : sweep_pipeline.trials) {
    if (one.trial.name != trial) continue;
    std::vector<std::string> names;
    for (const StagePlace& place : one.stages)
      names.push_back(sweep_pipeline.pipeline.stages[place.stage].name);
    return join(names, ", ");
  }
  throw Error("no trial " + trial);
}

std::vector<std::string> places(const SweepPipeline& sweep_pipeline, const std::string& name) {
  return stage(sweep_pipeline.pipeline, name).places;
}

std::vector<TrialsProgress> trials_in(const std::vector<Headline>& headlines) {
  std::vector<TrialsProgress> all;
  for (const Headline& headline : headlines) {
    const Json& event = headline.event;
    TrialsProgress& progress = all.emplace_back();
    event.at("total").get_to(progress.total);
    event.at("finished").get_to(progress.finished);
    event.at("failed").get_to(progress.failed);
    event.at("running").get_to(progress.running);
    event.at("seconds_left").get_to(progress.seconds_left);
    progress.objective = event.value("objective", "");
    progress.best = event.value("best", "");
    progress.best_value = event.value("best_value", 0.0);
  }
  return all;
}

std::vector<std::string> members(const PipelineSpec& pipeline, const std::string& name,
                                 const std::string& port) {
  std::vector<std::string> names;
  for (const InputSpec& input : stage(pipeline, name).inputs) {
    if (input.port != port) continue;
    const FanInId fan_in = input.sources.at(0).fan_in;
    for (const StageId member : pipeline.fan_ins[fan_in].members)
      names.push_back(pipeline.stages[member].name);
  }
  return names;
}

}  // namespace headway::testing
