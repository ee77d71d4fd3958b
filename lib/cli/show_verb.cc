// `headway show`: runs, stages and results.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/known_label.h"
#include "lib/cli/output.h"
#include "lib/cli/pipeline_status.h"
#include "lib/cli/verbs.h"
#include "lib/report/provenance.h"
#include "lib/run/live_run.h"
#include "lib/run/plan.h"
#include "lib/store/housekeeping.h"
#include "lib/store/outputs_tree.h"
#include "lib/store/pipeline_state.h"

namespace headway {
namespace {

struct ShowArguments : PipelineArguments {
  std::vector<std::string> stages;
  bool json = false;
};

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
  return first_of(parts, kMostBrief, " ");
}

// Indented, and cut if nobody would read that much; the message then names the file.
std::string metrics_text(const Json& metrics, const Path& file) {
  const std::string line = to_line(metrics);
  if (line.size() > kMostIndented)
    return fmt::format("{}\n… {} of JSON: see {}\n", fit(printable(line), 160),
                       format_bytes(line.size()), display_path(file));
  const std::vector<std::string> lines = split(to_lines(metrics), '\n');
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostMetricLines); ++i)
    text += fit(printable(lines[i]), 160) + "\n";
  if (lines.size() > kMostMetricLines)
    text += fmt::format("… {} more lines: see {}\n", lines.size() - kMostMetricLines,
                        display_path(file));
  return text;
}

std::string result_of(const Json& summary) {
  const int code = summary.value("exit_code", 0);
  return !summary.contains("exit_code") ? "unfinished"
         : code == 0                    ? "ok"
         : code == 130                  ? "interrupted"
                                        : "failed";
}

std::vector<std::string> run_row(const std::string& id, const Json& summary) {
  return {id,
          printable(summary.value("pipeline", "")),
          result_of(summary),
          std::to_string(summary.value("done", 0)),
          std::to_string(summary.value("fresh", 0)),
          std::to_string(summary.value("failed", 0)),
          summary.contains("exit_code") ? format_seconds(summary.value("seconds", 0.0)) : "-"};
}

int show_runs(Store& store, bool json) {
  constexpr std::size_t kMost = 20;
  std::vector<std::vector<std::string>> rows{
      {"run", "pipeline", "result", "done", "fresh", "failed", "time"}};
  Json runs = Json::array();
  std::vector<LiveRun> live = live_runs(store.files(), store.layout());
  std::vector<std::string> ids = store.files().list(store.layout().runs());
  for (std::size_t i = ids.size() > kMost ? ids.size() - kMost : 0; i < ids.size(); ++i) {
    std::optional<Json> summary =
        parse_json(store.files().read(store.layout().run(ids[i]) / "summary.json").value_or(""));
    if (!summary || !summary->is_object()) continue;
    const bool lives = std::ranges::count(live, ids[i], &LiveRun::id) > 0;
    try {
      rows.push_back(run_row(ids[i], *summary));
      if (lives) rows.back()[2] = "running";
      summary->update({{"run", ids[i]}, {"result", rows.back()[2]}});
      runs.push_back(std::move(*summary));
    } catch (const Json::exception&) {  // not a summary
    }
  }
  if (json) {
    print_document({{"runs", std::move(runs)}});
  } else if (rows.size() == 1) {
    say("no runs yet in {}\n", display_path(store.layout().outputs()));
  } else {
    say("{}", format_table(rows));
  }
  return 0;
}

using Standings = std::map<std::string, StageStanding>;

// By stage; nothing, and a complaint, if a file that a parameter names is missing.
Standings standings_of(const PipelineSpec& pipeline, Store& store) {
  Standings standings;
  try {
    for (StageStanding& stage : status_of(pipeline, store).stages) {
      const std::string name = stage.stage;
      standings.emplace(name, std::move(stage));
    }
  } catch (const Error& error) {
    complain("{}: it is not known which results are current: {}\n", pipeline.label(), error.what());
  }
  return standings;
}

