// Values of template expressions, and their text forms.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/base/json.h"
#include "lib/numerics/table.h"

namespace headway {

struct TemplateTable;
struct TemplateValue;

struct TemplateNumber {
  double value = 0;       // never NaN, which is no value
  std::string text = {};  // as in the artifact; empty if computed
};

using TemplateList = std::vector<TemplateValue>;

// Some rows of a table, in any order.
struct TableRows {
  std::shared_ptr<const TemplateTable> source;
  std::vector<std::size_t> rows;
};

struct TableRow {
  std::shared_ptr<const TemplateTable> source;
  std::size_t index = 0;
};

using RowsValue = std::shared_ptr<const TableRows>;
using ListValue = std::shared_ptr<const TemplateList>;

struct MetricsFile {
  Json json;
  std::string origin;
  std::string item;  // if it is the only member of a list of artifacts
};

// An object or a list inside metrics.
struct MetricsValue {
  std::shared_ptr<const MetricsFile> file;
  const Json* json = nullptr;
};

struct TemplateValue : std::variant<std::monostate, bool, TemplateNumber, std::string, TableRow,
                                    RowsValue, MetricsValue, ListValue> {
  using variant::variant;

  bool is_nothing() const { return index() == 0; }
};

struct TemplateTable {
  std::vector<std::string> columns;
  std::vector<TemplateList> rows;  // a value for each column; it may be a row or a table
  std::string origin;              // "ablate.table", for messages
  std::set<std::string, std::less<>> computed = {};  // columns that the template has added
  std::size_t depth = 0;                             // nesting depth of rows and tables in it

  bool has(std::string_view column) const;
};

TemplateValue number_value(double number);  // NaN and infinity give no value
// A number if it parses as one; empty and NaN give no value.
TemplateValue cell_value(const std::string& text);
// A leaf as a value, a list of leaves as a list.
TemplateValue metric_value(const MetricsValue& metrics);
// All rows of the table. Throws Error if tables are nested too deeply.
TemplateValue rows_of(TemplateTable table);
// Null if there is no such column.
const TemplateValue* find_cell(const TableRow& row, std::string_view column);
// Throws Error that names the artifact and lists its columns if the column is missing.
const TemplateValue& cell_at(const TableRow& row, std::string_view column);

std::string_view kind_name(const TemplateValue& value);  // "a number", "a table", …

// NaN for no value, 1 or 0 for true or false; nullopt for other values than numbers.
std::optional<double> as_number(const TemplateValue& value);
// False for no value, false, 0, and empty texts, lists and tables.
bool is_true(const TemplateValue& value);
// -1, 0 or 1: numbers first, then texts by bytes; no value is last. Throws Error for other kinds.
int compare(const TemplateValue& left, const TemplateValue& right);

// A number, text or boolean as written in a sentence; "" for no value. Not escaped. Throws Error
// for other kinds.
std::string text_of(const TemplateValue& value);
// The same with all digits of computed numbers: equal for equal values only.
std::string exact_text(const TemplateValue& value);

// Formats: percent, points, count, seconds, decimal, p, code; "": unchanged.
const std::vector<std::string>& value_formats();
// Escaped Markdown; a list gives "a, b and c". With a numeric format, no value gives "not
// measured"; throws Error for other kinds.
std::string printed(const TemplateValue& value, const std::string& format);

// The same for a number, not escaped.
std::string formatted(double value, const std::string& format);

}  // namespace headway
