// Figures of positional encodings: the vectors of one, and several side by side.
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/extrapolation/figures/kinds.h"
#include "lib/figures/heat_map.h"
#include "lib/figures/page.h"

namespace headway {
namespace {

constexpr double kLeft = 62;  // for row numbers and names
constexpr double kTop = 76;
constexpr double kRowGap = 56;  // for the upper row's numbers and the meaning of the grams
constexpr double kBottom = 88;
constexpr double kColumnGap = kColourBarRoom + 2;
constexpr double kNumbersRoom = 28;  // for row numbers between panels

// Metadata of the file; "" if it is missing.
std::string metadata_of(const NamedTensors& file, std::string_view name) {
  const auto found = file.file.metadata.find(name);
  return found == file.file.metadata.end() ? "" : found->second;
}

std::string encoding_of(const NamedTensors& file) {
  const std::string encoding = metadata_of(file, "encoding");
  return encoding.empty() ? file.name : encoding;
}

// The number of trained positions; 0 if unknown.
std::size_t trained_positions(const NamedTensors& file) {
  const std::string text = metadata_of(file, "trained");
  std::size_t trained = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), trained);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (is_whole || !file.file.metadata.contains("trained")) return trained;
  throw Error("{}: metadata 'trained' must be how many positions were trained, not '{}'",
              subject_of(file), printable(text));
}

// Encodings that change attention have no vectors.
bool has_positions(const NamedTensors& file) {
  return file.file.arrays.contains("positions");
}

// The vectors of all positions, with a line after the trained ones unless all or none are.
HeatMap vectors_of(const NamedTensors& file, const std::string& name, std::size_t trained) {
  HeatMap map{.name = name,
              .meaning = "a row for each dimension, a column for each position",
              .cells = required_matrix(file, "positions").transposed()};
  if (trained < map.cells.columns) map.line_after_column = trained;
  return map;
}

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
  column.gram_name = metadata_of(file, "gram");
  column.gram = {.name = column.name + ", gram",
                 .meaning = "a row and a column for each position",
                 .cells = required_matrix(file, "gram")};
  const FloatMatrix& gram = column.gram.cells;
  if (gram.rows != gram.columns)
    throw Error("{}: array 'gram' must have as many rows as columns, not [{}, {}]",
                subject_of(file), gram.rows, gram.columns);
  if (column.trained < gram.columns)
    column.gram.line_after_column = column.gram.line_after_row = column.trained;
  if (!has_positions(file)) return column;
  column.vectors = vectors_of(file, column.name + ", positions", column.trained);
  const std::size_t positions = column.vectors->cells.columns;
  if (positions == gram.columns) return column;
  throw Error("{}: 'positions' has {} positions, and 'gram' {}", subject_of(file), positions,
              gram.columns);
}

std::size_t position_count(const Column& column) {
  return column.gram.cells.columns;
}

// The value that all columns share; nullopt if they differ.
template <class Get>
std::optional<std::size_t> common(const std::vector<Column>& columns, Get get) {
  for (const Column& column : columns) {
    if (get(column) != get(columns[0])) return std::nullopt;
  }
  return get(columns[0]);
}

