// `headway status` and `headway why`.
#include <fmt/format.h>

#include <ctime>
#include <map>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/run/inspection.h"
#include "lib/run/partial_state.h"
#include "lib/run/plan.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

struct Row {
  std::string stage;
  std::string family;
  std::string state;
  std::string words;
};

std::string ago(std::int64_t then) {
  const std::int64_t seconds = std::time(nullptr) - then;
  if (then == 0) return "";
  return seconds < 1 ? "just now" : format_seconds(static_cast<double>(seconds)) + " ago";
}

Row row_of(const Inspection& inspection, StageId stage_id) {
  const StageSpec& stage = inspection.pipeline.stages[stage_id];
  const StagePlan& plan = inspection.plan.stages[stage_id];
  const LastState last = inspection.state.find(stage.name);
  Row row{stage.name, stage.family, "", ""};
  const bool same_attempt = last && plan.status != StageStatus::kWaiting && last->key == plan.key;
  if (plan.status == StageStatus::kFresh) {
    const Record record = inspection.store.read_record(plan.key).value_or(Record());
    const bool broken = same_attempt && last->status == StageStatus::kFailed;
    row.state = broken ? "failed" : "fresh";
    row.words =
        broken ? last->message
               : fmt::format("took {}, {}", format_seconds(record.seconds), ago(record.finished));
  } else if (plan.status == StageStatus::kReady && has_partial_state(inspection.store, plan.key)) {
    row.state = "partial";
    row.words = same_attempt && last->status == StageStatus::kFailed
                    ? last->message
                    : "interrupted; the next run goes on from its state";
  } else if (same_attempt && last->status == StageStatus::kFailed) {
    row.state = "failed";
    row.words = last->message;
  } else if (!last || last->good_key.empty()) {
    row.state = "never run";
    if (plan.status == StageStatus::kWaiting) row.words = inspection.reason_of(stage_id);
    if (same_attempt) row.words = "interrupted";
  } else {
    row.state = "stale";
    row.words = inspection.reason_of(stage_id);
  }
  return row;
}

// Items of one matrix that are in the same state take one line.
std::vector<std::vector<std::string>> collapse(const std::vector<Row>& rows, bool full) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> words;
  for (const Row& row : rows) {
    ++counts[{row.family, row.state}];
    words[{row.family, row.state}].insert(row.words);
  }
  std::vector<std::vector<std::string>> table;
  for (const Row& row : rows) {
    std::size_t& count = counts[{row.family, row.state}];
    if (full || count == 1) {
      table.push_back({row.stage, row.state, row.words});
    } else if (count > 1) {
      // What is true of one of them is not said of all.
      const bool same = row.state == "fresh" || words[{row.family, row.state}].size() == 1;
      table.push_back({fmt::format("{}@… ({})", row.family, count), row.state,
                       same ? row.words : row.words + ", … (--full)"});
      count = 0;  // told
    }
  }
  return table;
}

void print_status(const PipelineSpec& spec, const PipelineArguments& arguments, bool full,
                  CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  const Inspection inspection(spec, store);
  complain_of_damage(inspection);
  std::vector<Row> rows;
  std::map<std::string, std::size_t> counts;
  for (const NodeId node : inspection.graph.order) {
    if (!inspection.graph.is_stage(node)) continue;
    rows.push_back(row_of(inspection, inspection.graph.stage_of(node)));
    ++counts[rows.back().state];
  }
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state));
  say("{} ({}): {}\n", inspection.pipeline.label(), inspection.pipeline.file.string(),
      join(parts, ", "));
  std::vector<std::vector<std::string>> table = collapse(rows, full);
  for (auto& row : table) row[0] = "  " + row[0];
  say("{}", format_table(table));
}

int status(const PipelineArguments& arguments, bool full, CommandLine& line) {
  if (!arguments.file.empty() || !arguments.variant.empty() || !arguments.sets.empty() ||
      !arguments.sweep.empty()) {
    print_status(load(arguments, line), arguments, full, line);
    return 0;
  }
  const Layout layout(arguments.outputs_path());
  const std::vector<KnownPipeline> known = known_pipelines(line.files, layout);
  if (known.empty())
    say("no pipeline has run yet with outputs in {}\n", display_path(layout.outputs()));
  int exit_code = 0;
  for (const KnownPipeline& pipeline : known) {
    const std::string file =
        PipelineState(line.files, layout, pipeline.name, pipeline.variant).file();
    if (file.empty()) continue;  // a damaged history: the next run writes it anew
    try {
      print_status(load_known(pipeline, display_path(file), layout, line), arguments, full, line);
    } catch (const PipelineError& error) {
      complain("{}\n", error.what());
      exit_code = 2;
    }
  }
  return exit_code;
}

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
                                 stage.name, ago(record->finished));
  for (const Change& change : changes) text += "  " + detailed(change, inspection.store) + "\n";
  return text;
}

std::string explain_fresh(const Inspection& inspection, StageId stage_id) {
  const StageSpec& stage = inspection.pipeline.stages[stage_id];
  const Record record =
      inspection.store.read_record(inspection.plan.stages[stage_id].key).value_or(Record());
  std::string text =
      fmt::format("stage '{}' is fresh: all {} facts are those of key {} ({})\n", stage.name,
                  record.facts.size(), record.key.short_hex(), ago(record.finished));
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

// A stage that waits is explained by the stages upstream that must run.
std::string explain_waiting(const Inspection& inspection, StageId stage_id) {
  std::string text = fmt::format(
      "stage '{}' waits for stages upstream; whether it must run shows when they are done:\n",
      inspection.pipeline.stages[stage_id].name);
  const NodeSet above = with_ancestors(inspection.graph, {stage_id});
  std::size_t told = 0;
  for (const StageId other : inspection.pipeline.stages.ids()) {
    if (!above[inspection.graph.node_of(other)] ||
        inspection.plan.stages[other].status != StageStatus::kReady)
      continue;
    if (++told > 5) continue;
    text += explain_stage(inspection, other);
  }
  return told > 5 ? text + fmt::format("… and {} more\n", told - 5) : text;
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

void add_status(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<PipelineArguments>();
  auto full = std::make_shared<bool>(false);
  CLI::App& verb = add_verb(
      app, line, "status", "each stage: fresh, stale (why), failed, partial or never run",
      "  headway status                       every pipeline that has run here\n"
      "  headway status p.yaml --full         every item of a matrix on a line of its own\n"
      "  headway status p.yaml --set seed=2   what another value would make stale\n",
      [arguments, full, &line] { return status(*arguments, *full, line); });
  arguments->add_file(verb, false);
  arguments->add_changes(verb);
  arguments->add_sweep(verb);
  arguments->add_outputs(verb);
  verb.add_flag("--full", *full, "do not collapse matrix stages");
}

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
