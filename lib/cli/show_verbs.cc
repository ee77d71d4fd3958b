// `headway show` and `headway logs`: what runs left behind.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/run/metrics.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

std::string when(std::int64_t unix_seconds) {
  return unix_seconds == 0 ? "-"
                           : fmt::format("{:%Y-%m-%d %H:%M:%S}",
                                         fmt::localtime(static_cast<std::time_t>(unix_seconds)));
}

constexpr std::size_t kMostBrief = 8;          // metrics in the line of a stage
constexpr std::size_t kMostMetricLines = 200;  // where one stage is shown in full
constexpr std::size_t kMostIndented = 64'000;  // bytes of JSON; indented it may be many times that

// "accuracy=0.99 loss=0.01": scalars only, so that it fits a line.
std::string brief_metrics(const Json& metrics) {
  std::vector<std::string> parts;
  if (metrics.is_object()) {
    for (const auto& [name, value] : metrics.items()) {
      if (value.is_number_float())
        parts.push_back(fmt::format("{}={:.6g}", printable(name), value.get<double>()));
      else if (value.is_primitive())
        parts.push_back(fmt::format("{}={}", printable(name), excerpt(value, 40)));
    }
  }
  if (parts.size() <= kMostBrief) return join(parts, " ");
  const std::size_t left = parts.size() - kMostBrief;
  parts.resize(kMostBrief);
  return fmt::format("{} and {} more", join(parts, " "), left);
}

// Indented, as much as a person reads; `file` has the rest.
std::string metrics_text(const Json& metrics, const Path& file) {
  const std::string line = to_line(metrics);
  if (line.size() > kMostIndented)
    return fmt::format("{}\n… {} of JSON: see {}\n", fit(printable(line), 160),
                       format_bytes(line.size()), display_path(file));
  const std::vector<std::string> lines =
      split(metrics.dump(2, ' ', false, Json::error_handler_t::replace), '\n');
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostMetricLines); ++i)
    text += fit(printable(lines[i]), 160) + "\n";
  if (lines.size() > kMostMetricLines)
    text += fmt::format("… {} more lines: see {}\n", lines.size() - kMostMetricLines,
                        display_path(file));
  return text;
}

std::vector<std::string> run_row(const std::string& id, const Json& summary) {
  const bool ended = summary.contains("exit_code");
  const int code = summary.value("exit_code", 0);
  return {id,
          printable(summary.value("pipeline", "")),
          !ended        ? "unfinished"
          : code == 0   ? "ok"
          : code == 130 ? "interrupted"
                        : "failed",
          std::to_string(summary.value("done", 0)),
          std::to_string(summary.value("fresh", 0)),
          std::to_string(summary.value("failed", 0)),
          ended ? format_seconds(summary.value("seconds", 0.0)) : "-"};
}

int show_runs(Store& store) {
  constexpr std::size_t kMost = 20;
  std::vector<std::vector<std::string>> rows{
      {"run", "pipeline", "result", "done", "fresh", "failed", "time"}};
  std::vector<std::string> ids = store.files().list(store.layout().runs());
  for (std::size_t i = ids.size() > kMost ? ids.size() - kMost : 0; i < ids.size(); ++i) {
    const std::optional<Json> summary =
        parse_json(store.files().read(store.layout().run(ids[i]) / "summary.json").value_or(""));
    if (!summary || !summary->is_object()) continue;
    try {
      rows.push_back(run_row(ids[i], *summary));
    } catch (const Json::exception&) {  // no summary of ours
    }
  }
  if (rows.size() == 1) {
    say("no runs yet in {}\n", display_path(store.layout().outputs()));
    return 0;
  }
  say("{}", format_table(rows));
  return 0;
}

int show_stages(const PipelineSpec& pipeline, Store& store) {
  const PipelineState state(store.files(), store.layout(), pipeline.name, pipeline.variant);
  std::vector<std::vector<std::string>> rows{
      {"stage", "finished", "time", "cpu", "memory", "outputs", "metrics"}};
  for (const StageSpec& stage : pipeline.stages) {
    const LastState last = state.find(stage.name);
    const std::optional<Record> record =
        last && !last->good_key.empty() ? store.read_record(last->good_key) : std::nullopt;
    if (!record) {
      rows.push_back({stage.name, "-"});
      continue;
    }
    std::uint64_t bytes = 0;
    for (const RecordedOutput& output : record->outputs) bytes += output.object.size;
    rows.push_back({stage.name, when(record->finished), format_seconds(record->seconds),
                    format_seconds(record->cpu_seconds), format_bytes(record->peak_memory),
                    format_bytes(bytes), brief_metrics(read_metrics(store, *record))});
  }
  say("{}", format_table(rows));
  return 0;
}

void show_stage(const StageSpec& stage, const PipelineState& state, const PipelineSpec& pipeline,
                Store& store) {
  const LastState last = state.find(stage.name);
  const std::optional<Record> record =
      last && !last->good_key.empty() ? store.read_record(last->good_key) : std::nullopt;
  say("{}\n", stage.name);
  if (last && last->status == StageStatus::kFailed) say("  failed: {}\n", last->message);
  if (!record) {
    say("  no result yet\n");
    return;
  }
  say("  key       {}\n  finished  {}\n  time      {} (cpu {}, memory {})\n  made by   {}/{}, "
      "headway {}\n",
      record->key.hex(), when(record->finished), format_seconds(record->seconds),
      format_seconds(record->cpu_seconds), format_bytes(record->peak_memory), record->pipeline,
      record->stage, record->version);
  say("  log       {}\n  outputs\n", display_path(store.layout().log(record->key)));
  const Path folder = store.layout().results(pipeline.name, pipeline.variant) /
                      (stage.places.empty() ? stage.name : stage.places.front());
  for (const RecordedOutput& output : record->outputs) {
    say("    {}  {}  {}  {}\n", output.name, display_path(folder / output.file),
        format_bytes(output.object.size), output.object.digest.short_hex());
  }
  say("  facts\n");
  for (const Fact& fact : record->facts)
    say("    {}: {}\n", fact.name, fit(printable(fact.value), 160));
  const Json metrics = read_metrics(store, *record);
  if (!metrics.is_null())
    say("  metrics\n{}", metrics_text(metrics, folder / record->find("metrics")->file));
}

