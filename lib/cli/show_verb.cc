// `headway show`: runs, stages and results.
#include <fmt/chrono.h>
#include <fmt/format.h>

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

constexpr std::size_t kMostBrief = 8;          // metrics in a stage's line
constexpr std::size_t kMostMetricLines = 200;  // of a stage shown in full
constexpr std::size_t kMostIndented = 64'000;  // bytes of JSON; indented, it may be much longer

// "accuracy=0.99 loss=0.01": only scalars.
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

// Indented, and cut if nobody would read that much; the message then names the file.
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
    } catch (const Json::exception&) {  // not a summary
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
    for (const int stage : select_stages(pipeline, name))
      show_stage(pipeline.stages[static_cast<std::size_t>(stage)], state, pipeline, store);
  }
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

}  // namespace headway
