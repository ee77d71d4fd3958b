#include "lib/report/outputs_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/numerics/table.h"
#include "lib/report/escape.h"
#include "lib/report/html_page.h"
#include "lib/report/phrases.h"
#include "lib/report/provenance.h"
#include "lib/run/live_run.h"
#include "lib/store/store.h"

namespace headway {
namespace {

constexpr std::size_t kMostFigures = 6;

// Always a link below the page's folder: "javascript:" and "//host" are treated as folders.
std::string index_link(const std::string& path, const std::string& text) {
  return fmt::format("<a href=\"./{}\">{}</a>", bytes_escaped(path, "-_./@,=+", "%{:02X}"),
                     html_escaped(text));
}

// The stage that made the picture.
std::string picture_name(const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  return parts.size() > 1 ? parts[parts.size() - 2] : path;
}

std::string report_command(const IndexEntry& entry) {
  std::vector<std::string> words = {"headway", "report", entry.file};
  if (entry.is_sweep)  // a variation's sweep is called "heads@wide"
    words.insert(words.end(), {"--sweep", entry.variant.substr(0, entry.variant.find('@'))});
  words.insert(words.end(), entry.arguments.begin(), entry.arguments.end());
  return quote_for_shell(words);
}

// If an entry has several reports, they are named after their folders.
std::string reports_cell(const IndexEntry& entry) {
  std::vector<std::string> links;
  for (const std::string& report : entry.reports)
    links.push_back(
        index_link(report, entry.reports.size() == 1 ? "report" : picture_name(report)));
  if (!links.empty()) return join(links, ", ");
  if (entry.file.empty()) return "none; the pipeline's file is gone";
  return fmt::format("<code>{}</code>", html_escaped(report_command(entry)));
}

// Goes into the report's cell: the table is wide enough already.
std::string figures_line(const IndexEntry& entry) {
  if (entry.figures.empty()) return "";
  std::vector<std::string> links;
  for (std::size_t i = 0; i < std::min(kMostFigures, entry.figures.size()); ++i)
    links.push_back(index_link(entry.figures[i], picture_name(entry.figures[i])));
  if (entry.figures.size() > kMostFigures)
    links.push_back(fmt::format("{} more", count_text(entry.figures.size() - kMostFigures)));
  return fmt::format("<br><span class=\"detail\">figures: {}</span>", join(links, ", "));
}

std::string numbers_cell(const IndexEntry& entry) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : entry.metrics)
    lines.push_back(fmt::format("{} = {}", html_escaped(name), html_escaped(value)));
  return join(lines, "<br>");
}

std::string status_cell(const IndexEntry& entry) {
  if (entry.running + entry.queued > 0)
    return fmt::format(
        "<strong class=\"running\">running</strong>: {}{}{}", counted(entry.running, "stage"),
        entry.queued > 0 ? fmt::format(", {} queued", count_text(entry.queued)) : "",
        entry.failed > 0 ? fmt::format(", {} failed", count_text(entry.failed)) : "");
  if (entry.failed > 0)
    return fmt::format("<strong class=\"failed\">failed</strong>: {}",
                       counted(entry.failed, "stage"));
  if (entry.unfinished > 0)
    return fmt::format("<strong class=\"interrupted\">interrupted</strong>: {}",
                       counted(entry.unfinished, "stage"));
  if (entry.stages == 0) return "nothing yet";
  if (!entry.unknown.empty())
    return fmt::format("<strong class=\"interrupted\">unknown</strong>: {}",
                       html_escaped(entry.unknown));
  if (entry.stale > 0)
    return fmt::format(
        "<strong class=\"interrupted\">stale</strong>: {}{}", counted(entry.stale, "stage"),
        entry.never_run > 0 ? fmt::format(", {} never run", count_text(entry.never_run)) : "");
  if (entry.never_run > 0)
    return fmt::format("<strong class=\"interrupted\">never run</strong>: {}",
                       counted(entry.never_run, "stage"));
  return "<span class=\"made\">done</span>" +
         (entry.warnings > 0 ? ", " + counted(entry.warnings, "warning") : "");
}

std::string name_cell(const IndexEntry& entry) {
  std::string html = fmt::format("<b>{}</b>", html_escaped(entry.pipeline));
  if (!entry.variant.empty())
    html += fmt::format(" / {} <span class=\"detail\">{}</span>", html_escaped(entry.variant),
                        entry.is_sweep                                     ? "sweep"
                        : std::ranges::count(entry.arguments, "--set") > 0 ? "--set"
                                                                           : "variant");
  return html;
}

