#include "lib/figures/line_styles.h"

#include <optional>

#include "lib/base/index.h"
#include "lib/figures/style.h"

namespace headway {
namespace {

// Dashes and points: solid lines with filled points first, then dashed lines with hollow points.
constexpr std::pair<int, int> kPatterns[] = {{1, 7}, {2, 4}, {4, 9}, {3, 12}};

struct Place {
  std::size_t colour = 0;
  std::size_t pattern = 0;
};

// Splits names at the last hyphen into items of two axes. Nullopt if they do not form axes
// ("seed-1", "seed-2") or an axis has more values than there are styles.
std::optional<std::vector<Place>> by_axes(const std::vector<std::string>& names) {
  std::vector<std::string> firsts, seconds;
  std::vector<Place> places;
  for (const std::string& name : names) {
    const std::size_t hyphen = name.rfind('-');
    if (hyphen == std::string::npos) return std::nullopt;
    places.push_back(
        {place_of(name.substr(0, hyphen), firsts), place_of(name.substr(hyphen + 1), seconds)});
  }
  if (firsts.size() < 2 || seconds.size() < 2) return std::nullopt;
  if (firsts.size() <= kLineColours.size() && seconds.size() <= std::size(kPatterns)) return places;
  if (seconds.size() > kLineColours.size() || firsts.size() > std::size(kPatterns))
    return std::nullopt;
  for (Place& place : places) std::swap(place.colour, place.pattern);
  return places;
}

}  // namespace

std::vector<LineStyle> line_styles(const std::vector<std::string>& names) {
  const std::optional<std::vector<Place>> places = by_axes(names);
  std::vector<LineStyle> styles;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Place place =
        places ? (*places)[i]
               : Place{i % kLineColours.size(), i / kLineColours.size() % std::size(kPatterns)};
    const auto [dash, point] = kPatterns[place.pattern];
    styles.push_back({kLineColours[place.colour], dash, point});
  }
  return styles;
}

std::string LineStyle::with_points(double size) const {
  return fmt::format("with linespoints pt {} ps {} lw 1.8 dt {} lc '{}'", point, size, dash,
                     colour);
}

void plot_accuracies(Page& page, const std::string& x, const std::vector<BandedLine>& lines,
                     double opacity) {
  std::vector<std::string> bands, curves;
  for (const BandedLine& line : lines) {
    Rows rows;
    for (const auto& [at, point] : line.points)
      rows.push_back({cell(at), cell(point.value), cell(point.low), cell(point.high)});
    const std::size_t index = page.block(line.name, {x, "accuracy", "low", "high"}, rows);
    bands.push_back(
        fmt::format("'figure.dat' index {} using 1:3:4 with filledcurves fs transparent "
                    "solid {} noborder fc '{}'",
                    index, opacity, line.colour));
    curves.push_back(fmt::format("'figure.dat' index {} using 1:2 {}", index, line.style));
  }
  bands.insert(bands.end(), curves.begin(), curves.end());
  page.plot(bands);
}

}  // namespace headway
