// The learning rate schedule: a linear warm-up, then half a cosine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace headway {

struct Schedule {
  double peak = 1e-3;
  double warmup = 0.05;    // share of all steps
  std::int64_t steps = 1;  // length of the schedule; training may stop earlier

  double rate(std::int64_t step) const {  // step 0 is the first
    const double warm = std::floor(warmup * static_cast<double>(steps));
    const auto at = static_cast<double>(step);
    if (at < warm) return peak * (at + 1) / warm;
    const double rest = std::max(1.0, static_cast<double>(steps) - warm);
    const double through = std::min(1.0, (at - warm) / rest);
    return peak * 0.5 * (1 + std::cos(std::numbers::pi * through));
  }
};

}  // namespace headway