StageStanding standing_in(const Standings& standings, const std::string& stage) {
  const auto found = standings.find(stage);
  return found == standings.end() ? StageStanding{stage, "", "", ""} : found->second;
}

// The result with the file as it is now or, if there is none, the last good one.
std::optional<Record> record_to_show(const StageStanding& standing, const LastState& last,
                                     Store& store) {
  const auto key = Digest::from_hex(standing.fields.value("key", ""));
  std::optional<Record> record = key ? store.read_record(*key) : std::nullopt;
  return record ? record : last_record(last, store);
}

int show_stages(const PipelineSpec& pipeline, Store& store) {
  const PipelineState state(store.files(), store.layout(), pipeline.name, pipeline.variant);
  const Standings standings = standings_of(pipeline, store);
  std::vector<std::vector<std::string>> rows{
      {"stage", "state", "finished", "time", "cpu", "memory", "outputs", "metrics"}};
  for (const StageSpec& stage : pipeline.stages) {
    const StageStanding standing = standing_in(standings, stage.name);
    const std::optional<Record> record = record_to_show(standing, state.find(stage.name), store);
    if (!record) {
      rows.push_back({stage.name, standing.state, "-"});
      continue;
    }
    std::uint64_t bytes = 0;
    for (const RecordedOutput& output : record->outputs) bytes += output.object.size;
    rows.push_back({stage.name, standing.state, when(record->finished),
                    format_seconds(record->seconds), format_seconds(record->cpu_seconds),
                    format_bytes(record->peak_memory), format_bytes(bytes),
                    brief_metrics(read_metrics(store, *record))});
  }
  say("{}", format_table(rows));
  return 0;
}

// " from p.yaml --set steps=50 (sha256 1a2b3c4d5e6f), commit 0123…": what is known of it.
std::string origin_text(const Json& origin) {
  if (!origin.is_object()) return "";
  const std::string file = origin.value("file", "");
  std::vector<std::string> words = {file};
  for (const Json& word : origin.value("arguments", Json::array()))
    words.push_back(word.is_string() ? word.get<std::string>() : "");
  const Json digests = origin.value("digests", Json::object());
  const std::string digest = digests.is_object() ? digests.value(file, "") : "";
  const Json commit = origin.value("commit", Json());
  return fmt::format("\n  from      {} (sha256 {}){}", printable(quote_for_shell(words)),
                     printable(digest.substr(0, 12)),
                     commit.is_string() ? ", commit " + printable(commit.get<std::string>()) : "");
}

// The result of a stage, wherever it came from.
struct Shown {
  std::string stage;
  StageStanding standing = {};  // no state: it is known by its key only
  LastState last = {};          // null: it never ran, or is known by its key only
  std::optional<Record> record = {};
  // Where an output can be read.
  std::function<Path(const RecordedOutput&)> path_of = {};
  std::vector<std::pair<std::string, std::string>> inputs = {};  // where each comes from
};

// The first link to it: results that are not current are in another folder, and those that only
// other variations have shown are in none of this one's.
Path link_to(const RecordedOutput& output, const std::vector<Path>& folders, const Store& store) {
  const Path object = store.path_of(output.object);
  for (const Path& folder : folders) {
    std::error_code error;
    if (std::filesystem::equivalent(folder / output.file, object, error))
      return folder / output.file;
  }
  return object;
}

Shown shown_stage(const StageSpec& stage, const StageStanding& standing, const PipelineState& state,
                  const PipelineSpec& pipeline, Store& store) {
  const Path results = store.layout().results(pipeline.name, pipeline.variant);
  const std::string place = stage.places.empty() ? stage.name : stage.places.front();
  const std::vector<Path> folders = {results / place, results / stale_name(place)};
  const LastState last = state.find(stage.name);
  Shown shown{
      stage.name, standing, last, record_to_show(standing, last, store),
      [folders, &store](const RecordedOutput& output) { return link_to(output, folders, store); }};
  for (const InputSpec& input : stage.inputs) {
    const auto from = [&](const Source& source) { return describe(pipeline, source); };
    shown.inputs.emplace_back(input.port, join(texts_of(input.sources, from), ", "));
  }
  return shown;
}

