// Means over a few repetitions (the seeds of an experiment) and how far they can be trusted; and
// whether two quantities go together.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "lib/numerics/intervals.h"

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

// Spearman's rank correlation, ties with their mean rank; pairs with a NaN do not count. NaN where
// one of them is constant or there are fewer than three pairs.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

// How often pairs put together by chance correlate as much, whatever the sign: of all orders up to
// eight pairs, of 9,999 random ones (always the same) beyond. Ties need no care, as they do in the
// formulas for intervals. NaN where the correlation is.
double rank_correlation_p(const std::vector<double>& a, const std::vector<double>& b);
// The same where `comparisons` are looked at together, so that all of them hold with 95 %
// (Bonferroni). From a thousand degrees on, that of a thousand, which is hardly more.
double student_t(std::size_t degrees, std::size_t comparisons);

// Means that are added up, each with its weight.
struct WeightedMean {
  std::vector<double> values;
  double weight = 1;
};

// Their sum with Welch's interval, which asks for no equal spread: the difference of two means, or
// of the means of two groups of them. NaN bounds where one of them has fewer than two values: one
// says nothing of the spread. Values must be numbers.
Interval sum_of_means(std::span<const WeightedMean> means, std::size_t comparisons = 1);
Interval mean_difference(std::span<const double> values, std::span<const double> others,
                         std::size_t comparisons = 1);

}  // namespace headway
