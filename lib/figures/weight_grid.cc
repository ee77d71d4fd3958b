#include "lib/figures/weight_grid.h"

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/axes.h"
#include "lib/figures/heat_map.h"
#include "lib/figures/page.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

constexpr std::size_t kMostWeights = 1'000'000;  // in all maps: figure.dat has a line for each
constexpr int kLargestPage = 16'000;             // pixels
constexpr std::size_t kLongestToken = 14;        // letters
constexpr double kTokenFont = 9;
constexpr double kTokenWidth = 22;  // pixels of a cell with its name, and
constexpr double kTokenHeight = 17;
constexpr double kLineOfTokens = 12;  // pixels from one name to the next, at least
constexpr double kLongestAxis = 40;   // cells of full size
constexpr double kSmallestMapWidth = 120;
constexpr double kSmallestMapHeight = 70;
constexpr double kFramedFrom = 8;  // pixels of a cell; frames would cover smaller ones
constexpr double kTop = 62;
constexpr double kBottom = 62;
constexpr double kColourBar = 75;
constexpr double kRowGap = 35;      // between the keys of a row and the next row, with its titles
constexpr double kNameMargin = 12;  // left of the names of rows

struct TokenAxis {
  std::vector<std::string> names;
  double cell = 0;           // pixels
  double widest = 0;         // pixels of the longest name
  bool are_upright = false;  // names of keys that are longer than their cells are wide

  double pixels() const { return cell * static_cast<double>(names.size()); }
  double room_below() const { return are_upright ? widest : kTokenFont; }  // for names of keys
};

// Many cells make all of them smaller.
double cell_size(std::size_t count, double whole) {
  return whole * std::min(1.0, kLongestAxis / static_cast<double>(count));
}

// Spaces at both ends become visible.
std::string visible(const std::string& token) {
  const std::size_t first = std::min(token.find_first_not_of(' '), token.size());
  const std::size_t last = std::min(token.find_last_not_of(' ') + 1, token.size());
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i)
    text += i < first || i >= last ? "␣" : token.substr(i, 1);
  return text;
}

TokenAxis token_axis(const std::vector<std::string>& tokens, double cell) {
  TokenAxis axis{cut_labels(texts_of(tokens, visible), kLongestToken), cell};
  axis.widest = text_width(axis.names, kTokenFont);
  return axis;
}

TokenAxis query_axis(const std::vector<std::string>& tokens) {
  return token_axis(tokens, std::max(cell_size(tokens.size(), kTokenHeight),
                                     kSmallestMapHeight / static_cast<double>(tokens.size())));
}

TokenAxis key_axis(const std::vector<std::string>& tokens, double width) {
  TokenAxis axis = token_axis(tokens, width / static_cast<double>(tokens.size()));
  axis.are_upright = axis.widest > std::max(axis.cell, kTokenWidth);
  return axis;
}

// Leaves out names for which the cells are too small.
std::string token_ticks(const std::vector<std::string>& names, double cell_pixels,
                        double name_pixels) {
  std::vector<double> places;
  for (std::size_t i = 0; i < names.size(); ++i)
    places.push_back(cell_pixels * static_cast<double>(i));
  const std::vector<bool> shown = with_room(places, std::vector<double>(names.size(), name_pixels));
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (shown[i]) list += (list.empty() ? "" : ", ") + tick(names[i], static_cast<double>(i));
  }
  return list;
}

struct GridLayout {
  std::vector<TokenAxis> queries, keys;  // of each row
  double left = 0;                       // room for the rows' labels and the first map's queries
  double gap_x = 0;                      // room for the next map's queries
  double map_width = 0;
  std::vector<double> gaps_y;  // below each row: its keys, and the next map's title
  Size size;
};

GridLayout lay_out_grid(const WeightGrid& grid) {
  const std::vector<WeightRow>& rows = grid.rows;
  GridLayout layout;
  std::size_t keys = 0, maps = 0;  // the most of a row
  double labels = 0, names = 0;
  for (const WeightRow& row : rows) {
    keys = std::max(keys, row.keys.size());
    maps = std::max(maps, row.maps.size());
    layout.queries.push_back(query_axis(row.queries));
    labels = std::max(labels, text_width({row.label}, 12));
    names = std::max(names, layout.queries.back().widest);
  }
  layout.map_width =
      std::max(kSmallestMapWidth, cell_size(keys, kTokenWidth) * static_cast<double>(keys));
  layout.left = kNameMargin + labels + names + 14;
  layout.gap_x = names + 18;
  const double gaps = static_cast<double>(maps - 1) * layout.gap_x;
  const double note = text_width({grid.note}, 11);  // maps are wide enough for it
  layout.map_width = std::max(layout.map_width,
                              (note - layout.left - gaps - kColourBar) / static_cast<double>(maps));
  double height = kTop + kBottom;
  for (const WeightRow& row : rows) {
    layout.keys.push_back(key_axis(row.keys, layout.map_width));
    layout.gaps_y.push_back(layout.keys.back().room_below() + kRowGap);
    height += layout.queries[layout.keys.size() - 1].pixels() + layout.gaps_y.back();
  }
  height -= kRowGap;  // below the last row is no title
  const double width = static_cast<double>(maps) * layout.map_width + gaps;
  layout.size = {static_cast<int>(layout.left + width + kColourBar), static_cast<int>(height)};
  return layout;
}

