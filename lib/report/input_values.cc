// Converts artifacts to template values.

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/evaluator.h"
#include "lib/report/sources.h"

namespace headway {
namespace {

bool is_metrics(const SourceFile& file) {
  expect_kind(file, {".csv", ".json", ".txt"},
              "expressions read tables (CSV), metrics (JSON) and texts");
  return extension_of(file) == ".json";
}

// A table of one row: a column for each leaf, by its path. Numbers keep all digits.
TemplateTable row_of(const Json& metrics, const std::string& origin) {
  TemplateTable table{{}, {{}}, origin};
  for (const auto& [path, leaf] : leaves_of(metrics)) {
    if (leaf->is_structured()) continue;  // empty
    std::string text = leaf->is_string() ? leaf->get<std::string>() : to_line(*leaf);
    if (leaf->is_null()) text = "";
    if (leaf->is_boolean()) text = leaf->get<bool>() ? "1" : "0";
    table.columns.push_back(path);
    table.rows[0].push_back(cell_value(text));
  }
  return table;
}

// A text becomes a table of its lines, without empty ones.
TemplateTable table_or_lines(const SourceFile& file) {
  TemplateTable result{{"line"}, {}, file.origin};
  if (extension_of(file) == ".txt") {
    for (const std::string& line : split(file.bytes, '\n'))
      if (!trim(line).empty()) result.rows.push_back({cell_value(std::string(trim(line)))});
    return result;
  }
  const Table table = table_of(file);
  result.columns = table.columns();
  for (const std::vector<std::string>& cells : table.rows()) {
    TemplateList& row = result.rows.emplace_back();
    for (const std::string& cell : cells) row.push_back(cell_value(cell));
  }
  return result;
}

// Appends the rows of an item. Rows above may get too short for the columns.
void stack(TemplateTable& all, const std::string& item, TemplateTable table) {
  std::vector<std::size_t> places;
  for (const std::string& column : table.columns) {
    const auto found = std::find(all.columns.begin(), all.columns.end(), column);
    places.push_back(static_cast<std::size_t>(found - all.columns.begin()));
    if (found == all.columns.end()) all.columns.push_back(column);
  }
  for (TemplateList& cells : table.rows) {
    TemplateList& row = all.rows.emplace_back(all.columns.size());
    row[0] = cell_value(item);
    for (std::size_t i = 0; i < cells.size(); ++i) row[places[i]] = std::move(cells[i]);
  }
}

}  // namespace

TemplateValue read_input(const Sources& sources, const std::string& name) {
  const std::vector<SourceFile>& files = sources.files(name);
  if (files.size() == 1) {
    const SourceFile& file = files.front();
    if (is_metrics(file)) {
      const auto read = std::make_shared<const MetricsFile>(
          MetricsFile{metrics_of(file), file.origin, file.item});
      return MetricsValue{read, &read->json};
    }
    if (file.item.empty()) return rows_of(table_or_lines(file));
  }
  TemplateTable all{{"item"}, {}, files.size() == 1 ? files[0].origin : "input '" + name + "'"};
  for (const SourceFile& file : files) {
    if (is_metrics(file) != is_metrics(files.front()))
      throw Error("input '{}' has tables and metrics: one kind is expected", name);
    stack(all, file.item,
          is_metrics(file) ? row_of(metrics_of(file), file.origin) : table_or_lines(file));
  }
  for (TemplateList& row : all.rows) row.resize(all.columns.size());
  return rows_of(std::move(all));
}

TemplateValue as_collection(TemplateValue value) {
  const MetricsValue* metrics = std::get_if<MetricsValue>(&value);
  if (!metrics) return value;
  TemplateTable table{{"item"}, {}, metrics->file->origin};
  stack(table, metrics->file->item, row_of(*metrics->json, table.origin));
  return rows_of(std::move(table));
}

TemplateValue as_table(TemplateValue value) {
  if (const TableRow* row = std::get_if<TableRow>(&value))
    return std::make_shared<const TableRows>(TableRows{row->source, {row->index}});
  const ListValue* list = std::get_if<ListValue>(&value);
  if (!list) return as_collection(std::move(value));
  TemplateTable table{{"it"}, {}, "a list"};
  for (const TemplateValue& item : **list) {
    const std::string* text = std::get_if<std::string>(&item);
    table.rows.push_back({text ? cell_value(*text) : item});
  }
  return rows_of(std::move(table));
}

}  // namespace headway
