// `headway why`: which facts of a stage changed.
#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/run/inspection.h"
#include "lib/run/plan.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

std::string explain_stage(const Inspection& inspection, StageId stage_id) {
  const StageSpec& stage = inspection.pipeline.stages[stage_id];
  const StagePlan& plan = inspection.plan.stages[stage_id];
  const LastState last = inspection.state.find(stage.name);
  const std::optional<Record> record = last_record(last, inspection.store);
  if (!plan.damage.empty())
    return fmt::format("stage '{}' must run: {}\n", stage.name, plan.damage);
  if (!record && inspection.has_failed(stage_id))
    return fmt::format("stage '{}' must run: it failed: {}\n", stage.name, last->message);
  if (!record) return fmt::format("stage '{}' must run: it has no result yet\n", stage.name);
  const std::vector<Change> changes = compare(*record, plan.facts, stage.references);
  if (changes.empty()) return fmt::format("stage '{}' must run: its result is gone\n", stage.name);
  std::string text = fmt::format("stage '{}' must run, because since its last result ({}):\n",
                                 stage.name, format_age(record->finished));
  for (const Change& change : changes) text += "  " + detailed(change, inspection.store) + "\n";
  return text;
}

std::string explain_fresh(const Inspection& inspection, StageId stage_id) {
  const StageSpec& stage = inspection.pipeline.stages[stage_id];
  const Record record =
      inspection.store.read_record(inspection.plan.stages[stage_id].key).value_or(Record());
  std::string text =
      fmt::format("stage '{}' is fresh: all {} facts are those of key {} ({})\n", stage.name,
                  record.facts.size(), record.key.short_hex(), format_age(record.finished));
  const LastState last = inspection.state.find(stage.name);
  if (last && last->status == StageStatus::kFailed) text += fmt::format("but {}\n", last->message);
  const std::optional<Record> previous = last && !last->previous_key.empty()
                                             ? inspection.store.read_record(last->previous_key)
                                             : std::nullopt;
  if (!previous) return text;
  text += "it differs from the result before in:\n";
  for (const Change& change :
       compare(*previous, inspection.plan.stages[stage_id].facts, stage.references))
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

int why(const PipelineArguments& arguments, const std::string& name, CommandLine& line) {
  PipelineSpec pipeline = load(arguments, line);
  const std::vector<StageId> stages = select_stages(pipeline, name);
  Store store(line.files, arguments.outputs_path());
  const Inspection inspection(std::move(pipeline), store);
  complain_of_damage(inspection);
  for (const StageId stage_id : stages) {
    switch (inspection.plan.stages[stage_id].status) {
      case StageStatus::kFresh:
        say("{}", explain_fresh(inspection, stage_id));
        break;
      case StageStatus::kReady:
        say("{}", explain_stage(inspection, stage_id));
        break;
      case StageStatus::kWaiting:
        say("{}", explain_waiting(inspection, stage_id));
        break;
      default:
        break;
    }
  }
  return 0;
}

}  // namespace

void add_why(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<PipelineArguments>();
  auto stage = std::make_shared<std::string>();
  CLI::App& verb = add_verb(
      app, line, "why", "why a stage must run: which fact changed, from what to what, and where",
      "  headway why p.yaml train\n"
      "  headway why p.yaml train --set epochs=40   what that would change\n",
      [arguments, stage, &line] { return why(*arguments, *stage, line); });
  arguments->add_all(verb, true);
  verb.add_option("STAGE", *stage, "the stage")->required();
}

}  // namespace headway
