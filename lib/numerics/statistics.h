// Means over a few repetitions (the seeds of an experiment) with intervals, and rank correlation.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "lib/numerics/intervals.h"

namespace headway {

struct MeanInterval {
  double mean = std::numeric_limits<double>::quiet_NaN();
  // 95 % interval by Student's t: mean ± half_width. NaN if count < 2.
  double half_width = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;
};

// Ignores NaNs.
MeanInterval mean_interval(std::span<const double> values);

// The two-sided 95 % quantile of Student's t: 12.706 for one degree of freedom, 1.96 for many;
// infinite for none.
double student_t(std::size_t degrees);

// Spearman's rank correlation, ties with their mean rank. Ignores pairs with a NaN. NaN if one side
// is constant or there are fewer than three pairs.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

// The two-sided permutation p-value of the correlation: over all orders for up to eight pairs, else
// over 9,999 random ones (always the same). Valid with ties. NaN if the correlation is NaN.
double rank_correlation_p(const std::vector<double>& a, const std::vector<double>& b);
// The same for several comparisons, such that all of them hold at 95 % (Bonferroni). Above a
// thousand degrees of freedom it returns the value for a thousand, which is hardly larger.
double student_t(std::size_t degrees, std::size_t comparisons);

// Values whose mean is added with a weight.
struct WeightedMean {
  std::vector<double> values;
  double weight = 1;
};

// The weighted sum of means with Welch's interval, which does not assume equal variances: for
// example the difference of two means. Bounds are NaN if one mean has fewer than two values. Values
// must not be NaN.
Interval sum_of_means(std::span<const WeightedMean> means, std::size_t comparisons = 1);
Interval mean_difference(std::span<const double> values, std::span<const double> others,
                         std::size_t comparisons = 1);

}  // namespace headway
