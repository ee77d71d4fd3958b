#include "lib/report/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

// Four significant digits; integers in full.
std::string rounded_cell(const std::string& text) {
  constexpr int kDigits = 4;
  const double value = parse_number(text).value_or(0);
  if (!std::isfinite(value) || value == std::floor(value)) return text;
  const std::string shorter = number_text(*parse_number(fmt::format("{:.{}g}", value, kDigits)));
  return shorter.size() < text.size() ? shorter : text;
}

// A column, formatted.
struct DisplayColumn {
  std::string name;
  bool is_numeric = false;
  bool is_short = false;                // cells need no line breaks
  std::vector<std::string> cells = {};  // plain text
  std::vector<std::string> exact = {};  // before rounding; empty if not rounded
};

DisplayColumn display_column(const Table& table, const std::string& name, bool is_percent) {
  constexpr std::size_t kShort = 24;
  const std::size_t place = table.column(name);
  const auto all_cells = [&](bool (*test)(const std::string&)) {
    return std::ranges::all_of(table.rows(), [&](const auto& row) { return test(row[place]); });
  };
  const bool is_empty = all_cells([](const std::string& cell) { return cell.empty(); });
  const bool has_numbers =
      all_cells([](const std::string& cell) { return cell.empty() || parse_number(cell); });
  DisplayColumn column{name, is_percent || (has_numbers && !is_empty)};
  column.is_short =
      all_cells([](const std::string& cell) { return display_width(cell) <= kShort; });
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& cell = table.rows()[row][place];
    const double share = is_percent ? table.number(row, name) : 0;
    column.cells.push_back(is_percent          ? (std::isnan(share) ? "" : percent_text(share))
                           : column.is_numeric ? rounded_cell(cell)
                                               : cell);
    column.exact.push_back(column.is_numeric && column.cells.back() != cell ? cell : "");
  }
  return column;
}

std::vector<DisplayColumn> display_columns(const Table& table, const TableInReport& options) {
  const std::vector<std::string>& percent = options.percent;
  for (const std::string& name : percent) table.column(name);  // throws if there is none
  std::vector<DisplayColumn> columns;
  for (const std::string& name : options.columns.empty() ? table.columns() : options.columns)
    columns.push_back(display_column(
        table, name, std::find(percent.begin(), percent.end(), name) != percent.end()));
  return columns;
}

std::string table_markdown(const std::vector<DisplayColumn>& columns, std::size_t rows,
                           std::size_t most) {
  std::string head = "|", line = "|", body;
  for (const DisplayColumn& column : columns) {
    head += " " + markdown_escaped(column.name) + " |";
    line += column.is_numeric ? " ---: |" : " --- |";
  }
  for (std::size_t row = 0; row < std::min(most, rows); ++row) {
    body += "|";
    for (const DisplayColumn& column : columns)
      body += " " + markdown_escaped(column.cells[row]) + " |";
    body += "\n";
  }
  if (most < rows) body += fmt::format("\nThese are the first {}.\n", n_of_m(most, rows, "rows"));
  return head + "\n" + line + "\n" + body;
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

std::string table_html(const std::vector<DisplayColumn>& columns, std::size_t rows,
                       const std::string& attributes) {
  std::string html = fmt::format("<table class=\"sortable\"{}>\n<thead><tr>", attributes);
  for (const DisplayColumn& column : columns)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_numeric ? " class=\"number\"" : "",
                        header_html(column.name));
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < rows; ++row) {
    html += "<tr>";
    for (const DisplayColumn& column : columns) {
      const std::string exact = html_escaped(column.exact[row]);
      html += fmt::format(
          "<td{}{}>{}</td>",
          column.is_numeric ? " class=\"number\"" : (column.is_short ? " class=\"short\"" : ""),
          exact.empty() ? "" : fmt::format(" data-sort=\"{0}\" title=\"{0}\"", exact),
          html_escaped(column.cells[row]));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n";
}

}  // namespace

Piece table_piece(const Table& table, const TableInReport& options) {
  const std::vector<DisplayColumn> columns = display_columns(table, options);
  const std::string name = options.id.empty() ? "table" : options.id;
  const Piece caption = caption_piece(options.caption, options.origin, name);
  const std::string label = caption_text(options.caption, name);
  const bool is_folded = options.rows > 0 && options.rows < table.size();
  std::string attributes;
  if (!label.empty()) attributes += fmt::format(" aria-label=\"{}\"", html_escaped(label));
  // The script shows the first rows in the current order.
  if (is_folded) attributes += fmt::format(" data-rows=\"{}\"", options.rows);

  Piece piece;
  const std::size_t page_rows = std::min(options.most_page_rows, table.size());
  piece.markdown =
      table_markdown(columns, table.size(), options.most_markdown_rows) + caption.markdown;
  piece.html = "<figure class=\"table\"";
  if (!options.id.empty()) piece.html += fmt::format(" id=\"{}\"", html_escaped(options.id));
  piece.html += ">\n";
  if (!caption.html.empty())
    piece.html += fmt::format("<figcaption>\n{}</figcaption>\n", caption.html);
  piece.html +=
      fmt::format("<div class=\"scroll\">\n{}</div>\n", table_html(columns, page_rows, attributes));
  if (table.size() > page_rows)
    piece.html += fmt::format("<p class=\"origin\">These are the first {}.</p>\n",
                              n_of_m(page_rows, table.size(), "rows"));
  piece.html += "</figure>\n";
  return piece;
}

}  // namespace headway