// Columns are sorted by `data-sort`, if a cell has it.
std::string index_row(const IndexEntry& entry) {
  const std::string when = entry.finished > 0 ? utc_text(entry.finished) : "";
  return fmt::format(
      "<tr><td data-sort=\"{}\">{}</td><td>{}{}</td><td>{}</td><td>{}</td>"
      "<td class=\"number\" data-sort=\"{}\">{}</td><td class=\"number\" "
      "data-sort=\"{:.3f}\">{}</td>"
      "<td class=\"number\">{}</td></tr>\n",
      html_escaped(entry.pipeline + " / " + entry.variant), name_cell(entry), reports_cell(entry),
      figures_line(entry), status_cell(entry), numbers_cell(entry), entry.finished, when,
      entry.seconds, format_seconds(entry.seconds), count_text(entry.stages));
}

std::string index_table(const std::vector<IndexEntry>& entries) {
  std::string html =
      "<figure class=\"table\">\n<div class=\"scroll\">\n"
      "<table class=\"sortable\" aria-label=\"Pipelines\">\n<thead><tr>";
  for (const char* column : {"pipeline", "report", "status", "results"})
    html += fmt::format("<th scope=\"col\">{}</th>", column);
  for (const char* column : {"finished", "time", "stages"})
    html += fmt::format("<th scope=\"col\" class=\"number\">{}</th>", column);
  html += "</tr></thead>\n<tbody>\n";
  for (const IndexEntry& entry : entries) html += index_row(entry);
  return html + "</tbody>\n</table>\n</div>\n</figure>\n";
}

std::string index_summary(const std::vector<IndexEntry>& entries, std::int64_t now) {
  std::size_t failed = 0, interrupted = 0, stale = 0, running = 0, reported = 0;
  for (const IndexEntry& entry : entries) {
    const bool runs = entry.running + entry.queued > 0;
    running += runs;
    failed += !runs && entry.failed > 0;
    interrupted += !runs && entry.failed == 0 && entry.unfinished > 0;
    stale += !runs && entry.failed + entry.unfinished == 0 && entry.stale > 0;
    reported += !entry.reports.empty();
  }
  std::string text = fmt::format("{} ran; {} {} a report", counted(entries.size(), "pipeline"),
                                 count_text(reported), reported == 1 ? "has" : "have");
  if (failed > 0) text += fmt::format(", {} failed", count_text(failed));
  if (interrupted > 0)
    text += fmt::format(", {} {} not finished", count_text(interrupted),
                        interrupted == 1 ? "has" : "have");
  if (stale > 0) text += fmt::format(", {} {} stale", count_text(stale), stale == 1 ? "is" : "are");
  if (running > 0)
    text += fmt::format(", {} {} running when this page was written ({})", count_text(running),
                        running == 1 ? "was" : "were", utc_text(now));
  return fmt::format(
      "<p>{}. Variants and sweeps count on their own; time is that of all stages "
      "together.</p>\n",
      text);
}

constexpr std::size_t kMostMetrics = 3;

// Metrics to show, most important first.
constexpr const char* kHeadlines[] = {"greedy", "accuracy", "loss"};

class IndexMaker {
 public:
  IndexMaker(FileSystem& files, const Path& outputs)
      : files_(files), layout_(outputs), store_(files, outputs), runs_(live_runs(files, layout_)) {}

  IndexEntry entry_of(const KnownPipeline& known, IndexNotes notes) {
    const PipelineState state(files_, layout_, known.name, known.variant);
    IndexEntry entry;
    entry.pipeline = known.name;
    entry.variant = known.variant;
    entry.is_sweep = notes.is_sweep;
    entry.metrics = std::move(notes.results);
    entry.arguments = state.arguments();
    const std::vector<std::string> of_old_journal = {"--variant", known.variant};
    if (entry.is_sweep && entry.arguments == of_old_journal) entry.arguments.clear();
    entry.file = file_below(state.file());
    const Path folder =
        layout_.results(known.name, known.variant).lexically_relative(layout_.outputs());
    const std::map<std::string, LastState> stages = state.all();
    const LiveStages live(files_, layout_, known.label(), live_runs(files_, layout_, runs_));
    entry.queued = live.queued(stages);
    for (const auto& [stage, last] : stages) {
      const bool runs = live.running(stage, last) != nullptr;
      entry.running += runs;
      entry.failed += last->status == StageStatus::kFailed;
      entry.unfinished += !runs && (last->status == StageStatus::kCancelled ||
                                    last->status == StageStatus::kRunning);
      if (last->good_key.empty()) continue;
      ++entry.stages;
      entry.seconds += last->seconds;
      entry.finished = std::max(entry.finished, last->finished);
      for (const RecordedOutput& output : last->outputs) add_output(stage, output, folder, entry);
    }
    if (notes.states)
      set_states(*notes.states, stages, entry);
    else
      entry.unknown = notes.problem;
    if (!entry.is_sweep && entry.metrics.empty()) add_metrics(stages, entry);
    return entry;
  }

