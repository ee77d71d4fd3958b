#include "lib/report/provenance_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/index.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/spec/overrides.h"

namespace headway {
namespace {

constexpr std::size_t kShortKey = 8;
constexpr std::size_t kLongestValue = 2000;  // characters of a parameter

// Other characters become "~" and two digits, so that the id needs no escaping.
std::string anchor_text(std::string_view name) {
  return bytes_escaped(name, "-_.@=,+", "~{:02x}");
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
  html += fact_html("on", html_escaped(machine_text(stage.machine)));
  return html + fact_html("numerics", html_escaped(stage.numerics));
}

// One badge if all are from the cache or none is, else a count of each.
std::string badges_html(const Provenance& provenance,
                        const std::vector<const StageOrigin*>& stages) {
  if (!provenance.has_times) return "";
  const auto hits = static_cast<std::size_t>(std::ranges::count_if(
      stages, [&](const StageOrigin* stage) { return is_from_cache(provenance, *stage); }));
  if (hits == 0) return " <span class=\"made\">made</span>";
  if (hits == stages.size()) return " <span class=\"hit\">from cache</span>";
  return fmt::format(
      " <span class=\"hit\">{} from cache</span> <span class=\"made\">{} made</span>", hits,
      stages.size() - hits);
}

std::string entry_html(const Provenance& provenance, const StageOrigin& stage) {
  const std::string time = provenance.has_times ? ", " + format_seconds(stage.seconds) : "";
  std::string html = fmt::format(
      "<details class=\"stage\" id=\"{}\">\n<summary><b>{}</b> <span class=\"detail\">{}{}</span>{}"
      "</summary>\n<dl class=\"facts\">\n",
      stage_anchor(stage.name), html_escaped(stage.name), html_escaped(stage.type), time,
      badges_html(provenance, {&stage}));
  html += fact_html("command", fmt::format("<code>{}</code>", html_escaped(stage.command)));
  html += fact_html("type", fmt::format("{}, version {}", html_escaped(stage.type), stage.version));
  html += fact_html("key", fmt::format("<code>{}</code>", html_escaped(stage.key)));
  html += fact_html("reads", inputs_html(provenance, stage));
  html += fact_html("makes", outputs_html(stage));
  html += fact_html("parameters", parameters_html(stage));
  if (provenance.has_times) html += times_html(stage);
  return html + "</dl>\n</details>\n";
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
      count_text(family.members.size()), time, badges_html(provenance, family.members), entries);
}

std::string machine_fact(const StageOrigin& stage, const char* name) {
  if (!stage.machine.is_object()) return "";
  const auto found = stage.machine.find(name);
  return found != stage.machine.end() && found->is_string() ? found->get<std::string>() : "";
}

// "Intel Xeon Platinum 8375C" of "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz".
std::string short_cpu(const std::string& cpu) {
  constexpr std::size_t kLongest = 40;
  std::string text = cpu.substr(0, cpu.find(" @"));
  for (const std::string_view mark : {"(R)", "(TM)", "(r)", "(tm)"}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;)
      text.erase(at, mark.size());
  }
  std::vector<std::string> words = split(text, ' ');
  std::erase_if(words, [](const std::string& word) {
    return word.empty() || word == "CPU" || word == "Processor" || word.ends_with("-Core");
  });
  return fit(words.empty() ? cpu : join(words, " "), kLongest);
}

std::string short_machine(const StageOrigin& stage) {
  const std::string node = machine_fact(stage, "node");
  return node.empty() ? short_cpu(machine_fact(stage, "cpu")) : node;
}

// Whether it must be said of each stage where it ran.
bool has_several_machines(const Provenance& provenance) {
  std::set<std::string> machines;
  for (const StageOrigin& stage : provenance.stages) {
    if (!machine_fact(stage, "node").empty()) return true;
    machines.insert(short_machine(stage));
  }
  machines.erase("");
  return machines.size() > 1;
}

