#include "lib/report/provenance_writer.h"

#include <cstring>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/spec/graph.h"

namespace headway {
namespace {

class ProvenanceWriter {
 public:
  ProvenanceWriter(const PipelineSpec& pipeline, const StageSpec& asking, const Finished& finished,
                   Store& store)
      : pipeline_(pipeline),
        asking_(asking),
        finished_(finished),
        store_(store),
        file_(file_name()) {
    const Value* times = asking.params.find(asking.type->provenance->times);
    with_times_ = times && times->boolean() && *times->boolean();
  }

  Json write() {
    Json stages = Json::array();
    for (const StageId stage : stages_above()) stages.push_back(stage_json(stage));
    return {{"pipeline", pipeline_.name},
            {"variant", asking_.trial.empty() ? pipeline_.variant : asking_.trial},
            {"file", file_},
            {"report", name_of(asking_)},
            {"has_times", with_times_},
            {"stages", std::move(stages)},
            {"inputs", inputs_json(asking_)}};
  }

 private:
  // In a trial stages are called as in a plain run of it.
  std::string name_of(const StageSpec& stage) const {
    if (asking_.trial.empty()) return stage.name;
    return stage.item.empty() ? stage.family : stage.family + "@" + stage.item;
  }

  // As one would type it where the outputs folder is: the same wherever the program is called from,
  // and through whatever links.
  std::string file_name() const {
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

  template <class Visit>
  void each_source(const InputSpec& input, const Visit& visit) const {
    for (const Source& source : input.sources) {
      if (!source.is_fan_in()) {
        visit(source.stage, source.output);
        continue;
      }
      const FanIn& fan_in = pipeline_.fan_ins[source.fan_in];
      for (const StageId member : fan_in.members) {
        if (finished_[member]) visit(member, fan_in.output);
      }
    }
  }

  std::vector<StageId> sources_of(const StageSpec& stage) const {
    std::vector<StageId> sources;
    for (const InputSpec& input : stage.inputs)
      each_source(input, [&](StageId source, int) { sources.push_back(source); });
    return sources;
  }

  // Each after those it reads.
  std::vector<StageId> stages_above() const {
    return post_order(pipeline_, sources_of(asking_),
                      [&](StageId stage) { return sources_of(pipeline_.stages[stage]); });
  }

  Json inputs_json(const StageSpec& stage) const {
    Json inputs = Json::array();
    for (const InputSpec& input : stage.inputs) {
      Json sources = Json::array();
      each_source(input, [&](StageId index, int output) {
        const StageSpec& above = pipeline_.stages[index];
        sources.push_back(name_of(above) + "." +
                          above.outputs[static_cast<std::size_t>(output)].name);
      });
      inputs.push_back({{"port", input.port}, {"sources", std::move(sources)}});
    }
    return inputs;
  }

  std::string command_for(const StageSpec& stage) const {
    std::vector<std::string> words = {"headway"};
    // A sweep's own stages are made by the sweep, all others by a run too.
    const bool of_sweep = pipeline_.has_trials && stage.places.empty();
    if (of_sweep) {
      const std::string sweep = pipeline_.variant.substr(0, pipeline_.variant.find('@'));
      words.insert(words.end(), {"sweep", file_, sweep});
    } else {
      words.insert(words.end(), {"run", file_});
    }
    // What a trial shares with others is made by any of them: told is the one that asks.
    const StageSpec& of_trial = asking_.trial.empty() ? stage : asking_;
    for (const auto& arguments : {pipeline_.arguments, of_trial.arguments})
      words.insert(words.end(), arguments.begin(), arguments.end());
    if (!of_sweep)
      words.push_back(stage.item.empty() ? stage.family : stage.family + "@" + stage.item);
    for (std::string& word : words) word = quote_for_shell(word);
    return join(words, " ");
  }

  // The pipeline's own parameters, as far as the stage's text uses them.
  static Json references_json(const StageSpec& stage) {
    Json references = Json::object();
    for (const ParamReference& reference : stage.references)
      references[reference.name] = reference.value;
    return references;
  }

  Json stage_json(StageId index) const {
    const StageSpec& stage = pipeline_.stages[index];
    const Record& record = *finished_[index];
    Json outputs = Json::array();
    for (const RecordedOutput& output : record.outputs) {
      outputs.push_back({{"name", output.name},
                         {"file", output.file},
                         {"digest", output.object.digest.hex()},
                         {"size", output.object.size}});
    }
    Json json = {{"name", name_of(stage)},          {"family", stage.family},
                 {"type", stage.type->name},        {"version", stage.type->version},
                 {"params", to_json(stage.params)}, {"references", references_json(stage)},
                 {"inputs", inputs_json(stage)},    {"outputs", std::move(outputs)},
                 {"key", record.key.hex()},         {"command", command_for(stage)}};
    if (with_times_) add_times(record, json);
    return json;
  }

  void add_times(const Record& found, Json& json) const {
    const std::optional<Record> read =
        found.remembered ? store_.read_record(found.key) : std::nullopt;
    const Record& record = read ? *read : found;
    json["seconds"] = record.seconds;
    json["cpu_seconds"] = record.cpu_seconds;
    json["peak_memory"] = record.peak_memory;
    json["finished"] = record.finished;
    json["run"] = record.run;
    json["headway"] = record.version;
    json["machine"] = record.machine;
  }

  const PipelineSpec& pipeline_;
  const StageSpec& asking_;
  const Finished& finished_;
  Store& store_;
  const std::string file_;  // of the pipeline
  bool with_times_ = false;
};

}  // namespace

std::string provenance_text(const PipelineSpec& pipeline, const StageSpec& stage,
                            const Finished& finished, Store& store) {
  return to_line(ProvenanceWriter(pipeline, stage, finished, store).write()) + "\n";
}

Digest list_digest(const Fact& fact) {
  const std::optional<Digest> digest =
      fact.value.starts_with(kListPrefix)
          ? Digest::from_hex(fact.value.substr(std::strlen(kListPrefix)))
          : std::nullopt;
  if (!digest) throw Error("fact '" + fact.name + "' names no text of the store");
  return *digest;
}

}  // namespace headway
