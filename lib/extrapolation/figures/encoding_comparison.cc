#include <algorithm>
#include <optional>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/extrapolation/figures/encodings.h"
#include "lib/extrapolation/figures/kinds.h"
#include "lib/figures/heat_map.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr double kLeft = 62;  // for row numbers and names
constexpr double kTop = 76;
constexpr double kRowGap = 56;  // for the upper row's numbers and the meaning of the grams
constexpr double kBottom = 88;
constexpr double kColumnGap = kColourBarRoom + 2;
constexpr double kNumbersRoom = 28;  // for row numbers between panels

struct Column {
  std::string name;
  std::string gram_name;
  std::optional<HeatMap> vectors;
  HeatMap gram;
  std::size_t trained = 0;
};

Column read_column(const NamedTensors& file) {
  Column column;
  column.name = file.name.empty() ? encoding_of(file) : file.name;
  column.trained = trained_positions(file);
  const auto named = file.file.metadata.find("gram");
  column.gram_name = named == file.file.metadata.end() ? "" : named->second;
  column.gram = {.name = column.name + ", gram",
                 .meaning = "a row and a column for each position",
                 .cells = required_matrix(file, "gram")};
  const FloatMatrix& gram = column.gram.cells;
  if (gram.rows != gram.columns) {
    throw Error(fmt::format("{}: array 'gram' must have as many rows as columns, not [{}, {}]",
                            subject_of(file), gram.rows, gram.columns));
  }
  const std::size_t line = last_trained_line(column.trained, gram.columns);
  column.gram.line_after_column = column.gram.line_after_row = line;
  if (!has_positions(file)) return column;
  column.vectors = {.name = column.name + ", positions",
                    .meaning = kDimensionsByPosition,
                    .cells = dimensions_by_position(file),
                    .line_after_column = line};
  if (column.vectors->cells.columns != gram.columns) {
    throw Error(fmt::format("{}: 'positions' has {} positions, and 'gram' {}", subject_of(file),
                            column.vectors->cells.columns, gram.columns));
  }
  return column;
}

bool any_line(const std::vector<Column>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const Column& column) { return column.gram.line_after_column > 0; });
}

bool any_gap(const std::vector<Column>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const Column& column) {
    return has_gaps(column.gram.cells) || (column.vectors && has_gaps(column.vectors->cells));
  });
}

// The value that all columns share; nullopt if they differ.
template <class Get>
std::optional<std::size_t> common(const std::vector<Column>& columns, Get get) {
  for (const Column& column : columns) {
    if (get(column) != get(columns[0])) return std::nullopt;
  }
  return get(columns[0]);
}

std::string default_title(const std::vector<Column>& columns) {
  std::string title =
      fmt::format("{} positional encoding{}", columns.size(), columns.size() == 1 ? "" : "s");
  const auto positions = common(columns, [](const Column& c) { return c.gram.cells.columns; });
  const auto trained = common(columns, [](const Column& c) { return c.trained; });
  if (positions) title += fmt::format(" of {} positions", *positions);
  if (!trained || *trained == 0) return title;
  if (!positions) return title + fmt::format(", trained on the first {} positions", *trained);
  return title + (*trained >= *positions ? ", trained on all"
                                         : fmt::format(", trained on the first {}", *trained));
}

// If all panels have the same rows, their numbers are shown only at the left.
bool same_dimensions(const std::vector<Column>& columns) {
  std::set<std::size_t> dimensions;
  for (const Column& column : columns) {
    if (column.vectors) dimensions.insert(column.vectors->cells.rows);
  }
  return dimensions.size() <= 1;
}

bool same_positions(const std::vector<Column>& columns) {
  return common(columns, [](const Column& column) { return column.gram.cells.rows; }).has_value();
}

// Cuts the text to the width of a panel and its colour bar.
std::string fitted(const std::string& text, const Panel& panel, double font_size) {
  const double letters =
      (panel.right - panel.left + kColumnGap - 8) / (font_size * kPixelsPerLetter);
  return fit(text, static_cast<std::size_t>(std::max(1.0, letters)));
}

