#include "lib/report/provenance_writer.h"

#include <cstring>

#include "lib/base/error.h"
#include "lib/base/text.h"

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
    for (const int index : stages_above()) stages.push_back(stage_json(index));
    return {{"pipeline", pipeline_.name},
            {"variant", asking_.variation.empty() ? pipeline_.variant : asking_.variation},
            {"file", file_},
            {"report", name_of(asking_)},
            {"has_times", with_times_},
            {"stages", std::move(stages)},
            {"inputs", inputs_json(asking_)}};
  }

 private:
  // In one variation of a merged pipeline, stages have the names of its plain run.
  std::string name_of(const StageSpec& stage) const {
    if (asking_.variation.empty()) return stage.name;
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
      if (source.fan_in < 0) {
        visit(source.stage, source.output);
        continue;
      }
      const FanIn& fan_in = pipeline_.fan_ins[static_cast<std::size_t>(source.fan_in)];
      for (const int member : fan_in.members) {
        if (finished_[static_cast<std::size_t>(member)]) visit(member, fan_in.output);
      }
    }
  }

  // Each after those it reads. With a stack of its own, as long chains would overflow ours.
  std::vector<int> stages_above() const {
    std::vector<char> seen(pipeline_.stages.size(), 0);
    std::vector<int> order;
    std::vector<std::pair<int, bool>> open;  // a stage, and whether all it reads has been taken
    const auto add_inputs = [&](const StageSpec& stage) {
      std::vector<int> above;
      for (const InputSpec& input : stage.inputs)
        each_source(input, [&](int index, int) { above.push_back(index); });
      for (auto index = above.rbegin(); index != above.rend(); ++index)
        open.emplace_back(*index, false);
    };
    add_inputs(asking_);
    while (!open.empty()) {
      const auto [index, complete] = open.back();
      open.pop_back();
      if (complete) order.push_back(index);
      if (complete || std::exchange(seen[static_cast<std::size_t>(index)], 1)) continue;
      open.emplace_back(index, true);
      add_inputs(pipeline_.stages[static_cast<std::size_t>(index)]);
    }
    return order;
  }

  Json inputs_json(const StageSpec& stage) const {
    Json inputs = Json::array();
    for (const InputSpec& input : stage.inputs) {
      Json sources = Json::array();
      each_source(input, [&](int index, int output) {
        const StageSpec& above = pipeline_.stages[static_cast<std::size_t>(index)];
        sources.push_back(name_of(above) + "." +
                          above.outputs[static_cast<std::size_t>(output)].name);
      });
      inputs.push_back({{"port", input.port}, {"sources", std::move(sources)}});
    }
    return inputs;
  }

  std::string command_for(const StageSpec& stage) const {
    std::vector<std::string> words = {"headway"};
    // A plain run makes the stages of one variation; the pipeline's own verb makes those behind
    // all.
    const bool is_behind_all = pipeline_.is_merged && stage.places.empty();
    words.insert(words.end(), {is_behind_all ? pipeline_.verb : "run", file_});
    if (is_behind_all)
      words.insert(words.end(), pipeline_.operands.begin(), pipeline_.operands.end());
    // Any of the variations that share a stage makes it: name the one that asks.
    const StageSpec& named = asking_.variation.empty() ? stage : asking_;
    for (const auto& arguments : {pipeline_.arguments, named.arguments})
      words.insert(words.end(), arguments.begin(), arguments.end());
    if (!is_behind_all)
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

  Json stage_json(int index) const {
    const StageSpec& stage = pipeline_.stages[static_cast<std::size_t>(index)];
    const Record& record = *finished_[static_cast<std::size_t>(index)];
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
