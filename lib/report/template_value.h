// Values of template expressions, and their text forms.
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
  double value = 0;       // never NaN, which is no value
  std::string text = {};  // as in the artifact; empty if computed
};

struct ComputedColumn;

struct TemplateTable {
  Table table;
  std::string origin;  // "ablate.table", for messages
  // Columns computed by the template; they may contain rows and tables.
  std::vector<ComputedColumn> computed = {};
  std::size_t depth = 0;  // nesting depth in the computed columns

  bool has(std::string_view column) const;
  const ComputedColumn* find_computed(std::string_view column) const;  // null if there is none
};

// Some rows of a table, in any order.
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
  std::string item = {};  // its item, if it is the only member of a list of artifacts
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
  TemplateList values;  // one for each row
};

TemplateValue number_value(double number);  // NaN and infinity give no value
TemplateValue cell_value(
    const std::string& text);  // a number if it parses as one; empty and NaN give no value
TemplateValue metric_value(
    const MetricsValue& metrics);  // a leaf as a value, a list of leaves as a list
// All rows of a computed table. Throws Error if tables are nested too deeply.
TemplateValue rows_of(TemplateTable table);
// Throws Error that names the artifact and lists its columns if the column is missing.
TemplateValue column_value(const TableRow& row, std::string_view column);

std::string_view kind_name(const TemplateValue& value);  // "a number", "a table", …

// False for no value, false, 0, and empty texts, lists and tables.
bool is_true(const TemplateValue& value);
// -1, 0 or 1: numbers first, then texts by bytes; no value is last. Throws Error for other kinds.
int compare(const TemplateValue& left, const TemplateValue& right);

// A number, text or boolean as written in a sentence; "" for no value. Not escaped. Throws Error
// for other kinds.
std::string text_of(const TemplateValue& value);

// Formats: percent, points, count, seconds, decimal, p, code; "": unchanged.
const std::vector<std::string>& value_formats();
// Escaped Markdown; a list gives "a, b and c". With a numeric format, no value gives "not
// measured"; throws Error for other kinds.
std::string printed(const TemplateValue& value, const std::string& format);

// The same for a number, not escaped.
std::string formatted(double value, const std::string& format);

}  // namespace headway