std::size_t weights_block(Page& page, const WeightRow& row, const WeightMap& map) {
  Rows cells;
  for (std::size_t i = 0; i < map.weights.size(); ++i)
    cells.push_back({cell(i % row.keys.size()), cell(i / row.keys.size()), cell(map.weights[i])});
  return page.block(row.label + (map.title.empty() ? "" : " " + map.title),
                    {"key", "query", "weight"}, cells);
}

std::string weights_style(const Panel& panel, const WeightRow& row) {
  const double width = panel.width() / static_cast<double>(row.keys.size());
  const double height = panel.height() / static_cast<double>(row.queries.size());
  if (std::min(width, height) < kFramedFrom)
    return cells_style(panel, row.queries.size(), row.keys.size());
  // Adding 0*weight skips gaps.
  return "using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border "
         "lc '#DDDDDD' fc palette";
}

bool has_gap(const WeightMap& map) {
  return std::ranges::any_of(map.weights, [](double weight) { return std::isnan(weight); });
}

void draw_map(Page& page, const Panel& panel, const WeightRow& row, const WeightMap& map) {
  const std::size_t index = weights_block(page, row, map);
  page.add("set title {} offset 0,-0.9 font ',11'", literal(map.title));
  page.add("unset object");
  if (has_gap(map)) shade_gaps(page);
  page.add("plot 'figure.dat' index {} {}", index, weights_style(panel, row));
}

void check_grid_size(const WeightGrid& grid, const Size& size) {
  std::size_t weights = 0;
  for (const WeightRow& row : grid.rows)
    weights += row.maps.size() * row.queries.size() * row.keys.size();
  if (weights > kMostWeights)
    throw Error("{} weights are too many to draw: at most {}", weights, kMostWeights);
  if (std::max(size.width, size.height) > kLargestPage)
    throw Error(
        "all maps need {} x {} pixels, and a figure can have {}; set 'width' and 'height' to draw "
        "them smaller",
        size.width, size.height, kLargestPage);
}

void set_token_axes(Page& page, const TokenAxis& queries, const TokenAxis& keys,
                    const Panel& panel) {
  const double key_cell = panel.width() / static_cast<double>(keys.names.size());
  const double query_cell = panel.height() / static_cast<double>(queries.names.size());
  page.add(
      "set xtics {} ({})",
      keys.are_upright ? "rotate by 90 right offset 0,0.2" : "norotate autojustify offset 0,0.6",
      token_ticks(keys.names, key_cell, keys.are_upright ? kLineOfTokens : keys.widest + 2));
  page.add("set ytics ({})", token_ticks(queries.names, query_cell, kLineOfTokens));
  page.add("set xrange [-0.5:{}-0.5]; set yrange [{}-0.5:-0.5]", keys.names.size(),
           queries.names.size());
}

void set_up_grid(Page& page, const WeightGrid& grid) {
  page.add("unset key; set border 15 lw 0.5; set tics scale 0 font ',{}'", kTokenFont);
  page.add("set ytics offset 0.8,0");
  page.add("{}", kWeightPalette);
  page.add("set cbrange [0:1]; set cbtics 0.25 font ',10' offset -0.5,0");
  page.add("set label 2 {} at screen 0.5, screen {:.4f} center font ',11' textcolor '#444444'",
           literal(grid.note), page.y(page.size().height - 16.0));
}

}  // namespace

Figure draw_weight_grid(const WeightGrid& grid, const FigureOptions& options) {
  const GridLayout layout = lay_out_grid(grid);
  check_grid_size(grid, size_or(options.size, layout.size));
  Page page(grid.subject, options, layout.size, grid.title);
  // If the user sets a size, everything scales except the text.
  const double scale_x = static_cast<double>(page.size().width) / layout.size.width;
  const double scale_y = static_cast<double>(page.size().height) / layout.size.height;
  set_up_grid(page, grid);
  const Panel area{layout.left, page.size().width - kColourBar * scale_x, kTop * scale_y,
                   page.size().height - kBottom * scale_y};
  double top = area.top;
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const WeightRow& row = grid.rows[i];
    const double bottom = top + layout.queries[i].pixels() * scale_y;
    for (std::size_t k = 0; k < row.maps.size(); ++k) {
      const double left =
          (layout.left + static_cast<double>(k) * (layout.map_width + layout.gap_x)) * scale_x;
      const Panel panel{left, left + layout.map_width * scale_x, top, bottom};
      page.place(panel);
      if (k == 0)
        page.add("set label 1 {} at screen {:.4f}, screen {:.4f} left font ',12'",
                 literal(row.label), page.x(kNameMargin), page.y(panel.middle_y()));
      if (i + k == 0) {
        page.place_colour_bar({area.right + 20, area.right + 34, area.top,
                               area.top + std::min(240.0, area.height())});
      } else {
        page.add("unset colorbox");
      }
      set_token_axes(page, layout.queries[i], layout.keys[i], panel);
      draw_map(page, panel, row, row.maps[k]);
      page.add("unset label");
    }
    top = bottom + layout.gaps_y[i] * scale_y;
  }
  return page.finish();
}

}  // namespace headway
