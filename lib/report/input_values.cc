// Converts artifacts to template values.
#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/artifact_kinds.h"
#include "lib/report/evaluator.h"

namespace headway {
namespace {

// All leaves with their dotted paths; numbers with all digits.
void flatten(const Json& json, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& leaves) {
  if (json.is_structured()) {
    for (const auto& [key, value] : json.items())
      flatten(value, path.empty() ? key : path + "." + key, leaves);
    return;
  }
  std::string text = json.is_string() ? json.get<std::string>() : to_line(json);
  if (json.is_null()) text = "";
  if (json.is_boolean()) text = json.get<bool>() ? "1" : "0";
  leaves.emplace_back(path, std::move(text));
}

bool is_metrics(const SourceFile& file) {
  expect_kind(file, {".csv", ".json", ".txt"},
              "expressions read tables (CSV), metrics (JSON) and texts");
  return extension_of(file) == ".json";
}

// A table of one row.
Table row_of(const Json& metrics) {
  std::vector<std::pair<std::string, std::string>> leaves;
  flatten(metrics, "", leaves);
  std::vector<std::string> columns, cells;
  for (auto& [path, text] : leaves) {
    columns.push_back(std::move(path));
    cells.push_back(std::move(text));
  }
  Table table(std::move(columns));
  table.add(std::move(cells));
  return table;
}

// A text becomes a table of its lines, without empty ones.
Table table_or_lines(const SourceFile& file) {
  if (extension_of(file) != ".txt") return parse_csv(file.bytes, file.origin);
  Table lines({"line"});
  for (const std::string& line : split(file.bytes, '\n'))
    if (!trim(line).empty()) lines.add({std::string(trim(line))});
  return lines;
}

std::vector<SourceTable> read_items(const Sources& sources, const std::string& name) {
  std::vector<SourceTable> items;
  if (is_metrics(sources.files(name).front())) {
    for (const SourceMetrics& one : sources.all_metrics(name))
      items.push_back({one.item, row_of(one.metrics)});
    return items;
  }
  for (const SourceFile& file : sources.files(name))
    items.push_back({file.item, table_or_lines(file)});
  return items;
}

// Concatenates the rows. Missing columns are empty.
Table stacked(const std::vector<SourceTable>& items) {
  std::vector<std::string> columns = {"item"};
  for (const SourceTable& one : items) {
    for (const std::string& column : one.table.columns()) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end())
        columns.push_back(column);
    }
  }
  Table result(columns);
  for (const SourceTable& one : items) {
    std::vector<std::size_t> places;
    for (const std::string& column : one.table.columns()) places.push_back(result.column(column));
    for (const std::vector<std::string>& cells : one.table.rows()) {
      std::vector<std::string> row(columns.size());
      row[0] = one.item;
      for (std::size_t i = 0; i < cells.size(); ++i) row[places[i]] = cells[i];
      result.add(std::move(row));
    }
  }
  return result;
}

}  // namespace

TemplateValue all_rows(Table table, const std::string& origin) {
  return rows_of({std::move(table), origin});
}

TemplateValue read_input(const Sources& sources, const std::string& name) {
  const std::vector<SourceFile>& files = sources.files(name);
  if (files.empty()) return all_rows(Table({"item"}), "input '" + name + "'");
  for (const SourceFile& file : files) {
    if (is_metrics(file) != is_metrics(files.front()))
      throw Error(fmt::format("input '{}' has tables and metrics: one kind is expected", name));
  }
  const SourceFile& first = files.front();
  if (files.size() == 1 && is_metrics(first)) {
    const auto root = std::make_shared<const Json>(sources.metrics(name));
    return MetricsValue{root, root.get(), first.origin, first.item};
  }
  if (files.size() == 1 && first.item.empty()) return all_rows(table_or_lines(first), first.origin);
  return all_rows(stacked(read_items(sources, name)),
                  files.size() == 1 ? first.origin : "input '" + name + "'");
}

TemplateValue as_collection(TemplateValue value) {
  const MetricsValue* metrics = std::get_if<MetricsValue>(&value);
  if (!metrics) return value;
  return all_rows(stacked({{metrics->item, row_of(*metrics->json)}}), metrics->origin);
}

TemplateValue as_table(TemplateValue value) {
  if (const TableRow* row = std::get_if<TableRow>(&value))
    return std::make_shared<const TableRows>(TableRows{row->source, {row->index}});
  const auto* list = std::get_if<std::shared_ptr<const TemplateList>>(&value);
  if (!list) return as_collection(std::move(value));
  Table table({"it"});
  for (const TemplateValue& item : **list) {
    const TemplateNumber* number = std::get_if<TemplateNumber>(&item);
    const bool is_computed = number && number->text.empty();
    table.add({is_computed ? fmt::format("{}", number->value) : text_of(item)});
  }
  return all_rows(std::move(table), "a list");
}

TemplateValue entries_of(const MetricsValue& metrics) {
  std::vector<std::pair<std::string, std::string>> leaves;
  flatten(*metrics.json, "", leaves);
  Table table({"key", "value"});
  for (auto& [path, text] : leaves) table.add({std::move(path), std::move(text)});
  return all_rows(std::move(table), metrics.origin);
}

}  // namespace headway