 private:
  // The file as it is now knows better than the history alone; but a sweep that gave up a trial
  // keeps its failures in the history.
  static void set_states(const std::map<std::string, std::string>& states,
                         const std::map<std::string, LastState>& stages, IndexEntry& entry) {
    std::map<std::string, std::size_t> counts;
    for (const auto& [stage, state] : states) ++counts[state];
    for (const auto& [stage, last] : stages)
      counts["failed"] +=
          entry.is_sweep && !states.contains(stage) && last->status == StageStatus::kFailed;
    entry.running = counts["running"] + counts["detached"];
    entry.queued = counts["queued"] + counts["waiting"];
    entry.failed = counts["failed"];
    entry.unfinished = counts["interrupted"];
    entry.stale = counts["stale"];
    entry.never_run = counts["never run"];
    entry.warnings = counts["warning"];
  }

  // The path relative to the folder that contains outputs/; "" if the file is gone.
  std::string file_below(const std::string& file) {
    if (!files_.exists(file)) return "";
    const Path relative = Path(file).lexically_relative(layout_.outputs().parent_path());
    return relative.empty() || *relative.begin() == ".." ? file : relative.string();
  }

  void add_output(const std::string& stage, const RecordedOutput& output, const Path& folder,
                  IndexEntry& entry) {
    const std::string link = (folder / stage / output.file).generic_string();
    if (output.name == "page" && output.file == "index.html" &&
        files_.exists(layout_.outputs() / link))
      entry.reports.push_back(link);
    if (output.file.ends_with(".svg") && files_.exists(layout_.outputs() / link))
      entry.figures.push_back(link);
  }

  // Stages that begin with "eval" come first: others repeat their metrics or lead to them.
  void add_metrics(const std::map<std::string, LastState>& stages, IndexEntry& entry) {
    for (const bool evaluates : {true, false}) {
      for (const auto& [stage, last] : stages) {
        if (stage.starts_with("eval") != evaluates) continue;
        for (const RecordedOutput& output : last->outputs) {
          if (entry.metrics.size() >= kMostMetrics) return;
          if (output.name == "metrics") add_metric(stage, output, entry);
        }
      }
    }
  }

  void add_metric(const std::string& stage, const RecordedOutput& output, IndexEntry& entry) {
    const std::optional<Json> metrics =
        parse_json(files_.read(store_.path_of(output.object)).value_or(""));
    if (!metrics || !metrics->is_object()) return;
    for (const char* name : kHeadlines) {
      const auto found = metrics->find(name);
      if (found == metrics->end() || !found->is_number()) continue;
      const double value = found->get<double>();
      const bool is_share = name != std::string_view("loss") && value >= 0 && value <= 1;
      entry.metrics.emplace_back(stage + "." + name,
                                 is_share ? percent_text(value) : number_text(value));
      return;
    }
  }

  FileSystem& files_;
  const Layout layout_;
  Store store_;
  const std::vector<LiveRun> runs_;  // before any history was read
};

}  // namespace

std::string index_page(const std::vector<IndexEntry>& entries, std::int64_t now) {
  std::vector<IndexEntry> sorted = entries;
  const auto order = [](const IndexEntry& entry) {
    return std::tie(entry.pipeline, entry.is_sweep, entry.variant);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const IndexEntry& a, const IndexEntry& b) { return order(a) < order(b); });
  HtmlPage page;
  page.title = "Pipelines";
  page.kicker = "Headway";
  page.body =
      sorted.empty()
          ? "<p>Nothing has run yet; <code>headway run PIPELINE.yaml</code> runs a pipeline, "
            "and <code>headway report PIPELINE.yaml</code> makes its report.</p>\n"
          : index_summary(sorted, now) + index_table(sorted);
  return to_html(page);
}

Path write_outputs_index(FileSystem& files, const Path& outputs,
                         const std::function<IndexNotes(const KnownPipeline&)>& notes_of) {
  IndexMaker maker(files, outputs);
  std::vector<IndexEntry> entries;
  for (const KnownPipeline& known : known_pipelines(files, Layout(outputs)))
    entries.push_back(maker.entry_of(known, notes_of(known)));
  const Path path = outputs / "index.html";
  files.replace(path, index_page(entries, files.now_ns() / 1'000'000'000));
  return path;
}

}  // namespace headway
