#include "lib/figures/axes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lib/base/text.h"
#include "lib/figures/page.h"
#include "lib/numerics/table.h"

namespace headway {
namespace {

constexpr double kWide = 40;  // values this many points apart get an axis from 0
constexpr double kNarrowest = 0.2;
constexpr double kMargin = 0.06;  // above and below, as a share of the range

constexpr std::size_t kLongestLabel = 32;
constexpr double kSlant = 35;  // degrees
constexpr double kLabelGap = 10;
constexpr std::size_t kFirstTag = 11;  // lower tags are for the figure itself

}  // namespace

std::vector<std::string> cut_labels(const std::vector<std::string>& labels, std::size_t width) {
  return texts_of(labels, [&](const std::string& label) { return fit(printable(label), width); });
}

std::vector<bool> with_room(const std::vector<double>& at, const std::vector<double>& sizes,
                            std::vector<int> ranks) {
  ranks.resize(at.size(), 1);
  if (!at.empty()) ranks.front() = ranks.back() = 0;
  std::vector<std::size_t> order(at.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ranks[i]; });
  std::vector<bool> shown(at.size());
  for (const std::size_t i : order) {
    bool has_room = true;
    for (std::size_t other = 0; other < at.size(); ++other) {
      const bool touch = std::abs(at[i] - at[other]) < (sizes[i] + sizes[other]) / 2;
      if (shown[other] && touch) has_room = false;
    }
    shown[i] = has_room;
  }
  return shown;
}

std::string AxisLabels::commands(const std::vector<double>& numbers) const {
  std::vector<std::string> ticks;
  std::string slanted;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ticks.push_back(tick(are_slanted ? "" : texts[i], numbers[i]));
    if (!are_slanted) continue;
    // Uses labels instead of tick texts: gnuplot warns if it thinks that those do not fit.
    slanted += fmt::format(
        "\nset label {} {} at first {}, graph 0 right offset 0.5,-0.9 rotate by {} font ',{}' "
        "textcolor '#444444'",
        kFirstTag + i, literal(texts[i]), number_text(numbers[i]), kSlant, kAxisFont);
  }
  return fmt::format("set xtics ({}) font ',{}'{}", join(ticks, ", "), kAxisFont, slanted);
}

double round_step(double span, double most) {
  const double power = std::pow(10, std::floor(std::log10(span / most)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (span / (step * power) <= most) return step * power;
  }
  return 10 * power;
}

AxisLabels lay_out_labels(const std::vector<std::string>& labels, double spacing) {
  AxisLabels result;
  result.texts = cut_labels(labels, kLongestLabel);
  // Long texts are narrower than the widest font suggests.
  const double width = 0.87 * text_width(result.texts, kAxisFont);
  result.are_slanted = label_spacing(labels) > spacing;
  const double angle = kSlant * std::numbers::pi / 180;
  result.room = result.are_slanted ? width * std::sin(angle) + kAxisFont + 6 : kAxisFont + 10;
  result.overhang =
      result.are_slanted ? text_width({result.texts[0]}, kAxisFont) * std::cos(angle) + 4 : 0;
  return result;
}

double label_spacing(const std::vector<std::string>& labels) {
  return text_width(cut_labels(labels, kLongestLabel), kAxisFont) + kLabelGap;
}

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

std::string percent_span(const std::vector<double>& percents) {
  const auto [lowest, highest] = std::ranges::minmax(percents);
  const std::string low = percent_label(lowest), high = percent_label(highest);
  return low == high ? low : low + " to " + high;
}

}  // namespace headway
