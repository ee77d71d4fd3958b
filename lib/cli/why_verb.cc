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

std::string explain_stage(Judged& judged, std::size_t index) {
  const StageSpec& stage = judged.pipeline.stages[index];
  const StagePlan& plan = judged.plan.stages[index];
  const LastState last = judged.state.find(stage.name);
  const std::optional<Record> record = last_record(last, judged.store);
  if (!plan.damage.empty())
    return fmt::format("stage '{}' must run: {}\n", stage.name, plan.damage);
  if (!record && judged.has_failed(index))
    return fmt::format("stage '{}' must run: it failed: {}\n", stage.name, last->message);
  if (!record) return fmt::format("stage '{}' must run: it has no result yet\n", stage.name);
  const std::vector<Change> changes = compare(*record, plan.facts, stage.references);
  if (changes.empty()) return fmt::format("stage '{}' must run: its result is gone\n", stage.name);
  std::string text = fmt::format("stage '{}' must run, because since its last result ({}):\n",
                                 stage.name, format_age(record->finished));
  for (const Change& change : changes) text += "  " + detailed(change, judged.store) + "\n";
  return text;
}

std::string explain_fresh(Judged& judged, std::size_t index) {
  const StageSpec& stage = judged.pipeline.stages[index];
  const Record record = judged.store.read_record(judged.plan.stages[index].key).value_or(Record());
  std::string text =
      fmt::format("stage '{}' is fresh: all {} facts are those of key {} ({})\n", stage.name,
                  record.facts.size(), record.key.short_hex(), format_age(record.finished));
  const LastState last = judged.state.find(stage.name);
  if (last && last->status == StageStatus::kFailed) text += fmt::format("but {}\n", last->message);
  const std::optional<Record> previous = last && !last->previous_key.empty()
                                             ? judged.store.read_record(last->previous_key)
                                             : std::nullopt;
  if (!previous) return text;
  text += "it differs from the result before in:\n";
  for (const Change& change : compare(*previous, judged.plan.stages[index].facts, stage.references))
    text += "  " + detailed(change, judged.store) + "\n";
  return text;
}

// A stage waits because of stages upstream that must run.
std::string explain_waiting(Judged& judged, std::size_t index) {
  std::string text = fmt::format(
      "stage '{}' waits for stages upstream; whether it must run shows when they are done:\n",
      judged.pipeline.stages[index].name);
  const std::vector<bool> above = with_ancestors(judged.graph, {static_cast<int>(index)});
  constexpr std::size_t kMost = 5;
  std::size_t count = 0;
  for (std::size_t i = 0; i < judged.graph.stages; ++i) {
    if (!above[i] || judged.plan.stages[i].verdict != StagePlan::Verdict::kMustRun) continue;
    if (++count <= kMost) text += explain_stage(judged, i);
  }
  return count > kMost ? text + fmt::format("… and {} more\n", count - kMost) : text;
}

int why(const PipelineArguments& arguments, const std::string& name, CommandLine& line) {
  Judged judged(load(arguments, line), arguments.outputs_path(), line.files);
  for (const int node : select_stages(judged.pipeline, name)) {
    const auto index = static_cast<std::size_t>(node);
    switch (judged.plan.stages[index].verdict) {
      case StagePlan::Verdict::kFresh:
        say("{}", explain_fresh(judged, index));
        break;
      case StagePlan::Verdict::kMustRun:
        say("{}", explain_stage(judged, index));
        break;
      case StagePlan::Verdict::kWaits:
        say("{}", explain_waiting(judged, index));
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
  arguments->add_file(verb, true);
  verb.add_option("STAGE", *stage, "the stage")->required();
  arguments->add_changes(verb);
  arguments->add_sweep(verb);
  arguments->add_outputs(verb);
}

}  // namespace headway
