#include "lib/report/template_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/provenance.h"

namespace headway {
namespace {

constexpr std::size_t kLongestSpoken = 1000;        // display columns of a value in a sentence
constexpr std::size_t kDeepestTables = 50;          // destruction is recursive
constexpr double kLargestWhole = 9007199254740992;  // larger doubles cannot represent all integers

std::string computed_text(double value) {
  if (value != std::floor(value) || std::fabs(value) >= kLargestWhole) return decimal_text(value);
  return (value < 0 ? "-" : "") + count_text(static_cast<std::size_t>(std::fabs(value)));
}

// The nesting depth of tables and lists; 0 for other values. `known` has the depths of lists, each
// of which may be in many others.
std::size_t depth_of(const TemplateValue& value,
                     std::map<const TemplateList*, std::size_t>& known) {
  if (const TableRow* row = std::get_if<TableRow>(&value)) return 1 + row->source->depth;
  if (const RowsValue* rows = std::get_if<RowsValue>(&value)) return 1 + (*rows)->source->depth;
  const ListValue* list = std::get_if<ListValue>(&value);
  if (!list) return 0;
  if (const auto found = known.find(list->get()); found != known.end()) return found->second;
  std::size_t deepest = 0;
  for (const TemplateValue& item : **list) deepest = std::max(deepest, depth_of(item, known));
  return known[list->get()] = 1 + deepest;
}

}  // namespace

TemplateValue number_value(double number) {
  return std::isfinite(number) ? TemplateValue(TemplateNumber{number}) : TemplateValue();
}

TemplateValue cell_value(const std::string& text) {
  if (text.empty()) return {};
  const std::optional<double> number = parse_number(text);
  if (number && std::isnan(*number)) return {};
  const bool is_number = number && std::isfinite(*number);
  return is_number ? TemplateValue(TemplateNumber{*number, text}) : TemplateValue(text);
}

TemplateValue metric_value(const MetricsValue& metrics) {
  const Json& json = *metrics.json;
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number()) return TemplateNumber{json.get<double>(), to_line(json)};
  if (json.is_string()) return json.get<std::string>();
  const bool is_list =
      json.is_array() &&
      std::none_of(json.begin(), json.end(), [](const Json& one) { return one.is_structured(); });
  if (!is_list) return metrics;
  auto list = std::make_shared<TemplateList>();
  for (const Json& one : json) list->push_back(metric_value({metrics.file, &one}));
  return ListValue(std::move(list));
}

bool TemplateTable::has(std::string_view column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

TemplateValue rows_of(TemplateTable table) {
  std::map<const TemplateList*, std::size_t> known;
  for (const TemplateList& row : table.rows) {
    for (const TemplateValue& value : row)
      table.depth = std::max(table.depth, depth_of(value, known));
  }
  if (table.depth > kDeepestTables) throw Error("tables are nested too deeply");
  auto all = std::make_shared<TableRows>();
  all->rows.resize(table.rows.size());
  std::iota(all->rows.begin(), all->rows.end(), 0);
  all->source = std::make_shared<const TemplateTable>(std::move(table));
  return RowsValue(std::move(all));
}

const TemplateValue* find_cell(const TableRow& row, std::string_view column) {
  const std::vector<std::string>& columns = row.source->columns;
  const auto found = std::find(columns.begin(), columns.end(), column);
  const auto place = static_cast<std::size_t>(found - columns.begin());
  return found == columns.end() ? nullptr : &row.source->rows[row.index][place];
}

const TemplateValue& cell_at(const TableRow& row, std::string_view column) {
  if (const TemplateValue* cell = find_cell(row, column)) return *cell;
  const std::vector<std::string>& columns = row.source->columns;
  throw Error("{} has no column '{}'; it has {}{}", row.source->origin, printable(column),
              first_of(columns), did_you_mean(column, columns));
}

std::string_view kind_name(const TemplateValue& value) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "nothing", "true or false", "a number", "a text", "a row", "a table", "metrics", "a list"};
  return kNames.at(value.index());
}

std::optional<double> as_number(const TemplateValue& value) {
  if (value.is_nothing()) return std::numeric_limits<double>::quiet_NaN();
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? 1 : 0;
  const TemplateNumber* number = std::get_if<TemplateNumber>(&value);
  return number ? std::optional(number->value) : std::nullopt;
}

bool is_true(const TemplateValue& value) {
  if (value.is_nothing()) return false;
  if (const std::optional<double> number = as_number(value)) return *number != 0;
  if (const std::string* text = std::get_if<std::string>(&value)) return !text->empty();
  if (const RowsValue* table = std::get_if<RowsValue>(&value)) return !(*table)->rows.empty();
  const ListValue* list = std::get_if<ListValue>(&value);
  return !list || !(*list)->empty();
}

int compare(const TemplateValue& left, const TemplateValue& right) {
  if (left.is_nothing() || right.is_nothing())
    return static_cast<int>(left.is_nothing()) - static_cast<int>(right.is_nothing());
  const auto number_in = [](const TemplateValue& value) -> const double* {
    const TemplateNumber* number = std::get_if<TemplateNumber>(&value);
    return number ? &number->value : nullptr;
  };
  const double *a = number_in(left), *b = number_in(right);
  if (a && b) return *a < *b ? -1 : *a > *b ? 1 : 0;
  const std::string first = text_of(left), second = text_of(right);
  const int order = first.compare(second);
  if (order == 0) return 0;
  if (a || b) return a ? -1 : 1;
  return order < 0 ? -1 : 1;
}

std::string text_of(const TemplateValue& value) {
  if (value.is_nothing()) return "";
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  if (const TemplateNumber* number = std::get_if<TemplateNumber>(&value))
    return number->text.empty() ? computed_text(number->value) : number->text;
  throw Error("a number or a text is expected, not {}", kind_name(value));
}

std::string exact_text(const TemplateValue& value) {
  const TemplateNumber* number = std::get_if<TemplateNumber>(&value);
  return number && number->text.empty() ? fmt::format("{}", number->value) : text_of(value);
}

const std::vector<std::string>& value_formats() {
  static const std::vector<std::string> kFormats = {"percent", "points", "count", "seconds",
                                                    "decimal", "p",      "code"};
  return kFormats;
}

std::string printed(const TemplateValue& value, const std::string& format) {
  if (const ListValue* list = std::get_if<ListValue>(&value))
    return enumerated(
        texts_of(**list, [&](const TemplateValue& item) { return printed(item, format); }));
  if (format == "code" && value.is_nothing()) return "";
  if (format.empty() || format == "code") {
    const std::string text = shortened_value(text_of(value), kLongestSpoken);
    return format.empty() ? markdown_escaped(text) : markdown_code(text);
  }
  const std::optional<double> number = as_number(value);
  if (const std::string* text = std::get_if<std::string>(&value))
    throw Error("'{}' is no number", printable(fit(*text, 60)));
  if (!number) throw Error("a number is expected, not {}", kind_name(value));
  return markdown_escaped(formatted(*number, format));
}

std::string formatted(double value, const std::string& format) {
  if (format == "p") return p_text(value);
  if (!std::isfinite(value)) return "not measured";
  if (format == "percent") return percent_text(value);
  if (format == "points") return points_text(value);
  if (format == "seconds") return format_seconds(value);
  if (format == "decimal") return decimal_text(value);
  if (format != "count") return number_text(value);
  if (!(value >= 0 && value < kLargestWhole && value == std::floor(value)))
    throw Error("{} is no count", number_text(value));
  return count_text(static_cast<std::size_t>(value));
}

}  // namespace headway