int show(const PipelineArguments& arguments, const std::vector<std::string>& stages,
         CommandLine& line) {
  Store store(line.files, arguments.outputs_path());
  if (arguments.file.empty() && arguments.variant.empty()) return show_runs(store);
  PipelineSpec pipeline = load(arguments, line);
  if (stages.empty()) return show_stages(pipeline, store);
  const PipelineState state(line.files, store.layout(), pipeline.name, pipeline.variant);
  for (const std::string& name : stages) {
    for (const StageId stage : select_stages(pipeline, name))
      show_stage(pipeline.stages[stage], state, pipeline, store);
  }
  return 0;
}

struct LogArguments {
  PipelineArguments pipeline;
  std::vector<std::string> words;  // [PIPELINE] STAGE
  std::size_t lines = 0;
  bool path = false;
};

// Of the stage's last attempt: in the pipeline given, else in the one that ran last and has such a
// stage.
Path find_log(const LogArguments& arguments, Store& store, CommandLine& line) {
  const std::string& stage = arguments.words.back();
  std::vector<std::string> names;
  if (arguments.words.size() == 2) {
    PipelineArguments pipeline = arguments.pipeline;
    pipeline.file = arguments.words[0];
    PipelineSpec spec = load(pipeline, line);
    const std::vector<StageId> selected = select_stages(spec, stage);
    const PipelineState state(line.files, store.layout(), spec.name, spec.variant);
    const LastState last = state.find(spec.stages[selected.front()].name);
    if (selected.size() > 1)
      throw UsageError(fmt::format("'{}' is {} stages; name one, for example {}", stage,
                                   selected.size(), spec.stages[selected.front()].name));
    if (!last) throw Error(fmt::format("stage '{}' has not run yet", stage));
    return store.layout().log(last->key);
  }
  for (const KnownPipeline& known : known_pipelines(line.files, store.layout())) {
    if (!arguments.pipeline.variant.empty() && known.variant != arguments.pipeline.variant)
      continue;
    const PipelineState state(line.files, store.layout(), known.name, known.variant);
    if (const LastState last = state.find(stage)) return store.layout().log(last->key);
    for (const auto& [name, unused] : state.all()) names.push_back(name);
  }
  throw UsageError(fmt::format("no stage '{}' has run with outputs in {}{}", printable(stage),
                               display_path(store.layout().outputs()), did_you_mean(stage, names)));
}

int logs(const LogArguments& arguments, CommandLine& line) {
  Store store(line.files, arguments.pipeline.outputs_path());
  const Path path = find_log(arguments, store, line);
  if (arguments.path) {
    say("{}\n", display_path(path));
    return 0;
  }
  std::optional<std::string> text = line.files.read(path);
  if (!text) throw Error(fmt::format("the log {} is gone", display_path(path)));
  std::string_view wanted = *text;
  if (arguments.lines > 0) {
    std::size_t at = wanted.size();
    for (std::size_t i = 0; i <= arguments.lines && at != std::string_view::npos; ++i)
      at = at == 0 ? std::string_view::npos : wanted.rfind('\n', at - 1);
    if (at != std::string_view::npos) wanted.remove_prefix(at + 1);
  }
  // A program gets what the stage printed; a terminal would obey it.
  ::isatty(STDOUT_FILENO) != 0 ? print_for_people(wanted) : print_exactly(wanted);
  return 0;
}

}  // namespace

void add_show(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<PipelineArguments>();
  auto stages = std::make_shared<std::vector<std::string>>();
  CLI::App& verb =
      add_verb(app, line, "show",
               "runs; or a pipeline's stages with times and metrics; or all about a stage",
               "  headway show                    the last runs\n"
               "  headway show p.yaml             its stages: times, sizes, metrics\n"
               "  headway show p.yaml train       key, facts, outputs and metrics of one\n",
               [arguments, stages, &line] { return show(*arguments, *stages, line); });
  arguments->add_file(verb, false);
  verb.add_option("STAGE", *stages, "stages to show in full");
  arguments->add_changes(verb);
  arguments->add_sweep(verb);
  arguments->add_outputs(verb);
}

void add_logs(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<LogArguments>();
  CLI::App& verb = add_verb(app, line, "logs", "what a stage printed when it last ran",
                            "  headway logs train                of the pipeline that ran last\n"
                            "  headway logs p.yaml train -n 20   the last 20 lines\n"
                            "  less $(headway logs train --path)\n",
                            [arguments, &line] { return logs(*arguments, line); });
  verb.add_option("STAGE", arguments->words, "[PIPELINE] STAGE")->required()->expected(1, 2);
  arguments->pipeline.add_changes(verb);
  arguments->pipeline.add_sweep(verb);
  arguments->pipeline.add_outputs(verb);
  verb.add_option("-n,--lines", arguments->lines, "only the last N lines")->type_name("N");
  verb.add_flag("--path", arguments->path, "print where the log is");
}

}  // namespace headway
