#include "lib/figures/line_styles.h"

#include <algorithm>
#include <optional>

#include "lib/figures/style.h"

namespace headway {
namespace {

struct Pattern {
  int dash = 1;
  int point = 7;
};

// Solid lines with filled points first, then dashed lines with hollow points.
constexpr Pattern kPatterns[] = {{1, 7}, {2, 4}, {4, 9}, {3, 12}};

std::size_t place_of(const std::string& text, std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  known.push_back(text);
  return known.size() - 1;
}

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
  if (seconds.size() > kLineColours.size() || firsts.size() > std::size(kPatterns)) {
    return std::nullopt;
  }
  for (Place& place : places) std::swap(place.colour, place.pattern);
  return places;
}

std::vector<Place> one_after_the_other(std::size_t count) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < count; ++i) {
    places.push_back({i % kLineColours.size(), i / kLineColours.size() % std::size(kPatterns)});
  }
  return places;
}

}  // namespace

std::vector<LineStyle> line_styles(const std::vector<std::string>& names) {
  std::vector<LineStyle> styles;
  for (const Place& place : by_axes(names).value_or(one_after_the_other(names.size()))) {
    const Pattern& pattern = kPatterns[place.pattern];
    styles.push_back({kLineColours[place.colour], pattern.dash, pattern.point});
  }
  return styles;
}

}  // namespace headway