std::string stages_markdown(const Provenance& provenance) {
  const bool has_machines = provenance.has_times && has_several_machines(provenance);
  std::string text =
      fmt::format("| stage | type | key |{}{}\n| --- | --- | --- |{}{}\n",
                  provenance.has_times ? " time |" : "", has_machines ? " on |" : "",
                  provenance.has_times ? " ---: |" : "", has_machines ? " --- |" : "");
  for (const StageOrigin& stage : provenance.stages) {
    text +=
        fmt::format("| {} | {} | {} |", markdown_escaped(stage.name), markdown_escaped(stage.type),
                    markdown_code(stage.key.substr(0, kShortKey)));
    if (provenance.has_times) text += fmt::format(" {} |", format_seconds(stage.seconds));
    if (has_machines) text += fmt::format(" {} |", markdown_escaped(short_machine(stage)));
    text += "\n";
  }
  return text;
}

constexpr std::size_t kLongestCell = 160;  // characters of a value
constexpr std::size_t kRowsAtFirst = 15;   // the page folds the rest
constexpr std::size_t kMostItems = 4;      // items named for a shared value

// One family's rows: for each parameter, each value with its items.
class FamilyParameters {
 public:
  explicit FamilyParameters(const StageFamily& family) : family_(family) {
    for (const StageOrigin* stage : family.members) {
      for (const FlatParameter& parameter : parameters_of(*stage)) add(*stage, parameter);
    }
  }

  void append_to(Table& table) const {
    for (const auto& [name, values] : values_) {
      for (const auto& [value, stages] : values)
        table.add({stage_cell(stages), name, shortened_value(value, kLongestCell),
                   is_replicate(name) ? "seed" : ""});
    }
  }

 private:
  using Values = std::vector<std::pair<std::string, std::vector<std::string>>>;

  void add(const StageOrigin& stage, const FlatParameter& parameter) {
    Values& values = values_[parameter.name];
    auto& place = places_[{parameter.name, parameter.value}];
    if (place == 0) {
      values.push_back({parameter.value, {}});
      place = values.size();
    }
    values[place - 1].second.push_back(stage.name);
  }

  std::string stage_cell(const std::vector<std::string>& stages) const {
    const bool all = stages.size() == family_.members.size();
    if (all && stages.size() > 1)
      return fmt::format("{} ({} items)", family_.name, count_text(stages.size()));
    return enumerated(stages, kMostItems);
  }

  const StageFamily& family_;
  std::map<std::string, Values> values_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;  // from 1
};

// Pipeline parameters used in the texts of stages: a command's are in no schema.
void append_references(const Provenance& provenance, Table& table) {
  std::map<std::string, std::vector<std::string>> values;
  for (const StageOrigin& stage : provenance.stages) {
    for (const auto& [name, value] : stage.references.items()) {
      const std::string text = value.is_string() ? value.get<std::string>() : to_line(value);
      place_of(text, values[name]);
    }
  }
  for (const auto& [name, all] : values)
    table.add({"the pipeline", name, shortened_value(enumerated(all), kLongestCell),
               is_replicate(name) ? "seed" : ""});
}

std::string several(const std::set<std::string>& texts, std::size_t most) {
  return enumerated(texts_of(texts, markdown_escaped), most);
}

// Dates, times and machines of all stages.
struct Surroundings {
  std::set<std::string> versions, machines, numerics, runs;
  std::int64_t first = 0, last = 0;  // unix seconds
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t peak_memory = 0;
  const StageOrigin* longest = nullptr;
  std::size_t from_cache = 0;
  bool has_unknown_run = false;  // records of older programs lack it

  explicit Surroundings(const Provenance& provenance) {
    for (const StageOrigin& stage : provenance.stages) {
      const std::string machine = machine_text(stage.machine);
      if (!machine.empty()) machines.insert(machine);
      if (!stage.numerics.empty()) numerics.insert(stage.numerics);
      if (!stage.headway.empty()) versions.insert(stage.headway);
      if (!stage.run.empty()) runs.insert(stage.run);
      has_unknown_run = has_unknown_run || stage.run.empty();
      if (stage.finished > 0) {
        first = first == 0 ? stage.finished : std::min(first, stage.finished);
        last = std::max(last, stage.finished);
      }
      seconds += stage.seconds;
      cpu_seconds += stage.cpu_seconds;
      peak_memory = std::max(peak_memory, stage.peak_memory);
      if (!longest || stage.seconds > longest->seconds) longest = &stage;
      from_cache += is_from_cache(provenance, stage);
    }
    // A command knows only the processor, which a worker's text begins with.
    std::erase_if(numerics, [this](const std::string& text) {
      const auto longer = numerics.lower_bound(text + ";");
      return longer != numerics.end() && longer->starts_with(text + ";");
    });
  }
};

