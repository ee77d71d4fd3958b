// Collects a stage's provenance (lib/stage/provenance.h) from the pipeline and the records of its
// upstream stages.

#include "lib/base/text.h"
#include "lib/run/facts.h"
#include "lib/spec/graph.h"

namespace headway {
namespace {

class ProvenanceCollector {
 public:
  ProvenanceCollector(const PipelineSpec& pipeline, const StageSpec& asking,
                      const Finished& finished, Store& store)
      : pipeline_(pipeline),
        asking_(asking),
        finished_(finished),
        store_(store),
        file_(display_file()) {}

  Provenance collect() const {
    Provenance provenance;
    provenance.pipeline = pipeline_.name;
    provenance.variant = asking_.variation.empty() ? pipeline_.variant : asking_.variation;
    provenance.file = file_;
    provenance.stage = name_of(asking_);
    const Value* times = asking_.params.find(asking_.type->provenance->times);
    provenance.has_times = times && times->boolean() && *times->boolean();
    for (const StageId index : upstream_stages()) {
      provenance.stages.push_back(origin_of(index));
      if (provenance.has_times) add_times(index, provenance.stages.back());
    }
    provenance.inputs = inputs_of(asking_);
    return provenance;
  }

 private:
  static std::string plain_name(const StageSpec& stage) {
    return stage.item.empty() ? stage.family : stage.family + "@" + stage.item;
  }

  // If there is one variation, stages have the names that they have without variations.
  std::string name_of(const StageSpec& stage) const {
    return asking_.variation.empty() ? stage.name : plain_name(stage);
  }

  // The pipeline file relative to the folder that contains outputs/, with all links resolved, so it
  // does not depend on the current folder. Outside that folder, only the file's name.
  std::string display_file() const {
    const auto folder_of = [](const Path& path) {
      return std::filesystem::weakly_canonical(
          std::filesystem::absolute(path).lexically_normal().parent_path());
    };
    const Path root = folder_of(store_.layout().outputs());
    const Path file = folder_of(pipeline_.file) / pipeline_.file.filename();
    const Path relative = file.lexically_relative(root);
    const bool is_inside = !relative.empty() && *relative.begin() != "..";
    return (is_inside ? relative : file.filename()).string();
  }

  std::vector<StageId> sources_of(const StageSpec& stage) const {
    std::vector<StageId> sources;
    for (const InputSpec& input : stage.inputs)
      for_each_artifact(pipeline_, input, finished_, [&](const Artifact& artifact) {
        if (!artifact.file) sources.push_back(artifact.stage);
      });
    return sources;
  }

  // Follows inputs; each stage comes after those it reads. Keys depend on this order, which is not
  // the graph's.
  std::vector<StageId> upstream_stages() const {
    return post_order(pipeline_, sources_of(asking_),
                      [&](StageId stage) { return sources_of(pipeline_.stages[stage]); });
  }

  std::vector<StageOrigin::Input> inputs_of(const StageSpec& stage) const {
    std::vector<StageOrigin::Input> inputs;
    for (const InputSpec& input : stage.inputs) {
      StageOrigin::Input& found = inputs.emplace_back();
      found.port = input.port;
      const auto add = [&](const Artifact& artifact) {
        if (artifact.file) {
          found.sources.push_back(artifact.file->path);
          return;
        }
        const StageSpec& upstream = pipeline_.stages[artifact.stage];
        found.sources.push_back(name_of(upstream) + "." + upstream.output(artifact.output).name);
      };
      for_each_artifact(pipeline_, input, finished_, add);
    }
    return inputs;
  }

  std::string command_for(const StageSpec& stage) const {
    std::vector<std::string> words = {"headway"};
    const bool is_own = !pipeline_.own_command.empty() && stage.places.empty();
    const std::vector<std::string> run = {"run"};
    const std::vector<std::string>& verb = is_own ? pipeline_.own_command : run;
    words.insert(words.end(), {verb.front(), file_});
    words.insert(words.end(), verb.begin() + 1, verb.end());
    // Any variation that shares a stage can run it; the command names the one that asks.
    const StageSpec& named = asking_.variation.empty() ? stage : asking_;
    for (const auto& arguments : {pipeline_.arguments, named.arguments})
      words.insert(words.end(), arguments.begin(), arguments.end());
    if (!is_own) words.push_back(plain_name(stage));
    return quote_for_shell(words);
  }

  StageOrigin origin_of(StageId index) const {
    const StageSpec& stage = pipeline_.stages[index];
    const Record& record = *finished_[index];
    StageOrigin origin;
    origin.name = name_of(stage);
    origin.family = stage.family;
    origin.type = stage.type->name;
    origin.version = stage.type->version;
    origin.params = to_json(stage.params);
    origin.references = Json::object();
    for (const ParamReference& reference : stage.references)
      origin.references[reference.name] = reference.value;
    origin.inputs = inputs_of(stage);
    for (const RecordedOutput& output : record.outputs)
      origin.outputs.push_back(
          {output.name, output.file, output.object.digest.hex(), output.object.size});
    origin.key = record.key.hex();
    origin.command = command_for(stage);
    return origin;
  }

  void add_times(StageId index, StageOrigin& origin) const {
    const Record& found = *finished_[index];
    const std::optional<Record> read =
        found.remembered ? store_.read_record(found.key) : std::nullopt;
    const Record& record = read ? *read : found;
    origin.seconds = record.seconds;
    origin.cpu_seconds = record.cpu_seconds;
    origin.peak_memory = record.peak_memory;
    origin.finished = record.finished;
    origin.run = record.run;
    origin.headway = record.version;
    origin.machine = record.machine;
    origin.numerics = record.numerics;
  }

  const PipelineSpec& pipeline_;
  const StageSpec& asking_;
  const Finished& finished_;
  Store& store_;
  const std::string file_;
};

}  // namespace

Provenance provenance_of(const PipelineSpec& pipeline, const StageSpec& stage,
                         const Finished& finished, Store& store) {
  return ProvenanceCollector(pipeline, stage, finished, store).collect();
}

}  // namespace headway
