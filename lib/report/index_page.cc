#include "lib/report/index_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/html_page.h"
#include "lib/report/phrases.h"
#include "lib/report/provenance_text.h"

namespace headway {
namespace {

constexpr std::size_t kMostFigures = 6;
constexpr std::size_t kMostNumbers = 4;

// Always a link below the page's folder: "javascript:" and "//host" are treated as folders.
std::string index_href(std::string_view path) {
  std::string href = "./";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_./@,=+").find(c) != std::string_view::npos;
    href += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return href;
}

std::string index_link(const std::string& path, const std::string& text) {
  return fmt::format("<a href=\"{}\">{}</a>", index_href(path), html_escaped(text));
}

// The stage that made the picture.
std::string picture_name(const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  return parts.size() > 1 ? parts[parts.size() - 2] : path;
}

// A variant's sweep is called "heads@wide".
std::string report_command(const IndexEntry& entry) {
  std::string command = "headway report " + quote_for_shell(entry.file);
  const std::size_t at = entry.is_sweep ? entry.variant.find('@') : 0;
  if (entry.is_sweep) command += " --sweep " + quote_for_shell(entry.variant.substr(0, at));
  const std::string variant = !entry.is_sweep           ? entry.variant
                              : at != std::string::npos ? entry.variant.substr(at + 1)
                                                        : "";
  return variant.empty() ? command : command + " --variant " + quote_for_shell(variant);
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
  for (std::size_t i = 0; i < std::min(kMostNumbers, entry.metrics.size()); ++i)
    lines.push_back(fmt::format("{} = {}", html_escaped(entry.metrics[i].first),
                                html_escaped(entry.metrics[i].second)));
  return join(lines, "<br>");
}

std::string status_cell(const IndexEntry& entry) {
  if (entry.failed > 0)
    return fmt::format("<strong class=\"failed\">failed</strong>: {}",
                       counted(entry.failed, "stage"));
  if (entry.unfinished > 0)
    return fmt::format("<strong class=\"interrupted\">interrupted</strong>: {}",
                       counted(entry.unfinished, "stage"));
  return entry.stages > 0 ? "<span class=\"made\">done</span>" : "nothing yet";
}

std::string name_cell(const IndexEntry& entry) {
  std::string html = fmt::format("<b>{}</b>", html_escaped(entry.pipeline));
  if (!entry.variant.empty())
    html += fmt::format(" / {} <span class=\"detail\">{}</span>", html_escaped(entry.variant),
                        entry.is_sweep ? "sweep" : "variant");
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

std::string index_summary(const std::vector<IndexEntry>& entries) {
  std::size_t failed = 0, interrupted = 0, reported = 0;
  for (const IndexEntry& entry : entries) {
    failed += entry.failed > 0;
    interrupted += entry.failed == 0 && entry.unfinished > 0;
    reported += !entry.reports.empty();
  }
  std::string text = fmt::format("{} ran; {} {} a report", counted(entries.size(), "pipeline"),
                                 count_text(reported), reported == 1 ? "has" : "have");
  if (failed > 0) text += fmt::format(", {} failed", count_text(failed));
  if (interrupted > 0)
    text += fmt::format(", {} {} not finished", count_text(interrupted),
                        interrupted == 1 ? "has" : "have");
  return fmt::format(
      "<p>{}. Variants and sweeps count on their own; time is that of all stages "
      "together.</p>\n",
      text);
}

}  // namespace

std::string index_page(const std::vector<IndexEntry>& entries) {
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
          : index_summary(sorted) + index_table(sorted);
  return to_html(page);
}

}  // namespace headway
