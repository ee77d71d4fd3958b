#include "lib/figures/pivot.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "lib/base/error.h"
#include "lib/base/index.h"
#include "lib/figures/checks.h"

namespace headway {
namespace {

using Key = std::vector<std::string>;

// Column order: requested ones first, then in order of appearance.
std::vector<std::string> columns_of(const std::vector<NamedTable>& tables,
                                    const PivotOptions& options) {
  const std::vector<std::string> seen = distinct_texts(tables, options.across);
  std::vector<std::string> columns;
  for (const std::string& value : options.first) {
    if (std::ranges::find(seen, value) == seen.end())
      throw Error("no table has a row with {} {}, which should stand first", options.across, value);
    place_of(value, columns);
  }
  for (const std::string& value : seen) place_of(value, columns);
  return columns;
}

std::string shown(const NamedTable& table, std::size_t row, const PivotOptions& options) {
  const std::string& text = table.table.text(row, options.value);
  if (!options.percent || text.empty()) return text;
  return fmt::format("{:.1f}", 100 * required_number(table, row, options.value));
}

}  // namespace

Table pivot(const std::vector<NamedTable>& tables, const PivotOptions& options) {
  std::vector<std::string> needed = options.by;
  needed.insert(needed.end(), {options.value, options.across});
  require_columns(tables, needed);
  std::vector<std::string> columns = columns_of(tables, options);
  std::vector<Key> groups;  // values of `by`
  // By (group, table): the cells of a row; nullopt: empty.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::optional<std::string>>> rows;
  for (std::size_t item = 0; item < tables.size(); ++item) {
    const NamedTable& table = tables[item];
    for (std::size_t row = 0; row < table.table.size(); ++row) {
      Key key;
      for (const std::string& column : options.by) key.push_back(table.table.text(row, column));
      auto& cells = rows[{place_of(key, groups), item}];
      cells.resize(columns.size());
      const std::string& across = table.table.text(row, options.across);
      auto& cell = cells[place_of(across, columns)];
      if (cell)
        throw Error("{}: two rows have {} {}; 'by' can name a column that tells them apart",
                    subject_of(table), options.across, across);
      cell = shown(table, row, options);
    }
  }
  std::vector<std::string> header = options.by;
  header.emplace_back("item");
  header.insert(header.end(), columns.begin(), columns.end());
  Table result(header);
  for (const auto& [place, cells] : rows) {
    std::vector<std::string> row = groups[place.first];
    row.push_back(tables[place.second].name);
    for (const std::optional<std::string>& cell : cells) row.push_back(cell.value_or(""));
    result.add(std::move(row));
  }
  return result;
}

std::string to_markdown(const Table& table) {
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    text += "|";
    for (const std::string& cell : cells) {
      text += " ";
      for (const char letter : cell) {
        if (std::string_view("|\\<`").find(letter) != std::string_view::npos) text += '\\';
        text += letter == '\n' || letter == '\r' ? ' ' : letter;
      }
      text += " |";
    }
    text += "\n";
  };
  add_line(table.columns());
  add_line(std::vector<std::string>(table.columns().size(), "---"));
  std::ranges::for_each(table.rows(), add_line);
  return text;
}

}  // namespace headway
