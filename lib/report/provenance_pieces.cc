#include "lib/report/provenance_pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/provenance_text.h"

namespace headway {
namespace {

constexpr std::size_t kShortKey = 8;
constexpr std::size_t kLongestValue = 2000;  // characters of a parameter

// Keeps plain characters; others become "~" and two digits, so that the id needs no escaping.
std::string anchor_text(std::string_view name) {
  constexpr std::string_view kPlain = "-_.@=,+";
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    text += plain ? std::string(1, c) : fmt::format("~{:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string stage_link(std::string_view stage) {
  return fmt::format("<a href=\"#{}\">{}</a>", stage_anchor(stage), html_escaped(stage));
}

// "train.model", linked to the stage's entry if it has one.
std::string source_html(const Provenance& provenance, std::string_view source) {
  const StageOrigin* maker = provenance.maker_of(source);
  if (!maker) return html_escaped(source);
  return stage_link(maker->name) + html_escaped(source.substr(maker->name.size()));
}

std::string fact_html(std::string_view name, const std::string& html) {
  return html.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(name), html);
}

std::string inputs_html(const Provenance& provenance, const StageOrigin& stage) {
  constexpr std::size_t kMost = 12;  // members of a list
  std::vector<std::string> lines;
  for (const StageOrigin::Input& input : stage.inputs) {
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < std::min(kMost, input.sources.size()); ++i)
      sources.push_back(source_html(provenance, input.sources[i]));
    if (input.sources.size() > kMost)
      sources.push_back(fmt::format("{} more", count_text(input.sources.size() - kMost)));
    lines.push_back(fmt::format("{} = {}", html_escaped(input.port), join(sources, ", ")));
  }
  return join(lines, "<br>");
}

std::string outputs_html(const StageOrigin& stage) {
  std::vector<std::string> lines;
  for (const StageOrigin::Output& output : stage.outputs)
    lines.push_back(fmt::format(
        "{}: {}, {}, <code title=\"SHA-256 {}\">{}</code>", html_escaped(output.name),
        html_escaped(output.file), format_bytes(output.size), html_escaped(output.digest),
        html_escaped(std::string_view(output.digest).substr(0, kShortKey))));
  return join(lines, "<br>");
}

std::string parameters_html(const StageOrigin& stage) {
  std::vector<std::string> lines;
  for (const FlatParameter& parameter : parameters_of(stage))
    lines.push_back(fmt::format("{} = <code>{}</code>", html_escaped(parameter.name),
                                html_escaped(shortened_value(parameter.value, kLongestValue))));
  return join(lines, "<br>");
}

std::string times_html(const StageOrigin& stage) {
  const std::string memory =
      stage.peak_memory > 0 ? ", at most " + format_bytes(stage.peak_memory) + " of memory" : "";
  std::string html =
      fact_html("time", fmt::format("{} ({} of processor time){}", format_seconds(stage.seconds),
                                    format_seconds(stage.cpu_seconds), memory));
  if (stage.finished > 0) html += fact_html("finished", utc_text(stage.finished));
  html += fact_html("run", html_escaped(stage.run));
  html += fact_html("by", stage.headway.empty() ? "" : "Headway " + html_escaped(stage.headway));
  return html + fact_html("on", html_escaped(machine_text(stage.machine)));
}

std::string badge_html(const Provenance& provenance, const StageOrigin& stage) {
  if (!provenance.has_times) return "";
  return is_from_cache(provenance, stage) ? " <span class=\"hit\">from cache</span>"
                                          : " <span class=\"made\">made</span>";
}

std::string entry_html(const Provenance& provenance, const StageOrigin& stage) {
  const std::string time = provenance.has_times ? ", " + format_seconds(stage.seconds) : "";
  std::string html = fmt::format(
      "<details class=\"stage\" id=\"{}\">\n<summary><b>{}</b> <span class=\"detail\">{}{}</span>{}"
      "</summary>\n<dl class=\"facts\">\n",
      stage_anchor(stage.name), html_escaped(stage.name), html_escaped(stage.type), time,
      badge_html(provenance, stage));
  html += fact_html("command", fmt::format("<code>{}</code>", html_escaped(stage.command)));
  html += fact_html("type", fmt::format("{}, version {}", html_escaped(stage.type), stage.version));
  html += fact_html("key", fmt::format("<code>{}</code>", html_escaped(stage.key)));
  html += fact_html("reads", inputs_html(provenance, stage));
  html += fact_html("makes", outputs_html(stage));
  html += fact_html("parameters", parameters_html(stage));
  if (provenance.has_times) html += times_html(stage);
  return html + "</dl>\n</details>\n";
}

// One badge if all items agree, else a count of each.
std::string family_badge(const Provenance& provenance, const StageFamily& family) {
  if (!provenance.has_times) return "";
  const auto hits = static_cast<std::size_t>(
      std::count_if(family.members.begin(), family.members.end(),
                    [&](const StageOrigin* stage) { return is_from_cache(provenance, *stage); }));
  if (hits == 0 || hits == family.members.size())
    return badge_html(provenance, *family.members.front());
  return fmt::format(
      " <span class=\"hit\">{} from cache</span> <span class=\"made\">{} made</span>", hits,
      family.members.size() - hits);
}

double seconds_of(const StageFamily& family) {
  double seconds = 0;
  for (const StageOrigin* stage : family.members) seconds += stage->seconds;
  return seconds;
}

std::string family_html(const Provenance& provenance, const StageFamily& family) {
  std::string entries;
  for (const StageOrigin* stage : family.members) entries += entry_html(provenance, *stage);
  if (family.members.size() == 1) return entries;
  const std::string time =
      provenance.has_times ? ", " + format_seconds(seconds_of(family)) + " together" : "";
  return fmt::format(
      "<details class=\"family\" id=\"{}\">\n<summary><b>{}</b> <span class=\"detail\">{}, {} "
      "items{}</span>{}</summary>\n{}</details>\n",
      family_anchor(family), html_escaped(family.name), html_escaped(family.members.front()->type),
      count_text(family.members.size()), time, family_badge(provenance, family), entries);
}

std::string stages_markdown(const Provenance& provenance) {
  std::string text = provenance.has_times
                         ? "| stage | type | key | time |\n| --- | --- | --- | ---: |\n"
                         : "| stage | type | key |\n| --- | --- | --- |\n";
  for (const StageOrigin& stage : provenance.stages) {
    text +=
        fmt::format("| {} | {} | {} |", markdown_escaped(stage.name), markdown_escaped(stage.type),
                    markdown_code(stage.key.substr(0, kShortKey)));
    text += provenance.has_times ? fmt::format(" {} |\n", format_seconds(stage.seconds)) : "\n";
  }
  return text;
}

}  // namespace