std::string when_line(const Surroundings& all, std::size_t stages) {
  const std::string first = utc_text(all.first), last = utc_text(all.last);
  std::string line = first == last ? fmt::format("Finished {}", last)
                                   : fmt::format("Finished between {} and {}", first, last);
  if (!all.runs.empty()) {
    line += fmt::format(", made in {}", counted(all.runs.size(), "run"));
    if (all.has_unknown_run) line += " and before runs were noted";
    if (all.from_cache > 0)
      line += fmt::format(": the newest made {}, {} from the cache",
                          counted(stages - all.from_cache, "stage"),
                          all.from_cache == 1 ? "1 was" : count_text(all.from_cache) + " were");
  }
  return line + ".";
}

std::string time_line(const Surroundings& all) {
  std::string line = fmt::format("The stages took {} together, {} of processor time",
                                 format_seconds(all.seconds), format_seconds(all.cpu_seconds));
  if (all.longest)
    line += fmt::format("; the longest was {} with {}", markdown_code(all.longest->name),
                        format_seconds(all.longest->seconds));
  if (all.peak_memory > 0)
    line += fmt::format("; none needed more than {} of memory", format_bytes(all.peak_memory));
  return line + ".";
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
  if (!stage)
    return {fmt::format("from {}\n", markdown_code(origin)),
            fmt::format("from <code>{}</code>\n", html_escaped(origin))};
  const std::string key = stage->key.substr(0, kShortKey);
  return {fmt::format("stage {}, key {}, {}\n", markdown_code(stage->name), markdown_code(key),
                      markdown_code(stage->command)),
          fmt::format("stage {}, key <code title=\"{}\">{}</code>, <code>{}</code>\n",
                      stage_link(stage->name), html_escaped(stage->key), html_escaped(key),
                      html_escaped(stage->command))};
}

Piece parameters_piece(const Provenance& provenance) {
  Table table({"stage", "parameter", "value", "note"});
  append_references(provenance, table);
  for (const StageFamily& family : families_of(provenance))
    FamilyParameters(family).append_to(table);
  if (table.size() == 0) return {"No stage has parameters.\n", ""};
  TableInReport options;
  options.id = "parameters-of-stages";
  options.rows = kRowsAtFirst;
  const bool has_notes = std::any_of(table.rows().begin(), table.rows().end(),
                                     [](const auto& row) { return !row.back().empty(); });
  if (!has_notes) options.columns = {"stage", "parameter", "value"};
  return table_piece(table, options);
}

Piece environment_piece(const Provenance& provenance) {
  const std::string variant =
      provenance.variant.empty() ? "" : " / " + markdown_escaped(provenance.variant);
  std::vector<std::string> lines = {
      fmt::format("Pipeline {}{}, from {}: {}.", markdown_escaped(provenance.pipeline), variant,
                  markdown_code(provenance.file), counted(provenance.stages.size(), "stage"))};
  if (provenance.has_times && !provenance.stages.empty()) {
    constexpr std::size_t kMost = 5;
    const Surroundings all(provenance);
    if (!all.versions.empty())
      lines.push_back(fmt::format("Headway {}.", several(all.versions, kMost)));
    if (!all.machines.empty())
      lines.push_back(fmt::format("{}: {}.", all.machines.size() == 1 ? "Machine" : "Machines",
                                  several(all.machines, kMost)));
    if (all.numerics.size() == 1)
      lines.push_back(fmt::format("Computed with {}.", several(all.numerics, 1)));
    if (all.numerics.size() > 1)
      lines.push_back(
          fmt::format("Computed in {} ways, which may give different last digits: {}.",
                      count_text(all.numerics.size()),
                      first_of(texts_of(all.numerics, markdown_escaped), kMost, " / ")));
    if (all.last > 0) lines.push_back(when_line(all, provenance.stages.size()));
    lines.push_back(time_line(all));
  }
  return {bullets(lines), ""};
}

}  // namespace headway