void print_shown(const Shown& shown, Store& store) {
  say("{}\n", shown.stage);
  if (shown.last && shown.last->status == StageStatus::kFailed)
    say("  failed: {}\n", shown.last->message);
  const StageStanding& standing = shown.standing;
  const bool is_said = standing.state.empty() || standing.state == "fresh" ||
                       standing.state == "failed" ||
                       (standing.state == "never run" && !shown.record);
  if (!is_said)
    say("  {}{}\n", standing.state, standing.words.empty() ? "" : ": " + standing.words);
  if (!shown.record) return say("  no result yet\n");
  const Record& record = *shown.record;
  say("  key       {}\n  finished  {}\n  time      {} (cpu {}, memory {})\n  made by   {}/{}, "
      "headway {}{}\n",
      record.key.hex(), when(record.finished), format_seconds(record.seconds),
      format_seconds(record.cpu_seconds), format_bytes(record.peak_memory), record.pipeline,
      record.stage, record.version, origin_text(record.origin));
  const std::string machine = machine_text(record.machine);
  if (!machine.empty()) say("  machine   {}\n", printable(machine));
  if (!record.numerics.empty()) say("  numerics  {}\n", printable(record.numerics));
  say("  log       {}\n  outputs\n", display_path(store.layout().log(record.key)));
  for (const RecordedOutput& output : record.outputs)
    say("    {}  {}  {}  {}\n", output.name, display_path(shown.path_of(output)),
        format_bytes(output.object.size), output.object.digest.short_hex());
  if (!shown.inputs.empty()) say("  inputs\n");
  for (const auto& [port, from] : shown.inputs)
    say("    {}  {}\n", port, fit(printable(from), 160));
  say("  facts\n");
  for (const Fact& fact : record.facts)
    say("    {}: {}\n", fact.name, fit(printable(fact.value), 160));
  const Json metrics = read_metrics(store, record);
  if (!metrics.is_null())
    say("  metrics\n{}", metrics_text(metrics, shown.path_of(*record.find("metrics"))));
}

Json shown_json(const Shown& shown, Store& store) {
  Json json = {{"stage", shown.stage}};
  if (shown.last && shown.last->status == StageStatus::kFailed)
    json["failure"] = shown.last->message;
  if (!shown.standing.state.empty()) json["state"] = shown.standing.state;
  if (!shown.record) return json;
  const Record& record = *shown.record;
  Json outputs = Json::object(), facts = Json::object();
  for (const RecordedOutput& output : record.outputs)
    outputs[output.name] = {{"path", shown.path_of(output).string()},
                            {"bytes", output.object.size},
                            {"sha256", output.object.digest.hex()}};
  for (const Fact& fact : record.facts) facts[fact.name] = fact.value;
  json.update({{"key", record.key.hex()},
               {"finished", iso_time(1000 * record.finished)},
               {"seconds", record.seconds},
               {"cpu_seconds", record.cpu_seconds},
               {"peak_memory", record.peak_memory},
               {"made_by", record.pipeline + "/" + record.stage},
               {"run", record.run},
               {"version", record.version},
               {"machine", record.machine},
               {"numerics", record.numerics},
               {"origin", record.origin},
               {"log", store.layout().log(record.key).string()},
               {"outputs", std::move(outputs)},
               {"facts", std::move(facts)}});
  Json metrics = read_metrics(store, record);
  if (!metrics.is_null()) json["metrics"] = std::move(metrics);
  return json;
}

