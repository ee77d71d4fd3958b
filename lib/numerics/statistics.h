// Intervals for shares, for means over a few repetitions (the seeds of an experiment) and for their
// differences, and rank correlation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace headway {

struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

inline constexpr double kDeviations95 = 1.959963984540054;  // 95 % of a normal distribution

// The same for several comparisons, such that all of them hold at 95 % (Bonferroni).
double deviations_for(std::size_t comparisons);

// Wilson's score interval for `right` successes in `count` trials; also valid near 0 and 100 %.
Interval share_interval(std::int64_t right, std::int64_t count, double deviations = kDeviations95);

// The first share minus the second, for independent samples: Newcombe's interval from the two
// Wilson intervals. Overlapping intervals do not imply that this one contains zero.
Interval share_difference(std::int64_t right, std::int64_t count, std::int64_t other_right,
                          std::int64_t other_count, double deviations = kDeviations95);

// The drop in the share of ones from `before` to `after`, for the same samples: Agresti and Min's
// interval for matched pairs, which has a width even if nothing changed.
Interval paired_drop(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after);

// Items that come in clusters, as tokens come in sequences: those of one cluster tend to be alike,
// so there are fewer independent ones than items.
class ClusterSums {
 public:
  // A cluster of `size` items, with the sum of a quantity over them.
  void add(std::int64_t sum, std::int64_t size);
  std::int64_t items() const { return size_; }
  std::int64_t sum() const { return sum_; }
  // Of the quantity over all items.
  double mean() const;
  // Of the quantity's mean, from the spread between clusters. Infinite if there is only one.
  double variance() const;
  // Of the share of ones, if the quantity is 0 or 1: Wilson's interval, for as many independent
  // items as have this variance; at least the clusters, at most the items.
  Interval share_interval() const;
  // Of the mean of a difference, -1 to 1. Adds one item that is 1 and one that is -1, so that it
  // has a width even if there is no difference.
  Interval difference_interval() const;

 private:
  std::int64_t clusters_ = 0, sum_ = 0, size_ = 0;
  double sum_sum_ = 0, sum_size_ = 0, size_size_ = 0;  // of products over clusters
};

// What a quantity can be.
struct ValueRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// Whether a quantity is a share: all values are within 0 and 1, and it is not called a loss, an
// error, seconds or the like, which may be so by chance. NaNs are ignored.
bool are_shares(const std::string& name, std::span<const double> values);

// The range of a quantity, from all its values: shares are within 0 and 1; counts (whole numbers,
// none negative), losses, times and the like are at least 0; of others nothing is known.
ValueRange natural_range(const std::string& name, std::span<const double> values);

struct MeanInterval {
  double mean = std::numeric_limits<double>::quiet_NaN();
  // 95 % interval by Student's t: mean ± half_width. NaN if count < 2.
  double half_width = std::numeric_limits<double>::quiet_NaN();
  std::size_t count = 0;
  ValueRange range = {};

  // The ends of the interval. What is outside the range is impossible, so cutting it off loses
  // nothing of the 95 %.
  double low() const { return mean - half_width < range.low ? range.low : mean - half_width; }
  double high() const { return mean + half_width > range.high ? range.high : mean + half_width; }
  bool is_cut() const { return low() > mean - half_width || high() < mean + half_width; }
};

// Ignores NaNs.
MeanInterval mean_interval(std::span<const double> values, const ValueRange& range = {});

// The two-sided 95 % quantile of Student's t: 12.706 for one degree of freedom, 1.96 for many;
// infinite for none. For several comparisons: such that all of them hold at 95 % (Bonferroni); then
// above a thousand degrees of freedom it is the value for a thousand, which is hardly larger.
double student_t(std::size_t degrees, std::size_t comparisons = 1);

// Spearman's rank correlation, ties with their mean rank. Ignores pairs with a NaN. NaN if one side
// is constant or there are fewer than three pairs.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

// The two-sided permutation p-value of the correlation: over all orders for up to eight pairs, else
// over 9,999 random ones (always the same). Valid with ties. NaN if the correlation is NaN.
double rank_correlation_p(const std::vector<double>& a, const std::vector<double>& b);

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
