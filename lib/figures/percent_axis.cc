#include "lib/figures/percent_axis.h"

#include <algorithm>
#include <cmath>

#include "lib/numerics/table.h"

namespace headway {
namespace {

constexpr double kWide = 40;  // points apart, from where the axis begins at 0
constexpr double kNarrowest = 0.2;
constexpr double kMargin = 0.06;  // of the range, above and below

}  // namespace

Range percent_range(double lowest, double highest) {
  lowest = std::clamp(lowest, 0.0, 100.0);
  highest = std::clamp(highest, lowest, 100.0);
  if (highest - lowest > kWide || lowest < kWide / 4) return {0, 100 * (1 + kMargin / 2)};
  const double span = std::max(highest - lowest, kNarrowest);
  const double middle = std::min((highest + lowest) / 2, 100 - span / 2);
  return {std::max(0.0, middle - span * (0.5 + kMargin)), middle + span * (0.5 + kMargin)};
}

Range percent_range_around_chance(double lowest) {
  const double low = std::clamp(10 * std::floor(lowest / 10), 0.0, 40.0);
  return {low, 100 + kMargin / 2 * (100 - low)};
}

std::string percent_label(double percent) {
  return number_text(std::floor(percent * 100 + 1e-6) / 100);
}

}  // namespace headway
