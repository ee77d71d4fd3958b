#include "lib/report/directives.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/artifact_kinds.h"
#include "lib/report/escape.h"
#include "lib/report/explorer_piece.h"
#include "lib/report/figure_piece.h"
#include "lib/report/metric_values.h"
#include "lib/report/phrases.h"
#include "lib/report/provenance_pieces.h"
#include "lib/report/provenance_text.h"
#include "lib/report/table_piece.h"
#include "lib/report/template_value.h"

namespace headway {
namespace {

constexpr std::size_t kRowsUnasked = 20;  // in tables shown by {{ all }}

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

// The values of a pipeline parameter that stages use; a sweep may give it several.
std::vector<std::string> pipeline_parameter(const Provenance& provenance, const std::string& name) {
  std::vector<std::string> values;
  for (const StageOrigin& stage : provenance.stages) {
    const auto found = stage.references.find(name);
    if (found == stage.references.end()) continue;
    const std::string text = plain_text(*found);
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
  }
  return values;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::vector<Piece> Directives::block(const Directive& directive) {
  const std::string& name = directive.name;
  try {
    if (name == "figure") return figures(directive, directive.words.at(0));
    if (name == "table") return tables(directive, directive.words.at(0));
    if (name == "text") return {text(directive.words.at(0))};
    if (name == "explorer") return {explorer(directive.words.at(0))};
    if (name == "all") {
      for (const std::string& input : words_in(directive, "except")) used_.insert(input);
      return all();
    }
    throw Error(fmt::format("'{}' is no block", name));
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::string place = directive.location.text() + ": ";
    throw Error(message.starts_with(place) ? message : place + message);
  }
}

std::string Directives::inline_text(const Directive& directive) {
  try {
    if (directive.name == "cell") return markdown_escaped(cell(directive));
    if (directive.name == "parameter") return markdown_escaped(parameter(directive.words.at(0)));
    return markdown_escaped(provenance_.pipeline);
  } catch (const Error& error) {
    throw Error(directive.location.text() + ": " + error.what());
  }
}

// Heading ids contain no dots, so ids on a page cannot clash.
std::string Directives::new_id(const std::string& what, const std::string& name,
                               const std::string& item) {
  std::string id = what + ".";
  for (const char letter : item.empty() ? name : name + "-" + item) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) || letter == '-';
    id += is_plain ? letter : '-';
  }
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
    options.origin = origin(file);
    options.id = new_id("table", name, file.item);
    expect_kind(file, {".csv", ".json"}, "a table is a CSV, or metrics in JSON");
    const bool is_json = extension_of(file) == ".json";
    try {
      pieces.push_back(
          table_piece(is_json ? metrics_table(file) : parse_csv(file.bytes, file.origin), options));
    } catch (const Error& error) {
      throw std::string_view(error.what()).starts_with(file.origin) ? error
                                                                    : error.within(file.origin);
    }
  }
  return pieces;
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

Piece Directives::explorer(const std::string& name) {
  used_.insert(name);
  const SourceFile& file = sources_.file(name);
  expect_kind(file, {".safetensors"}, "the explorer takes the maps of attention-maps");
  return explorer_piece(sources_.tensors(name), token_, new_id("explorer", name, file.item),
                        origin(file));
}

// Shows all inputs not shown above. If one cannot be shown, says so in its place and continues.
std::vector<Piece> Directives::all() {
  std::vector<Piece> pieces;
  for (const std::string& name : sources_.names()) {
    if (used_.contains(name)) continue;
    for (const SourceFile& file : sources_.files(name)) {
      try {
        pieces.push_back(shown(name, file));
      } catch (const Error& error) {
        pieces.push_back(
            {fmt::format("{}, {}, cannot be shown: {}\n", markdown_code(file.origin),
                         format_bytes(file.bytes.size()), markdown_escaped(error.what())),
             ""});
      }
    }
    used_.insert(name);
  }
  return pieces;
}

Piece Directives::shown(const std::string& name, const SourceFile& file) {
  const std::string extension = extension_of(file);
  const std::string title = markdown_escaped(file.item.empty() ? name : name + ": " + file.item);
  if (extension == ".svg") return figure(file, name, title);
  if (extension == ".csv" || extension == ".json") {
    TableInReport options;
    options.rows = kRowsUnasked;
    options.caption = title;
    options.origin = origin(file);
    options.id = new_id("table", name, file.item);
    return table_piece(
        extension == ".json" ? metrics_table(file) : parse_csv(file.bytes, file.origin), options);
  }
  if (extension == ".safetensors") {
    const TensorFile tensors = parse_safetensors(file.bytes, file.origin);
    if (is_attention(tensors))
      return explorer_piece(tensors, token_, new_id("explorer", name, file.item), origin(file));
  }
  if (extension == ".md") return {markdown_of(file), ""};
  if (extension == ".txt" || extension == ".log") return {title + "\n\n" + fenced(file.bytes), ""};
  return {fmt::format("{}: {}, {}.\n", title, markdown_code(file.name),
                      format_bytes(file.bytes.size())),
          ""};
}

// {{ cell heads drop points row=2 }}
std::string Directives::cell(const Directive& directive) {
  const std::string& name = directive.words.at(0);
  expect_kind(sources_.file(name), {".csv"}, "a cell is one of a CSV");
  const Table table = sources_.table(name);
  const std::size_t row = number_in(directive, "row", 1);
  if (row < 1 || row > table.size())
    throw Error(
        fmt::format("input '{}' has {}, and no row {}", name, counted(table.size(), "row"), row));
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
      const std::string text = value ? plain_text(*value) : "";
      if (value && std::find(values.begin(), values.end(), text) == values.end())
        values.push_back(text);
      break;
    }
  }
  if (stage_found.empty()) {
    values = pipeline_parameter(provenance_, asked);
    if (values.empty())
      throw Error(
          fmt::format("'{}' is neither a parameter that the stages use nor STAGE.PARAMETER of "
                      "a stage that the report rests on",
                      asked));
  }
  if (values.empty())
    throw Error(fmt::format("stage '{}' has no parameter '{}'", stage_found,
                            asked.substr(stage_found.size() + 1)));
  return join(values, ", ");
}

}  // namespace headway
