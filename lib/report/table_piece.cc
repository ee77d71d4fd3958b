#include "lib/report/table_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/figure_piece.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

bool is_number_cell(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// The selected columns, formatted.
struct FormattedTable {
  std::vector<std::string> columns;
  std::vector<bool> is_numeric;                 // by column
  std::vector<bool> is_short;                   // by column: cells need no line breaks
  std::vector<std::vector<std::string>> rows;   // plain text
  std::vector<std::vector<std::string>> exact;  // before rounding; empty if not rounded
};

bool is_short_column(const Table& table, std::size_t column) {
  constexpr std::size_t kShort = 24;
  return std::all_of(table.rows().begin(), table.rows().end(),
                     [&](const auto& row) { return display_width(row[column]) <= kShort; });
}

bool is_numeric_column(const Table& table, std::size_t column) {
  bool has_number = false;
  for (const auto& row : table.rows()) {
    if (row[column].empty()) continue;
    if (!is_number_cell(row[column])) return false;
    has_number = true;
  }
  return has_number;
}

std::string table_share_cell(const Table& table, std::size_t row, const std::string& column) {
  const double share = table.number(row, column);
  return std::isnan(share) ? "" : percent_text(share);
}

// Four significant digits; integers in full.
std::string rounded_cell(const std::string& text) {
  constexpr int kDigits = 4;
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (!std::isfinite(value) || value == std::floor(value)) return text;
  const std::string short_text = fmt::format("{:.{}g}", value, kDigits);
  std::from_chars(short_text.data(), short_text.data() + short_text.size(), value);
  const std::string shorter = number_text(value);
  return shorter.size() < text.size() ? shorter : text;
}

FormattedTable format_columns(const Table& table, const TableInReport& options) {
  for (const std::string& name : options.percent) table.column(name);  // throws if there is none
  FormattedTable cells;
  cells.columns = options.columns.empty() ? table.columns() : options.columns;
  cells.rows.resize(table.size());
  cells.exact.resize(table.size());
  for (const std::string& name : cells.columns) {
    const std::size_t column = table.column(name);
    const bool is_percent =
        std::find(options.percent.begin(), options.percent.end(), name) != options.percent.end();
    cells.is_numeric.push_back(is_percent || is_numeric_column(table, column));
    cells.is_short.push_back(is_short_column(table, column));
    const bool rounds = cells.is_numeric.back();
    for (std::size_t row = 0; row < table.size(); ++row) {
      const std::string& cell = table.rows()[row][column];
      cells.rows[row].push_back(is_percent ? table_share_cell(table, row, name)
                                : rounds   ? rounded_cell(cell)
                                           : cell);
      cells.exact[row].push_back(rounds && cells.rows[row].back() != cell ? cell : "");
    }
  }
  return cells;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + markdown_escaped(cell) + " |";
  return line + "\n";
}

std::string table_markdown(const FormattedTable& cells) {
  std::string text = markdown_row(cells.columns) + "|";
  for (const bool is_numeric : cells.is_numeric) text += is_numeric ? " ---: |" : " --- |";
  text += "\n";
  const std::size_t count = std::min(kMostMarkdownRows, cells.rows.size());
  for (std::size_t row = 0; row < count; ++row) text += markdown_row(cells.rows[row]);
  if (count < cells.rows.size())
    text += fmt::format("\nThese are the first {}.\n", n_of_m(count, cells.rows.size(), "rows"));
  return text;
}

// Allows line breaks after underscores and dots.
std::string header_html(std::string_view name) {
  std::string html;
  for (const char c : html_escaped(name)) {
    html += c;
    if (c == '_' || c == '.') html += "<wbr>";
  }
  return html;
}

std::string table_html(const FormattedTable& cells, const std::string& attributes) {
  const auto number_class = [&](std::size_t column) {
    return cells.is_numeric[column] ? " class=\"number\"" : "";
  };
  const auto cell_class = [&](std::size_t column) {
    return cells.is_short[column] && !cells.is_numeric[column] ? " class=\"short\""
                                                               : number_class(column);
  };
  std::string html = fmt::format("<table class=\"sortable\"{}>\n<thead><tr>", attributes);
  for (std::size_t i = 0; i < cells.columns.size(); ++i) {
    html +=
        fmt::format("<th scope=\"col\"{}>{}</th>", number_class(i), header_html(cells.columns[i]));
  }
  html += "</tr></thead>\n<tbody>\n";
  const std::size_t count = std::min(kMostPageRows, cells.rows.size());
  for (std::size_t row = 0; row < count; ++row) {
    html += "<tr>";
    for (std::size_t i = 0; i < cells.columns.size(); ++i) {
      const std::string exact = html_escaped(cells.exact[row][i]);
      html +=
          fmt::format("<td{}{}>{}</td>", cell_class(i),
                      exact.empty() ? "" : fmt::format(" data-sort=\"{0}\" title=\"{0}\"", exact),
                      html_escaped(cells.rows[row][i]));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n";
}

}  // namespace

Piece table_piece(const Table& table, const TableInReport& options) {
  const FormattedTable cells = format_columns(table, options);
  const std::string name = options.id.empty() ? "table" : options.id;
  const Piece caption = caption_piece(options.caption, options.origin, name);
  const std::string label = caption_text(options.caption, name);
  const bool is_folded = options.rows > 0 && options.rows < cells.rows.size();
  std::string attributes;
  if (!label.empty()) attributes += fmt::format(" aria-label=\"{}\"", html_escaped(label));
  // The script shows the first rows in the current order.
  if (is_folded) attributes += fmt::format(" data-rows=\"{}\"", options.rows);

  Piece piece;
  piece.markdown = table_markdown(cells) + caption.markdown;
  piece.html = "<figure class=\"table\"";
  if (!options.id.empty()) piece.html += fmt::format(" id=\"{}\"", html_escaped(options.id));
  piece.html += ">\n";
  if (!caption.html.empty())
    piece.html += fmt::format("<figcaption>\n{}</figcaption>\n", caption.html);
  piece.html += fmt::format("<div class=\"scroll\">\n{}</div>\n", table_html(cells, attributes));
  if (cells.rows.size() > kMostPageRows)
    piece.html += fmt::format("<p class=\"origin\">These are the first {}.</p>\n",
                              n_of_m(kMostPageRows, cells.rows.size(), "rows"));
  piece.html += "</figure>\n";
  return piece;
}

}  // namespace headway