// A key or the beginning of one, as reports and `why` print it.
bool may_be_key(const std::string& word) {
  constexpr std::size_t kFewest = 6, kMost = 64;
  return word.size() >= kFewest && word.size() <= kMost &&
         word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Shown find_by_key(const std::string& prefix, Store& store) {
  std::vector<Digest> keys = recorded_keys(store);
  std::erase_if(keys, [&](const Digest& key) { return !key.hex().starts_with(prefix); });
  if (keys.size() > 1)
    throw UsageError("{} results have a key that begins with {}; give more of it", keys.size(),
                     prefix);
  const std::optional<Record> record =
      keys.empty() ? std::nullopt : store.read_record(keys.front());
  if (!record)
    throw UsageError("no result in {} has a key that begins with {}",
                     display_path(store.layout().outputs()), prefix);
  return {record->pipeline + "/" + record->stage,
          {},
          nullptr,
          record,
          [&store](const RecordedOutput& output) { return store.path_of(output.object); }};
}

int print_all(const std::vector<Shown>& all, const std::string& pipeline, bool json, Store& store) {
  if (json) {
    Json stages = Json::array();
    for (const Shown& shown : all) stages.push_back(shown_json(shown, store));
    print_document({{"pipeline", pipeline}, {"stages", std::move(stages)}});
    return 0;
  }
  for (const Shown& shown : all) print_shown(shown, store);
  return 0;
}

int show_pipeline(PipelineSpec pipeline, const ShowArguments& arguments, Store& store) {
  if (arguments.stages.empty() && !arguments.json) return show_stages(pipeline, store);
  const PipelineState state(store.files(), store.layout(), pipeline.name, pipeline.variant);
  const Standings standings = standings_of(pipeline, store);
  std::vector<std::string> names = arguments.stages;
  if (names.empty()) names = texts_of(pipeline.stages, &StageSpec::name);
  std::vector<Shown> all;
  for (const std::string& name : names) {
    for (const StageId id : select_stages(pipeline, name)) {
      const StageSpec& stage = pipeline.stages[id];
      all.push_back(shown_stage(stage, standing_in(standings, stage.name), state, pipeline, store));
    }
  }
  return print_all(all, pipeline.label(), arguments.json, store);
}

int show(const ShowArguments& arguments, CommandLine& line) {
  if (const auto known = find_label(arguments, line)) {
    PipelineArguments unnamed = arguments;
    unnamed.file.clear();
    Store store(line.files, unnamed.outputs_path());
    const Layout& layout = store.layout();
    const std::string file = PipelineState(line.files, layout, known->name, known->variant).file();
    return show_pipeline(load_known(*known, display_path(file), layout, line), arguments, store);
  }
  Store store(line.files, arguments.outputs_path());
  if (!arguments.names_pipeline()) return show_runs(store, arguments.json);
  if (may_be_key(arguments.file) && !line.files.exists(arguments.file)) {
    const Shown shown = find_by_key(arguments.file, store);
    return print_all({shown}, shown.record->pipeline, arguments.json, store);
  }
  return show_pipeline(load(arguments, line), arguments, store);
}

}  // namespace

void add_show(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] =
      add_verb(app, line, "show",
               "runs; or a pipeline's stages with times and metrics; or all about a stage",
               "  headway show                    the last runs\n"
               "  headway show p.yaml             its stages: times, sizes, metrics\n"
               "  headway show p.yaml train       key, facts, outputs and metrics of one\n"
               "  headway show 1a2b3c4d5e6f       the same, of a result by its key\n",
               show);
  verb.add_option("PIPELINE", arguments.file,
                  "the pipeline's YAML file, or a name such as p/wide or p/n=2, or a key, or the "
                  "beginning of one (default: the last "
                  "runs; with --variant, --set or --sweep, the pipeline that ran last)");
  arguments.add_options(verb);
  verb.add_option("STAGE", arguments.stages, "stages to show in full");
  verb.add_flag("--json", arguments.json, kJsonHelp);
}

}  // namespace headway
