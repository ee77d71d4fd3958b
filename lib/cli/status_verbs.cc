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

Row judge(Judged& judged, std::size_t index) {
  const StageSpec& stage = judged.pipeline.stages[index];
  const StagePlan& plan = judged.plan.stages[index];
  const LastState last = judged.state.find(stage.name);
  Row row{stage.name, stage.family, "", ""};
  const bool same_attempt =
      last && plan.verdict != StagePlan::Verdict::kWaits && last->key == plan.key;
  if (plan.verdict == StagePlan::Verdict::kFresh) {
    const Record record = judged.store.read_record(plan.key).value_or(Record());
    const bool broken = same_attempt && last->status == StageStatus::kFailed;
    row.state = broken ? "failed" : "fresh";
    row.words =
        broken ? last->message
               : fmt::format("took {}, {}", format_seconds(record.seconds), ago(record.finished));
  } else if (plan.verdict == StagePlan::Verdict::kMustRun &&
             has_partial_state(judged.store, plan.key)) {
    row.state = "partial";
    row.words = same_attempt && last->status == StageStatus::kFailed
                    ? last->message
                    : "interrupted; the next run goes on from its state";
  } else if (same_attempt && last->status == StageStatus::kFailed) {
    row.state = "failed";
    row.words = last->message;
  } else if (!last || last->good_key.empty()) {
    row.state = "never run";
    if (plan.verdict == StagePlan::Verdict::kWaits)
      row.words = reason(judged.pipeline, stage, plan, last, judged.store);
    if (same_attempt) row.words = "interrupted";
  } else {
    row.state = "stale";
    row.words = reason(judged.pipeline, stage, plan, last, judged.store);
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
  Judged judged(spec, arguments.outputs_path(), line.files);
  std::vector<Row> rows;
  std::map<std::string, std::size_t> counts;
  for (const int node : judged.graph.order) {
    if (!judged.graph.is_stage(node)) continue;
    rows.push_back(judge(judged, static_cast<std::size_t>(node)));
    ++counts[rows.back().state];
  }
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state));
  say("{} ({}): {}\n", judged.pipeline.label(), judged.pipeline.file.string(), join(parts, ", "));
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
                                 stage.name, ago(record->finished));
  for (const Change& change : changes) text += "  " + detailed(change, judged.store) + "\n";
  return text;
}

std::string explain_fresh(Judged& judged, std::size_t index) {
  const StageSpec& stage = judged.pipeline.stages[index];
  const Record record = judged.store.read_record(judged.plan.stages[index].key).value_or(Record());
  std::string text =
      fmt::format("stage '{}' is fresh: all {} facts are those of key {} ({})\n", stage.name,
                  record.facts.size(), record.key.short_hex(), ago(record.finished));
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

// A stage that waits is explained by the stages upstream that must run.
std::string explain_waiting(Judged& judged, std::size_t index) {
  std::string text = fmt::format(
      "stage '{}' waits for stages upstream; whether it must run shows when they are done:\n",
      judged.pipeline.stages[index].name);
  const std::vector<bool> above = with_ancestors(judged.graph, {static_cast<int>(index)});
  std::size_t told = 0;
  for (std::size_t i = 0; i < judged.graph.stages; ++i) {
    if (!above[i] || judged.plan.stages[i].verdict != StagePlan::Verdict::kMustRun) continue;
    if (++told > 5) continue;
    text += explain_stage(judged, i);
  }
  return told > 5 ? text + fmt::format("… and {} more\n", told - 5) : text;
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
