#include "lib/numerics/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::size_t kMostColumnsNamed = 50;                // in messages
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // spreadsheets write it

void append_line(const std::vector<std::string>& cells, std::string& csv) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) csv += ',';
    // Quotes a single empty cell, because empty lines are skipped, and a cell that begins with a
    // byte order mark, because that would be dropped.
    const bool quoted = cells[i].find_first_of(",\"\r\n") != std::string::npos ||
                        cells[i].starts_with(kByteOrderMark) ||
                        (cells.size() == 1 && cells[i].empty());
    if (!quoted) {
      csv += cells[i];
      continue;
    }
    csv += '"';
    for (const char c : cells[i]) csv.append(c == '"' ? 2 : 1, c);
    csv += '"';
  }
  csv += '\n';
}

// Parses CSV row by row and tracks the line.
class CsvReader {
 public:
  CsvReader(std::string_view csv, const std::string& name) : left_(csv), name_(name) {
    if (left_.starts_with(kByteOrderMark)) left_.remove_prefix(kByteOrderMark.size());
  }

  // The cells of the next row; nullopt at the end.
  std::optional<std::vector<std::string>> next() {
    while (take_line_end()) {  // empty lines
    }
    if (left_.empty()) return std::nullopt;
    row_line_ = line_;
    std::vector<std::string> cells = {cell()};
    while (!left_.empty() && !take_line_end()) {
      left_.remove_prefix(1);  // the comma: nothing else ends a cell here
      cells.push_back(cell());
    }
    return cells;
  }

  int row_line() const { return row_line_; }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error("{}:{}: {}", name_, row_line_, message);
  }

 private:
  bool take_line_end() {
    const std::size_t length = left_.starts_with("\r\n") ? 2 : left_.starts_with('\n') ? 1 : 0;
    left_.remove_prefix(length);
    if (length > 0) ++line_;
    return length > 0;
  }

  bool at_cell_end() const {
    return left_.empty() || left_[0] == ',' || left_[0] == '\n' || left_.starts_with("\r\n");
  }

  std::string cell() {
    if (left_.starts_with('"')) return quoted_cell();
    std::size_t length = std::min(left_.find_first_of(",\n\""), left_.size());
    if (left_.substr(length).starts_with('"'))
      fail("a quote in the middle of a cell that does not start with one");
    if (length > 0 && left_.substr(length - 1).starts_with("\r\n")) --length;
    std::string text(left_.substr(0, length));
    left_.remove_prefix(length);
    return text;
  }

  std::string quoted_cell() {
    std::string text;
    left_.remove_prefix(1);
    for (;;) {
      const std::size_t quote = left_.find('"');
      if (quote == std::string_view::npos) fail("a quote is opened and never closed");
      const std::string_view part = left_.substr(0, quote);
      line_ += static_cast<int>(std::count(part.begin(), part.end(), '\n'));
      text += part;
      left_.remove_prefix(quote + 1);
      if (!left_.starts_with('"')) break;
      text += '"';
      left_.remove_prefix(1);
    }
    if (!at_cell_end()) fail("text after the closing quote of a cell");
    return text;
  }

  std::string_view left_;
  const std::string& name_;
  int line_ = 1;
  int row_line_ = 1;  // where the row began: quoted cells may span lines
};

}  // namespace

void Table::add(std::vector<std::string> row) {
  assert(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

bool Table::has(std::string_view name) const {
  return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
}

std::size_t Table::column(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end())
    throw Error("no column '{}'; there are {}", printable(name),
                printable(first_of(columns_, kMostColumnsNamed)));
  return static_cast<std::size_t>(found - columns_.begin());
}

const std::string& Table::text(std::size_t row, std::string_view column_name) const {
  assert(row < rows_.size());
  return rows_[row][column(column_name)];
}

double Table::number(std::size_t row, std::string_view column_name) const {
  const std::string& cell = text(row, column_name);
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (const std::optional<double> value = parse_number(cell)) return *value;
  throw Error("row {}, column '{}': '{}' is not a number", row + 1, fit(printable(column_name), 80),
              fit(printable(cell), 40));
}

std::string Table::to_csv() const {
  std::string csv;
  append_line(columns_, csv);
  for (const auto& row : rows_) append_line(row, csv);
  return csv;
}

void read_csv(std::string_view csv, const std::string& name,
              const std::function<void(int line, std::vector<std::string>&& cells)>& each) {
  CsvReader reader(csv, name);
  std::optional<std::vector<std::string>> row = reader.next();
  if (!row) throw Error("{}: empty; the first line should name the columns", name);
  const std::size_t columns = row->size();
  std::set<std::string_view> seen;
  for (const std::string& column : *row) {
    if (!seen.insert(column).second)
      reader.fail(fmt::format("two columns are called '{}'", fit(printable(column), 80)));
  }
  each(reader.row_line(), std::move(*row));
  while ((row = reader.next())) {
    if (row->size() != columns)
      reader.fail(fmt::format("a row with {}, but there are {} columns",
                              count_of(row->size(), "cell"), columns));
    each(reader.row_line(), std::move(*row));
  }
}

Table parse_csv(std::string_view csv, const std::string& name) {
  std::optional<Table> table;
  read_csv(csv, name, [&](int, std::vector<std::string>&& cells) {
    if (table)
      table->add(std::move(cells));
    else
      table.emplace(std::move(cells));
  });
  return *std::move(table);
}

std::string number_text(double value) {
  constexpr double kMostInFull = 1e15;  // integers below are exact
  if (std::isnan(value)) return "";
  if (value == 0) return "0";  // not "-0"
  if (value == std::trunc(value) && std::abs(value) < kMostInFull)
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

}  // namespace headway
