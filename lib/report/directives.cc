#include "lib/report/directives.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "lib/base/error.h"
#include "lib/base/index.h"
#include "lib/base/text.h"
#include "lib/numerics/attention_maps.h"
#include "lib/report/escape.h"
#include "lib/report/markdown_html.h"
#include "lib/report/phrases.h"
#include "lib/report/pieces.h"
#include "lib/report/provenance_pieces.h"
#include "lib/report/sources.h"
#include "lib/report/template_value.h"

namespace headway {
namespace {

// Of what {{ all }} shows:
constexpr std::size_t kRowsUnasked = 20;       // of a table before the fold, and in Markdown
constexpr std::size_t kMostRowsUnasked = 200;  // of a table on the page
constexpr std::size_t kTextUnasked = 4'000;    // bytes, and
constexpr std::size_t kLinesUnasked = 40;      // lines of a text
constexpr std::size_t kMostColumns = 8;        // of the table of a matrix's metrics
constexpr std::size_t kMostTextBytes = 100'000;

std::vector<std::string> words_in(const Directive& directive, const std::string& option) {
  const auto found = directive.options.find(option);
  return found == directive.options.end() ? std::vector<std::string>{} : split(found->second, ',');
}

std::size_t number_in(const Directive& directive, const std::string& option,
                      std::size_t otherwise) {
  const auto found = directive.options.find(option);
  return found == directive.options.end() ? otherwise
                                          : static_cast<std::size_t>(std::stoul(found->second));
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// The text as a code block with a long enough fence. Long texts are cut, with a note.
std::string fenced(const std::string& text, std::size_t most = kMostTextBytes) {
  const std::string_view start = first_bytes(text, most);
  const std::string fence(std::max<std::size_t>(3, longest_run(start, '`') + 1), '`');
  std::string code = fmt::format("{}text\n{}{}{}\n", fence, start,
                                 start.ends_with('\n') || start.empty() ? "" : "\n", fence);
  if (start.size() < text.size())
    code += fmt::format("\nThese are the first {} of {}.\n", format_bytes(start.size()),
                        format_bytes(text.size()));
  return code;
}

// How many bytes of a text {{ all }} shows.
std::size_t bytes_unasked(const std::string& text) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < kLinesUnasked && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return std::min(end, kTextUnasked);
}

// The stage that the artifact is from, without its matrix item: "walk" of "walk@fair.table". The
// path itself, if it is not from a stage.
std::string stage_of(const SourceFile& file) {
  const bool is_path = file.origin.find('/') != std::string::npos;
  return is_path ? file.origin : file.origin.substr(0, file.origin.find_first_of("@."));
}

// Numbers say most, then pictures.
int rank_of(const SourceFile& file) {
  const std::string extension = extension_of(file);
  return extension == ".json" ? 0 : extension == ".svg" ? 1 : extension == ".csv" ? 2 : 3;
}

// A Markdown artifact as part of a report's Markdown. If it does not render, or its last code block
// is open, it becomes a code block.
std::string markdown_of(const SourceFile& file) {
  std::size_t fences = 0;
  for (const std::string& line : split(file.bytes, '\n'))
    fences += trim(line).starts_with("```") || trim(line).starts_with("~~~");
  try {
    render_markdown(file.bytes, file.origin);
  } catch (const Error&) {
    return fenced(file.bytes);
  }
  return fences % 2 == 0 ? file.bytes + "\n" : fenced(file.bytes);
}

}  // namespace

std::vector<Piece> Directives::block(const Directive& directive) {
  const std::string& name = directive.name;
  if (name == "figure") return figures(directive, directive.words.at(0));
  if (name == "table") return tables(directive, directive.words.at(0));
  if (name == "text") return {text(directive.words.at(0))};
  if (name == "explorer") {
    used_.insert(directive.words.at(0));
    return {explorer(sources_.file(directive.words[0]), directive.words[0])};
  }
  for (const std::string& input : words_in(directive, "except")) used_.insert(input);
  return all(number_in(directive, "headings", 0));
}

std::string Directives::inline_text(const Directive& directive) {
  if (directive.name == "cell") return markdown_escaped(cell(directive));
  if (directive.name == "parameter") return markdown_escaped(parameter(directive.words.at(0)));
  return markdown_escaped(provenance_.pipeline);
}

// Heading ids contain no dots, so ids on a page cannot clash.
std::string Directives::new_id(const std::string& what, const std::string& name,
                               const std::string& item) {
  std::string id = what + ".";
  for (const char letter : item.empty() ? name : name + "-" + item)
    id += is_letter_or_digit(letter) ? letter : '-';
  const std::string base = id;
  for (int number = 2; !ids_.insert(id).second; ++number) id = fmt::format("{}-{}", base, number);
  return id;
}

Piece Directives::origin(const SourceFile& file) const {
  return origin_line(provenance_, file.origin);
}

std::vector<Piece> Directives::figures(const Directive& directive, const std::string& name) {
  used_.insert(name);
  std::vector<Piece> pieces;
  const std::vector<SourceFile>& files = sources_.files(name);
  for (const SourceFile& file : files) {
    std::string caption = directive.caption;
    if (files.size() > 1 && !file.item.empty()) {
      // If items are numbers, shows "2 of 5" instead.
      const std::string which = is_number(file.item)
                                    ? fmt::format("{} of {}", pieces.size() + 1, files.size())
                                    : markdown_escaped(file.item);
      caption += fmt::format("{}({})", caption.empty() ? "" : " ", which);
    }
    pieces.push_back(figure(file, name, caption));
  }
  return pieces;
}

Piece Directives::figure(const SourceFile& file, const std::string& name,
                         const std::string& caption) {
  expect_kind(file, {".svg"}, "a figure is an SVG");
  FigureInReport figure;
  figure.id = new_id("figure", name, file.item);
  figure.file = "figures/" + figure.id.substr(figure.id.find('.') + 1) + ".svg";
  figure.svg = file.bytes;
  figure.caption =
      caption.empty() ? markdown_escaped(file.item.empty() ? name : file.item) : caption;
  figure.origin = origin(file);
  figure.name = file.origin;
  pictures_.emplace_back(figure.file, file.bytes);
  return figure_piece(figure);
}

std::vector<Piece> Directives::tables(const Directive& directive, const std::string& name) {
  used_.insert(name);
  std::vector<Piece> pieces;
  const std::vector<SourceFile>& files = sources_.files(name);
  for (const SourceFile& file : files) {
    TableInReport options;
    options.columns = words_in(directive, "columns");
    options.percent = words_in(directive, "percent");
    options.rows = number_in(directive, "rows", 0);
    options.caption = directive.caption;
    if (files.size() > 1 && !file.item.empty())
      options.caption += (options.caption.empty() ? "" : " ") + markdown_escaped(file.item);
    pieces.push_back(table(file, name, std::move(options)));
  }
  return pieces;
}

Piece Directives::table(const SourceFile& file, const std::string& name, TableInReport options) {
  expect_kind(file, {".csv", ".json"}, "a table is a CSV, or metrics in JSON");
  options.origin = origin(file);
  options.id = new_id("table", name, file.item);
  const Table table = extension_of(file) == ".json" ? metrics_table(file) : table_of(file);
  try {
    return table_piece(table, options);
  } catch (const Error& error) {
    throw error.within(file.origin);
  }
}

Piece Directives::text(const std::string& name) {
  used_.insert(name);
  std::string markdown;
  for (const SourceFile& file : sources_.files(name)) {
    const bool is_markdown = extension_of(file) == ".md";
    if (is_markdown) {
      markdown += markdown_of(file) + "\n";
    } else if (file.bytes.empty()) {
      markdown += markdown_code(file.origin) + " is empty.\n\n";
    } else {
      markdown += fenced(file.bytes) + "\n";
    }
  }
  return {markdown, ""};
}

Piece Directives::explorer(const SourceFile& file, const std::string& name) {
  expect_kind(file, {".safetensors"}, "the explorer takes attention maps");
  return explorer_piece(tensors_of(file), new_id("explorer", name, file.item), origin(file));
}

// Shows all inputs not shown above: one after the other, or with a heading for each stage.
std::vector<Piece> Directives::all(std::size_t heading_level) {
  std::vector<std::string> names = sources_.names();
  std::erase_if(names, [&](const std::string& name) { return used_.contains(name); });
  used_.insert(names.begin(), names.end());
  return heading_level == 0 ? unshown(names) : by_stage(names, heading_level);
}

std::vector<Piece> Directives::unshown(const std::vector<std::string>& names) {
  std::vector<Piece> pieces;
  for (const std::string& name : names) {
    for (const SourceFile& file : sources_.files(name))
      pieces.push_back(piece_or_problem(name, file));
  }
  return pieces;
}

std::vector<Piece> Directives::by_stage(const std::vector<std::string>& names,
                                        std::size_t heading_level) {
  std::vector<std::pair<std::string, std::vector<std::string>>> stages;
  for (const std::string& name : names) {
    if (sources_.files(name).empty()) continue;
    const std::string stage = stage_of(sources_.files(name).front());
    auto found = std::ranges::find(stages, stage, &decltype(stages)::value_type::first);
    if (found == stages.end()) found = stages.insert(found, {stage, {}});
    found->second.push_back(name);
  }
  std::vector<Piece> pieces;
  for (auto& [stage, of_stage] : stages) {
    pieces.push_back(
        {fmt::format("{} {}\n", std::string(heading_level, '#'), markdown_escaped(stage)), ""});
    std::ranges::stable_sort(of_stage, {}, [&](const std::string& name) {
      return rank_of(sources_.files(name).front());
    });
    for (const std::string& name : of_stage) {
      if (std::optional<Piece> metrics = metrics_of_items(name))
        pieces.push_back(std::move(*metrics));
      else
        std::ranges::move(unshown({name}), std::back_inserter(pieces));
    }
  }
  return pieces;
}

// The metrics of several items as one table; nothing if it would be too wide, or if these are no
// metrics.
std::optional<Piece> Directives::metrics_of_items(const std::string& name) {
  const std::vector<SourceFile>& files = sources_.files(name);
  if (files.size() < 2) return std::nullopt;
  std::vector<std::string> metrics;
  std::vector<std::map<std::string, std::string>> values;
  try {
    for (const SourceFile& file : files) {
      expect_kind(file, {".json"}, "metrics are JSON");
      const Table table = metrics_table(file);
      for (std::size_t row = 0; row < table.size(); ++row)
        place_of(table.text(row, "metric"), metrics);
      auto& of_file = values.emplace_back();
      for (const auto& row : table.rows()) of_file[row.at(0)] = row.at(1);
    }
  } catch (const Error&) {  // each is shown with its problem
    return std::nullopt;
  }
  if (metrics.size() > kMostColumns || std::ranges::count(metrics, "item")) return std::nullopt;
  std::vector<std::string> columns = metrics;
  columns.insert(columns.begin(), "item");
  Table table(columns);
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::vector<std::string> row{files[i].item};
    for (const std::string& metric : metrics) row.push_back(values[i][metric]);
    table.add(std::move(row));
  }
  TableInReport options;
  options.rows = options.most_markdown_rows = kRowsUnasked;
  options.caption = markdown_escaped(name);
  options.id = new_id("table", name, "");
  return table_piece(table, options);
}

