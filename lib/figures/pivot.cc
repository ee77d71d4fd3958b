#include "lib/figures/pivot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "lib/base/error.h"
#include "lib/figures/checks.h"

namespace headway {
namespace {

using Key = std::vector<std::string>;

template <class T>
std::size_t place_of(std::vector<T>& known, const T& value) {
  const auto found = std::find(known.begin(), known.end(), value);
  const auto place = static_cast<std::size_t>(found - known.begin());
  if (found == known.end()) known.push_back(value);
  return place;
}

// Column order: requested ones first, then in order of appearance.
std::vector<std::string> columns_of(const std::vector<NamedTable>& tables,
                                    const PivotOptions& options) {
  std::vector<std::string> seen;
  for (const NamedTable& table : tables) {
    for (std::size_t row = 0; row < table.table.size(); ++row) {
      place_of(seen, table.table.text(row, options.across));
    }
  }
  std::vector<std::string> columns;
  for (const std::string& value : options.first) {
    if (std::find(seen.begin(), seen.end(), value) == seen.end()) {
      throw Error(fmt::format("no table has a row with {} {}, which should stand first",
                              options.across, value));
    }
    place_of(columns, value);
  }
  for (const std::string& value : seen) place_of(columns, value);
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
  const std::vector<std::string> columns = columns_of(tables, options);
  std::vector<Key> groups;  // values of `by`
  // By (group, table): the cells of a row; nullopt: empty.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::optional<std::string>>> rows;
  for (std::size_t item = 0; item < tables.size(); ++item) {
    const NamedTable& table = tables[item];
    for (std::size_t row = 0; row < table.table.size(); ++row) {
      Key key;
      for (const std::string& column : options.by) key.push_back(table.table.text(row, column));
      auto& cells = rows[{place_of(groups, key), item}];
      cells.resize(columns.size());
      const std::string& across = table.table.text(row, options.across);
      const auto place = std::find(columns.begin(), columns.end(), across) - columns.begin();
      auto& cell = cells[static_cast<std::size_t>(place)];
      if (cell) {
        throw Error(
            fmt::format("{}: two rows have {} {}; 'by' can name a column that tells them apart",
                        subject_of(table), options.across, across));
      }
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
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) {
      text += " ";
      for (const char letter : cell) {
        if (letter == '\n' || letter == '\r') {
          text += ' ';
        } else {
          if (letter == '|' || letter == '\\' || letter == '<' || letter == '`') text += '\\';
          text += letter;
        }
      }
      text += " |";
    }
    return text + "\n";
  };
  std::string text = line(table.columns()) + "|";
  for (std::size_t column = 0; column < table.columns().size(); ++column) text += " --- |";
  text += "\n";
  for (const std::vector<std::string>& row : table.rows()) text += line(row);
  return text;
}

}  // namespace headway
