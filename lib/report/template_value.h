// Values of expressions in report templates, and how they are written for people.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/table.h"

namespace headway {

struct TemplateValue;

struct TemplateNumber {
  double value = 0;       // never NaN: that is nothing
  std::string text = {};  // as the artifact writes it; empty where it was computed
};

struct ComputedColumn;

struct TemplateTable {
  Table table;
  std::string origin;  // "ablate.table", for messages
  // Columns whose values the template computed: also rows and tables, which no CSV holds.
  std::vector<ComputedColumn> computed = {};
  std::size_t depth = 0;  // of tables and lists inside the computed columns

  bool has(std::string_view column) const;
  const ComputedColumn* find_computed(std::string_view column) const;  // null: there is none
};

// Some rows of a table, in some order.
struct TableRows {
  std::shared_ptr<const TemplateTable> source;
  std::vector<std::size_t> rows;
};

struct TableRow {
  std::shared_ptr<const TemplateTable> source;
  std::size_t index = 0;
};

// An object or a list inside metrics.
struct MetricsValue {
  std::shared_ptr<const Json> root;  // keeps `json` alive
  const Json* json = nullptr;
  std::string origin;
  std::string item = {};  // of a list of artifacts, which has this one alone
};

using TemplateList = std::vector<TemplateValue>;

struct TemplateValue : std::variant<std::monostate, bool, TemplateNumber, std::string, TableRow,
                                    std::shared_ptr<const TableRows>, MetricsValue,
                                    std::shared_ptr<const TemplateList>> {
  using variant::variant;

  bool is_nothing() const { return index() == 0; }
};

struct ComputedColumn {
  std::string name;
  TemplateList values;  // of each row
};

TemplateValue number_value(double number);  // NaN and infinity are nothing
TemplateValue cell_value(
    const std::string& text);  // a number where it reads as one; empty and NaN are nothing
TemplateValue metric_value(
    const MetricsValue& metrics);  // a leaf as a value; lists of leaves as a list
// All rows of a table that was computed. An Error where tables are nested too deeply in it.
TemplateValue rows_of(TemplateTable table);
// By name; an Error that names the artifact and lists its columns where it is missing.
TemplateValue column_value(const TableRow& row, std::string_view column);

std::string_view kind_name(const TemplateValue& value);  // "a number", "a table", …

// Nothing, false, 0, and texts, lists and tables that are empty are false.
bool is_true(const TemplateValue& value);
// -1, 0, 1: numbers by size, before texts by their bytes; nothing is last. An Error for others.
int compare(const TemplateValue& left, const TemplateValue& right);

// Of numbers, texts and booleans, as they are written in a sentence; "" for nothing, and an Error
// for the rest. Not escaped.
std::string text_of(const TemplateValue& value);

// How a value may be written: percent, points, count, seconds, decimal, p, code; "" as it is.
const std::vector<std::string>& value_formats();
// Markdown, escaped; of a list "a, b and c". An Error where the format needs a number and there is
// something else; nothing is "not measured" in those.
std::string printed(const TemplateValue& value, const std::string& format);

// The same for a number, not escaped.
std::string formatted(double value, const std::string& format);

}  // namespace headway
