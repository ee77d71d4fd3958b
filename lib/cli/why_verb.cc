// `headway why`: which facts of a stage changed.
#include <fmt/format.h>

#include "lib/base/machine.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/run/inspection.h"
#include "lib/run/plan.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

struct WhyArguments : PipelineArguments {
  std::string stage;
  bool json = false;
};

// What differs from an earlier result.
std::vector<Change> changes_since(const Inspection& inspection, StageId stage_id,
                                  const Record& record) {
  return compare_stage(record, inspection.plan.stages[stage_id].facts,
                       inspection.pipeline.stages[stage_id]);
}

// What the earlier result's numbers depend on beside its facts, and whether they could be others
// here. A worker's libraries are not known without starting it, so only processors are compared.
std::string numerics_text(const Record& record) {
  if (record.numerics.empty()) return "";
  const std::string here = numerics_of_cpu();
  const std::string then = printable(record.numerics);
  if (record.numerics == here || record.numerics.starts_with(here + ";"))
    return fmt::format("its numbers were computed with {}\n", then);
  return fmt::format(
      "its numbers were computed with {}; this machine has {}, which may give different last "
      "digits. "
      "This does not make the stage run again\n",
      then, here);
}

std::string explain_stage(const Inspection& inspection, StageId stage_id) {
  const StageSpec& stage = inspection.pipeline.stages[stage_id];
  const StagePlan& plan = inspection.plan.stages[stage_id];
  const LastState last = inspection.state.find_similar(stage.name);
  const std::optional<Record> record = last_record(last, inspection.store);
  if (!plan.damage.empty())
    return fmt::format("stage '{}' must run: {}\n", stage.name, plan.damage);
  if (!record && inspection.has_failed(stage_id))
    return fmt::format("stage '{}' must run: it failed: {}\n", stage.name, last->message);
  if (!record) return fmt::format("stage '{}' must run: it has no result yet\n", stage.name);
  const std::vector<Change> changes = changes_since(inspection, stage_id, *record);
  if (changes.empty()) return fmt::format("stage '{}' must run: its result is gone\n", stage.name);
  std::string text = fmt::format("stage '{}' must run, because since its last result ({}):\n",
                                 stage.name, format_age(record->finished));
  for (const Change& change : changes) text += "  " + detailed(change, inspection.store) + "\n";
  return text + numerics_text(*record);
}

std::string explain_fresh(const Inspection& inspection, StageId stage_id) {
  const StageSpec& stage = inspection.pipeline.stages[stage_id];
  const Record record =
      inspection.store.read_record(inspection.plan.stages[stage_id].key).value_or(Record());
  std::string text =
      fmt::format("stage '{}' is fresh: all {} facts are those of key {} ({})\n", stage.name,
                  record.facts.size(), record.key.short_hex(), format_age(record.finished));
  text += numerics_text(record);
  const LastState last = inspection.state.find(stage.name);
  if (last && last->status == StageStatus::kFailed) text += fmt::format("but {}\n", last->message);
  const std::optional<Record> previous = last && !last->previous_key.empty()
                                             ? inspection.store.read_record(last->previous_key)
                                             : std::nullopt;
  if (!previous) return text;
  text += "it differs from the result before in:\n";
  for (const Change& change : changes_since(inspection, stage_id, *previous))
    text += "  " + detailed(change, inspection.store) + "\n";
  return text;
}

// A stage waits because of stages upstream that must run.
std::string explain_waiting(const Inspection& inspection, StageId stage_id) {
  std::string text = fmt::format(
      "stage '{}' waits for stages upstream; whether it must run shows when they are done:\n",
      inspection.pipeline.stages[stage_id].name);
  const NodeSet above = with_ancestors(inspection.graph, {stage_id});
  constexpr std::size_t kMost = 5;
  std::size_t count = 0;
  for (const StageId other : inspection.pipeline.stages.ids()) {
    if (!above[inspection.graph.node_of(other)] ||
        inspection.plan.stages[other].status != StageStatus::kReady)
      continue;
    if (++count <= kMost) text += explain_stage(inspection, other);
  }
  return count > kMost ? text + fmt::format("… and {} more\n", count - kMost) : text;
}

std::string explain(const Inspection& inspection, StageId stage_id) {
  const StageStatus status = inspection.plan.stages[stage_id].status;
  return status == StageStatus::kFresh   ? explain_fresh(inspection, stage_id)
         : status == StageStatus::kReady ? explain_stage(inspection, stage_id)
                                         : explain_waiting(inspection, stage_id);
}

Json change_json(const Change& change) {
  Json json = {{"fact", change.fact}, {"before", change.before}, {"after", change.after}};
  if (change.location.source) {
    json["file"] = *change.location.source;
    json["line"] = change.location.line;
    json["column"] = change.location.column;
  }
  if (!change.upstream.empty()) json["upstream"] = change.upstream;
  for (const Change::Reason& reason : change.because) json["because"].push_back(reason.text);
  return json;
}

Json why_json(const Inspection& inspection, StageId stage_id) {
  const StagePlan& plan = inspection.plan.stages[stage_id];
  const bool is_fresh = plan.status == StageStatus::kFresh;
  const bool waits = plan.status == StageStatus::kWaiting;
  Json json = {{"stage", inspection.pipeline.stages[stage_id].name},
               {"state", is_fresh ? "fresh"
                         : waits  ? "waits"
                                  : "must run"},
               {"text", explain(inspection, stage_id)}};
  if (waits) {
    json["waits_for"] = inspection.pipeline.stages[plan.waits_on].name;
    return json;
  }
  json["key"] = plan.key.hex();
  const LastState last = inspection.state.find_similar(inspection.pipeline.stages[stage_id].name);
  const Digest before = !last ? Digest() : is_fresh ? last->previous_key : last->good_key;
  const std::optional<Record> record =
      before.empty() ? std::nullopt : inspection.store.read_record(before);
  json["changes"] = Json::array();
  const std::optional<Record> compared = is_fresh ? inspection.store.read_record(plan.key) : record;
  if (compared && !compared->numerics.empty()) {
    json["numerics"] = compared->numerics;
    json["numerics_here"] = numerics_of_cpu();
  }
  if (!record) return json;
  for (const Change& change : changes_since(inspection, stage_id, *record))
    json["changes"].push_back(change_json(change));
  return json;
}

int why(const WhyArguments& arguments, CommandLine& line) {
  PipelineSpec pipeline = load(arguments, line);
  const std::vector<StageId> stages = select_stages(pipeline, arguments.stage);
  Store store(line.files, arguments.outputs_path());
  const Inspection inspection(std::move(pipeline), store);
  complain_of_damage(inspection);
  if (arguments.json) {
    Json list = Json::array();
    for (const StageId stage_id : stages) list.push_back(why_json(inspection, stage_id));
    print_document({{"pipeline", inspection.pipeline.label()}, {"stages", std::move(list)}});
    return 0;
  }
  for (const StageId stage_id : stages) say("{}", explain(inspection, stage_id));
  return 0;
}

}  // namespace

void add_why(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] = add_verb(
      app, line, "why", "why a stage must run: which fact changed, from what to what, and where",
      "  headway why p.yaml train\n"
      "  headway why p.yaml train --set epochs=40   what that would change\n",
      why);
  arguments.add_file(verb, true);
  arguments.add_options(verb);
  verb.add_option("STAGE", arguments.stage, "the stage")->required();
  verb.add_flag("--json", arguments.json, kJsonHelp);
}

}  // namespace headway
