// Means over a few repetitions (the seeds of an experiment) and how far they can be trusted.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace headway {

struct MeanInterval {
  double mean = std::numeric_limits<double>::quiet_NaN();
  // 95 %, Student's t: mean ± half_width. NaN where count < 2: one value says nothing of the
  // spread.
  double half_width = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;
};

// NaNs are left out and not counted.
MeanInterval mean_interval(std::span<const double> values);

// The two-sided 95 % quantile of Student's t: 12.706 for one degree of freedom, 1.96 for very many;
// infinite for none.
double student_t(std::size_t degrees);

}  // namespace headway