// If it cannot be shown, a sentence that says so.
Piece Directives::piece_or_problem(const std::string& name, const SourceFile& file) {
  try {
    return piece_for(name, file);
  } catch (const Error& error) {
    return {fmt::format("{}, {}, cannot be shown: {}\n", markdown_code(file.origin),
                        format_bytes(file.bytes.size()), markdown_escaped(error.what())),
            ""};
  }
}

Piece Directives::piece_for(const std::string& name, const SourceFile& file) {
  const std::string extension = extension_of(file);
  const std::string title = markdown_escaped(file.item.empty() ? name : name + ": " + file.item);
  if (extension == ".svg") return figure(file, name, title);
  if (extension == ".csv" || extension == ".json") {
    TableInReport options;
    options.rows = options.most_markdown_rows = kRowsUnasked;
    options.most_page_rows = kMostRowsUnasked;
    options.caption = title;
    return table(file, name, std::move(options));
  }
  if (extension == ".safetensors" && AttentionMaps::are_in(tensors_of(file)))
    return explorer(file, name);
  if (extension == ".md") return {markdown_of(file), ""};
  if (extension == ".txt" || extension == ".log")
    return {title + "\n\n" + fenced(file.bytes, bytes_unasked(file.bytes)), ""};
  return {fmt::format("{}: {}, {}.\n", title, markdown_code(file.name),
                      format_bytes(file.bytes.size())),
          ""};
}