std::string comparison_title(const std::vector<Column>& columns) {
  std::string title =
      fmt::format("{} positional encoding{}", columns.size(), columns.size() == 1 ? "" : "s");
  const auto positions = common(columns, position_count);
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

// A name above a panel, cut to the width of the panel and its colour bar.
void head_panel(Page& page, const std::string& text, const Panel& panel, double font_size) {
  page.add("set label 2 {} at screen {:.4f}, screen {:.4f} center font ',{}'",
           literal(fit_pixels(text, panel.width() + kColumnGap - 8, font_size)),
           page.x(panel.middle_x()), page.y(panel.top - 11), font_size);
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

std::vector<LegendEntry> legend_of(const std::vector<Column>& columns) {
  bool any_line = false, any_gap = false;
  for (const Column& column : columns) {
    any_line |= column.gram.line_after_column > 0;
    any_gap |= has_gaps(column.gram.cells) || (column.vectors && has_gaps(column.vectors->cells));
  }
  std::vector<LegendEntry> entries;
  if (any_line) entries.push_back({kHeatMapLine, "last trained position"});
  if (any_gap) entries.push_back(gaps_entry());
  return entries;
}

void check_has_positions(const NamedTensors& file) {
  if (has_positions(file)) return;
  std::vector<std::string> arrays;
  for (const auto& [name, array] : file.file.arrays) arrays.push_back(name);
  const std::string encoding = printable(encoding_of(file));
  throw Error(
      "{} has no array 'positions': {} adds no vectors to the input; kind 'encoding-comparison' "
      "draws what it makes of attention. Arrays in the file: {}",
      subject_of(file), encoding.empty() ? "the encoding" : "encoding '" + encoding + "'",
      arrays.empty() ? "none" : printable(join(arrays, ", ")));
}

std::string vectors_title(const NamedTensors& file, const FloatMatrix& cells, std::size_t trained) {
  const std::string encoding = encoding_of(file);
  std::string title =
      fmt::format("Position vectors{}: {} positions, {} dimensions",
                  encoding.empty() ? "" : " (" + encoding + ")", cells.columns, cells.rows);
  if (trained >= cells.columns) return title + ", all trained";
  if (trained > 0) title += fmt::format(", the first {} trained", trained);
  return title;
}

// Above the line, but inside the page.
void name_line(Page& page, const Panel& panel, std::size_t column, std::size_t columns) {
  const double share = static_cast<double>(column) / static_cast<double>(columns);
  const char* side = share < 0.1 ? "left" : share > 0.9 ? "right" : "center";
  page.add("set label 2 'last trained' at screen {:.4f}, screen {:.4f} {} font ',11'",
           page.x(panel.left + share * panel.width()), page.y(panel.top - 9), side);
}

}  // namespace

Figure draw_position_heatmap(const std::vector<NamedTensors>& files, const FigureOptions& options) {
  const NamedTensors& file = only_file(files);
  check_has_positions(file);
  const std::size_t trained = trained_positions(file);
  const HeatMap map = vectors_of(file, encoding_of(file), trained);
  const bool gaps = has_gaps(map.cells);
  const double foot = gaps ? 82 : 55;
  const double width = std::clamp(11.0 * static_cast<double>(map.cells.columns), 420.0, 900.0);
  const double height = std::clamp(3.5 * static_cast<double>(map.cells.rows), 200.0, 600.0);
  Page page("position-heatmap: position vectors of an encoding; columns are positions", options,
            {static_cast<int>(70 + width + kColourBarRoom), static_cast<int>(62 + height + foot)},
            vectors_title(file, map.cells, trained));
  const Panel panel{70, page.size().width - kColourBarRoom, 62, page.size().height - foot};
  page.add("unset key; set border 15 lw 0.5");
  page.name_x_axis(panel, "position");
  page.add("set ylabel 'dimension'");
  if (map.line_after_column > 0) name_line(page, panel, map.line_after_column, map.cells.columns);
  draw_heat_map(page, panel, map);
  if (gaps) page.legend({gaps_entry()});
  return page.finish();
}

Figure draw_encoding_comparison(const std::vector<NamedTensors>& files,
                                const FigureOptions& options) {
  if (files.empty()) throw Error("no file: nothing to draw");
  std::vector<Column> columns;
  for (const NamedTensors& file : files) columns.push_back(read_column(file));

  const double count = static_cast<double>(columns.size());
  const double panel_size = columns.size() <= 4 ? 220 : 150;
  const bool dimensions_once = same_dimensions(columns);
  const bool positions_once = common(columns, position_count).has_value();
  const double gap = kColumnGap + (dimensions_once && positions_once ? 0 : kNumbersRoom);
  const double width = kLeft + count * panel_size + (count - 1) * gap + kColourBarRoom;
  Page page("encoding-comparison: position vectors above, pairs of positions below", options,
            {static_cast<int>(std::max(width, 460.0)),
             static_cast<int>(kTop + 2 * panel_size + kRowGap + kBottom)},
            comparison_title(columns));
  const double middle = (kTop + page.size().height - kBottom) / 2;
  const double right = page.size().width - kColourBarRoom;
  const std::vector<Panel> upper =
      side_by_side({kLeft, right, kTop, middle - kRowGap / 2}, columns.size(), gap);
  const std::vector<Panel> lower = side_by_side(
      {kLeft, right, middle + kRowGap / 2, page.size().height - kBottom}, columns.size(), gap);
  page.add("unset key; set border 15 lw 0.5");
  page.name_y_axis(upper[0], "dimension", 16, 4);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    draw_upper(page, upper[i], columns[i]);
    page.add("unset label 4");
    if (dimensions_once && columns[i].vectors) page.add("set format y ''");
  }
  page.add("set format y '%g'");
  page.name_y_axis(lower[0], "position", 16, 4);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    draw_lower(page, lower[i], columns[i]);
    page.add("unset label 4");
    if (positions_once) page.add("set format y ''");
  }
  if (const auto entries = legend_of(columns); !entries.empty()) page.legend(entries);
  return page.finish();
}

}  // namespace headway
