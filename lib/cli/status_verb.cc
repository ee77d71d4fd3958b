// `headway status`: how each stage stands.
#include <fmt/format.h>

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
    row.words = broken ? last->message
                       : fmt::format("took {}, {}", format_seconds(record.seconds),
                                     format_age(record.finished));
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

// One line for all items of a matrix in the same state.
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
      // The details of one item may not hold for the others.
      const bool same = row.state == "fresh" || words[{row.family, row.state}].size() == 1;
      table.push_back({fmt::format("{}@… ({})", row.family, count), row.state,
                       same ? row.words : row.words + ", … (--full)"});
      count = 0;  // done with this group
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
    if (file.empty()) continue;  // a damaged history, which the next run rewrites
    try {
      print_status(load_known(pipeline, display_path(file), layout, line), arguments, full, line);
    } catch (const PipelineError& error) {
      complain("{}\n", error.what());
      exit_code = 2;
    }
  }
  return exit_code;
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

}  // namespace headway