std::string stage_anchor(std::string_view stage) {
  return "stage." + anchor_text(stage);
}

std::string family_anchor(const StageFamily& family) {
  return family.members.size() == 1 ? stage_anchor(family.members.front()->name)
                                    : "family." + anchor_text(family.name);
}

Piece stages_piece(const Provenance& provenance) {
  if (provenance.stages.empty()) return {"No stages.\n", ""};
  std::string html = "<div class=\"stages\">\n";
  for (const StageFamily& family : families_of(provenance)) html += family_html(provenance, family);
  return {stages_markdown(provenance), html + "</div>\n"};
}

Piece origin_line(const Provenance& provenance, std::string_view origin) {
  const StageOrigin* stage = provenance.maker_of(origin);
  if (!stage) {
    return {fmt::format("from {}\n", markdown_code(origin)),
            fmt::format("from <code>{}</code>\n", html_escaped(origin))};
  }
  const std::string key = stage->key.substr(0, kShortKey);
  return {fmt::format("stage {}, key {}, {}\n", markdown_code(stage->name), markdown_code(key),
                      markdown_code(stage->command)),
          fmt::format("stage {}, key <code title=\"{}\">{}</code>, <code>{}</code>\n",
                      stage_link(stage->name), html_escaped(stage->key), html_escaped(key),
                      html_escaped(stage->command))};
}

}  // namespace headway