void head_panel(Page& page, const std::string& text, const Panel& panel, double font_size) {
  page.add("set label 2 {} at screen {:.4f}, screen {:.4f} center font ',{}'",
           literal(fitted(text, panel, font_size)), page.x((panel.left + panel.right) / 2),
           page.y(panel.top - 11), font_size);
}

void draw_no_vectors(Page& page, const Panel& panel) {
  page.place(panel);
  page.add("unset xtics; unset ytics; unset arrow; unset object; unset colorbox");
  page.add(
      "set label 3 'no position vectors' at graph 0.5, graph 0.5 center font ',11' "
      "textcolor '#666666'");
  page.add("plot [0:1] [0:1] -1");
  page.add("unset label 3");
}

void draw_upper(Page& page, const Panel& panel, const Column& column) {
  head_panel(page, column.name, panel, 12);
  if (column.vectors) {
    draw_heat_map(page, panel, *column.vectors);
  } else {
    draw_no_vectors(page, panel);
  }
}

void draw_lower(Page& page, const Panel& panel, const Column& column) {
  head_panel(page, column.gram_name, panel, 10);
  page.name_x_axis(panel, "position");
  draw_heat_map(page, panel, column.gram);
  page.add("unset label 1");
}

void name_rows(Page& page, const Panel& panel, std::string_view name) {
  page.add("set label 4 {} at screen {:.4f}, screen {:.4f} center rotate by 90", literal(name),
           page.x(16), page.y((panel.top + panel.bottom) / 2));
}

std::vector<LegendEntry> legend_of(const std::vector<Column>& columns) {
  std::vector<LegendEntry> entries;
  if (any_line(columns)) entries.push_back({kHeatMapLine, "last trained position"});
  if (any_gap(columns)) entries.push_back(gaps_entry());
  return entries;
}

}  // namespace

Figure draw_encoding_comparison(const std::vector<NamedTensors>& files,
                                const FigureOptions& options) {
  if (files.empty()) throw Error("no file: nothing to draw");
  std::vector<Column> columns;
  for (const NamedTensors& file : files) columns.push_back(read_column(file));

  const double count = static_cast<double>(columns.size());
  const double panel_size = columns.size() <= 4 ? 220 : 150;
  const bool dimensions_once = same_dimensions(columns), positions_once = same_positions(columns);
  const double gap = kColumnGap + (dimensions_once && positions_once ? 0 : kNumbersRoom);
  const double width = kLeft + count * panel_size + (count - 1) * gap + kColourBarRoom;
  Page page("encoding-comparison: position vectors above, pairs of positions below", options,
            {static_cast<int>(std::max(width, 460.0)),
             static_cast<int>(kTop + 2 * panel_size + kRowGap + kBottom)},
            default_title(columns));
  const double middle = (kTop + page.size().height - kBottom) / 2;
  const double right = page.size().width - kColourBarRoom;
  const std::vector<Panel> upper =
      side_by_side({kLeft, right, kTop, middle - kRowGap / 2}, columns.size(), gap);
  const std::vector<Panel> lower = side_by_side(
      {kLeft, right, middle + kRowGap / 2, page.size().height - kBottom}, columns.size(), gap);
  page.add("unset key; set border 15 lw 0.5");
  name_rows(page, upper[0], "dimension");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    draw_upper(page, upper[i], columns[i]);
    page.add("unset label 4");
    if (dimensions_once && columns[i].vectors) page.add("set format y ''");
  }
  page.add("set format y '%g'");
  name_rows(page, lower[0], "position");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    draw_lower(page, lower[i], columns[i]);
    page.add("unset label 4");
    if (positions_once) page.add("set format y ''");
  }
  if (const auto entries = legend_of(columns); !entries.empty()) page.legend(entries);
  return page.finish();
}

}  // namespace headway
