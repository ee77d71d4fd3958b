#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/extrapolation/figures/encodings.h"
#include "lib/extrapolation/figures/kinds.h"
#include "lib/figures/heat_map.h"
#include "lib/figures/page.h"

namespace headway {
namespace {

void check_has_positions(const NamedTensors& file) {
  if (has_positions(file)) return;
  std::vector<std::string> arrays;
  for (const auto& [name, array] : file.file.arrays) arrays.push_back(name);
  const std::string encoding = printable(encoding_of(file));
  throw Error(fmt::format(
      "{} has no array 'positions': {} adds no vectors to the input; kind 'encoding-comparison' "
      "draws what it makes of attention. Arrays in the file: {}",
      subject_of(file), encoding.empty() ? "the encoding" : "encoding '" + encoding + "'",
      arrays.empty() ? "none" : printable(join(arrays, ", "))));
}

std::string default_title(const NamedTensors& file, const FloatMatrix& cells, std::size_t trained) {
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
           page.x(panel.left + share * (panel.right - panel.left)), page.y(panel.top - 9), side);
}

}  // namespace

Figure draw_position_heatmap(const std::vector<NamedTensors>& files, const FigureOptions& options) {
  const NamedTensors& file = only_file(files);
  check_has_positions(file);
  const std::size_t trained = trained_positions(file);
  HeatMap map{.name = encoding_of(file),
              .meaning = kDimensionsByPosition,
              .cells = dimensions_by_position(file)};
  map.line_after_column = last_trained_line(trained, map.cells.columns);

  const bool gaps = has_gaps(map.cells);
  const double foot = gaps ? 82 : 55;
  const double width = std::clamp(11.0 * static_cast<double>(map.cells.columns), 420.0, 900.0);
  const double height = std::clamp(3.5 * static_cast<double>(map.cells.rows), 200.0, 600.0);
  Page page("position-heatmap: position vectors of an encoding; columns are positions", options,
            {static_cast<int>(70 + width + kColourBarRoom), static_cast<int>(62 + height + foot)},
            default_title(file, map.cells, trained));
  const Panel panel{70, page.size().width - kColourBarRoom, 62, page.size().height - foot};
  page.add("unset key; set border 15 lw 0.5");
  page.name_x_axis(panel, "position");
  page.add("set ylabel 'dimension'");
  if (map.line_after_column > 0) name_line(page, panel, map.line_after_column, map.cells.columns);
  draw_heat_map(page, panel, map);
  if (gaps) page.legend({gaps_entry()});
  return page.finish();
}

}  // namespace headway