// {{ cell heads drop points row=2 }}
std::string Directives::cell(const Directive& directive) {
  const std::string& name = directive.words.at(0);
  expect_kind(sources_.file(name), {".csv"}, "a cell is one of a CSV");
  const Table table = table_of(sources_.file(name));
  const std::size_t row = number_in(directive, "row", 1);
  if (row < 1 || row > table.size())
    throw Error("input '{}' has {}, and no row {}", name, counted(table.size(), "row"), row);
  const std::string& text = table.text(row - 1, directive.words.at(1));
  const std::string format = directive.words.size() > 2 ? directive.words[2] : "";
  return format.empty() ? text : formatted(table.number(row - 1, directive.words[1]), format);
}

std::string Directives::parameter(const std::string& asked) const {
  std::vector<std::string> values;
  std::string stage_found;
  for (const StageOrigin& stage : provenance_.stages) {
    for (const std::string& name : {stage.name, stage.family}) {
      if (!asked.starts_with(name + ".")) continue;
      stage_found = name;
      const Json* value = find_metric(stage.params, asked.substr(name.size() + 1));
      if (value) place_of(plain_text(*value), values);
      break;
    }
  }
  if (!values.empty()) return join(values, ", ");
  if (!stage_found.empty())
    throw Error("stage '{}' has no parameter '{}'", stage_found,
                asked.substr(stage_found.size() + 1));
  // A parameter of the pipeline, to which a sweep may give several values.
  std::vector<std::string> used;
  for (const StageOrigin& stage : provenance_.stages) {
    const auto found = stage.references.find(asked);
    if (found != stage.references.end()) place_of(plain_text(*found), values);
    for (const auto& [name, value] : stage.references.items()) place_of(name, used);
  }
  if (values.empty())
    throw Error(
        "'{}' is neither a parameter that the stages use nor STAGE.PARAMETER of "
        "a stage that the report rests on{}",
        asked, did_you_mean(asked, used));
  return join(values, ", ");
}

}  // namespace headway
