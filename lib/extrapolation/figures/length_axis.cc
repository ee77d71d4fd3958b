#include "lib/extrapolation/figures/length_axis.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/base/text.h"
#include "lib/figures/page.h"

namespace headway {
namespace {

constexpr double kTickFont = 11;

double number_width(double length) {
  constexpr double kGap = 5;
  return text_width({number_text(length)}, kTickFont) + kGap;
}

}  // namespace

LengthAxis::LengthAxis(std::set<double> measured, double shortest, double longest, double pixels)
    : measured_(std::move(measured)), pixels_(pixels) {
  shortest = std::min(shortest, *measured_.begin());
  longest = std::max(longest, *measured_.rbegin());
  const double margin = std::max(0.15, 0.03 * std::log2(longest / shortest));
  low_ = std::log2(shortest) - margin;
  high_ = std::log2(longest) + margin;
}

std::string LengthAxis::commands() const {
  return fmt::format("set logscale x 2\nset xrange [{}:{}]\nset xtics ({}) font ',{}'",
                     number_text(std::exp2(low_)), number_text(std::exp2(high_)), ticks(),
                     kTickFont);
}

double LengthAxis::share(double length) const {
  return (std::log2(length) - low_) / (high_ - low_);
}

// A tick at every measured length; labelled if there is room, more important ones first.
std::string LengthAxis::ticks() const {
  std::vector<double> named;
  for (const auto& wanted : {ends(), powers_of_two(), measured_}) {
    for (const double length : wanted) {
      const bool room = std::none_of(named.begin(), named.end(),
                                     [&](double other) { return collide(length, other); });
      if (room) named.push_back(length);
    }
  }
  std::vector<std::string> list;
  for (const double length : measured_) {
    const bool is_named = std::find(named.begin(), named.end(), length) != named.end();
    list.push_back(tick(is_named ? number_text(length) : "", length));
  }
  return join(list, ", ");
}

bool LengthAxis::collide(double length, double other) const {
  return pixels_ * std::abs(share(length) - share(other)) <
         (number_width(length) + number_width(other)) / 2;
}

std::set<double> LengthAxis::ends() const {
  return {*measured_.begin(), *measured_.rbegin()};
}

std::set<double> LengthAxis::powers_of_two() const {
  std::set<double> powers;
  for (const double length : measured_) {
    if (std::log2(length) == std::floor(std::log2(length))) powers.insert(length);
  }
  return powers;
}

}  // namespace headway
