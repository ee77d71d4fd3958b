#include "lib/numerics/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/numerics/random.h"

namespace headway {
namespace {

constexpr double kCovered = 0.95;

// The share of Student's t distribution within ±t: a finite sum for integer degrees of freedom
// (Abramowitz and Stegun 26.7.3 and 26.7.4).
double share_within(double t, std::size_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool odd = degrees % 2 == 1;
  double sum = 0;
  double term = odd ? cosine : 1;
  for (std::size_t k = odd ? 1 : 0; k + 2 <= degrees; k += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(k + 1) / static_cast<double>(k + 2);
  }
  return odd ? 2 / std::acos(-1.0) * (angle + sine * sum) : sine * sum;
}

double quantile_by_bisection(std::size_t degrees, double covered, double high) {
  double low = 0;
  for (int halvings = 0; halvings < 80; ++halvings) {
    const double middle = (low + high) / 2;
    (share_within(middle, degrees) < covered ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Expansion around the normal distribution (Abramowitz and Stegun 26.7.5): from 100 degrees of
// freedom the first omitted term is below 1e-9.
double quantile_by_expansion(double degrees) {
  const double z = kDeviations95, z2 = z * z;
  const double first = z * (z2 + 1) / 4;
  const double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (first + (second + (third + fourth / degrees) / degrees) / degrees) / degrees;
}

constexpr std::size_t kTabled = 100;

// Cached: comparisons ask for the same few values thousands of times.
const std::array<double, kTabled>& tabled_quantiles() {
  static const std::array<double, kTabled> quantiles = [] {
    std::array<double, kTabled> made{};
    made[0] = std::numeric_limits<double>::infinity();
    for (std::size_t degrees = 1; degrees < kTabled; ++degrees) {
      made[degrees] = quantile_by_bisection(degrees, kCovered, 13);  // the largest is 12.706
    }
    return made;
  }();
  return quantiles;
}

// Ranks minus their mean; ties get their mean rank.
std::vector<double> centred_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  const double middle = static_cast<double>(values.size() - 1) / 2;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = mean - middle;
    begin = end;
  }
  return ranks;
}

struct RankPairs {
  std::vector<double> a, b;  // centred ranks

  // Too few pairs, or one side is constant.
  bool is_empty() const { return a.size() < 3 || product(a, a) == 0 || product(b, b) == 0; }
  static double product(const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  }
};

RankPairs ranked_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return {};
  std::vector<double> x, y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    x.push_back(a[i]);
    y.push_back(b[i]);
  }
  if (x.empty()) return {};
  return {centred_ranks(x), centred_ranks(y)};
}

// Whether one of the words is in the name of a metric: "loss" is in train.val_loss, but not in
// loss.accuracy, where it is the stage.
bool has_one_of(const std::string& name, std::initializer_list<std::string_view> words) {
  const std::size_t dot = name.find('.');
  const std::string_view metric = std::string_view(name).substr(dot == name.npos ? 0 : dot + 1);
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  for (auto begin = metric.begin(); begin != metric.end();) {
    begin = std::find_if(begin, metric.end(), is_letter);
    const auto end = std::find_if_not(begin, metric.end(), is_letter);
    if (std::ranges::find(words, std::string_view(begin, end)) != words.end()) return true;
    begin = end;
  }
  return false;
}

// Quantities from 0 on, of which there may be more than 1.
bool is_amount(const std::string& name) {
  return has_one_of(name, {"loss", "losses", "seconds", "entropy", "perplexity", "distance",
                           "deviation", "variance", "norm", "mse", "rmse", "mae"});
}

// Quantities that may have either sign and any size.
bool is_unbounded(const std::string& name) {
  return has_one_of(name, {"error", "errors", "difference", "gain", "logit", "logits"});
}

// Wilson's score interval for a share of n trials.
Interval wilson_interval(double share, double n, double z) {
  const double weight = 1 + z * z / n;
  const double middle = (share + z * z / (2 * n)) / weight;
  const double half = z / weight * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  // The exact bounds are within 0..1 and around the share; clamping removes rounding errors.
  return {share, std::clamp(middle - half, 0.0, share), std::clamp(middle + half, share, 1.0)};
}

constexpr double kNoCorrelation = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double deviations_for(std::size_t comparisons) {
  if (comparisons <= 1) return kDeviations95;
  const double outside = 0.05 / static_cast<double>(comparisons);
  double low = 0, high = 40;
  for (int halvings = 0; halvings < 80; ++halvings) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > outside ? low : high) = middle;
  }
  return (low + high) / 2;
}

Interval share_interval(std::int64_t right, std::int64_t count, double deviations) {
  if (count == 0) return {0, 0, 1};
  const auto n = static_cast<double>(count);
  return wilson_interval(static_cast<double>(right) / n, n, deviations);
}

Interval share_difference(std::int64_t right, std::int64_t count, std::int64_t other_right,
                          std::int64_t other_count, double deviations) {
  if (count == 0 || other_count == 0) return {0, -1, 1};
  const Interval a = share_interval(right, count, deviations);
  const Interval b = share_interval(other_right, other_count, deviations);
  const double difference = a.value - b.value;
  return {difference, difference - std::hypot(a.value - a.low, b.high - b.value),
          difference + std::hypot(a.high - a.value, b.value - b.low)};
}

Interval paired_drop(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after) {
  assert(before.size() == after.size());
  double lost = 0, won = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    lost += before[i] && !after[i];
    won += !before[i] && after[i];
  }
  const auto n = static_cast<double>(before.size());
  if (n == 0) return {0, -1, 1};
  // Adds half a sample to each of the four cells.
  const double count = n + 2, b = lost + 0.5, c = won + 0.5;
  const double middle = (b - c) / count;
  const double half = kDeviations95 * std::sqrt(b + c - (b - c) * (b - c) / count) / count;
  const double drop = (lost - won) / n;
  return {drop, std::max(-1.0, std::min(drop, middle - half)),
          std::min(1.0, std::max(drop, middle + half))};
}

void ClusterSums::add(std::int64_t sum, std::int64_t size) {
  ++clusters_;
  sum_ += sum;
  size_ += size;
  const auto x = static_cast<double>(sum), n = static_cast<double>(size);
  sum_sum_ += x * x;
  sum_size_ += x * n;
  size_size_ += n * n;
}

double ClusterSums::mean() const {
  return size_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(size_);
}

// The estimate for a ratio of two sums over clusters.
double ClusterSums::variance() const {
  if (clusters_ < 2 || size_ == 0) return std::numeric_limits<double>::infinity();
  const double ratio = mean();
  const double squares =
      std::max(0.0, sum_sum_ - 2 * ratio * sum_size_ + ratio * ratio * size_size_);
  const auto count = static_cast<double>(clusters_), size = static_cast<double>(size_);
  return count / (count - 1) * squares / (size * size);
}

Interval ClusterSums::share_interval() const {
  if (size_ == 0) return {0, 0, 1};
  const double share = mean(), spread = variance();
  const auto clusters = static_cast<double>(clusters_), items = static_cast<double>(size_);
  const double independent = spread > 0 ? share * (1 - share) / spread : 0;
  return wilson_interval(share, std::clamp(independent, std::min(clusters, items), items),
                         kDeviations95);
}

Interval ClusterSums::difference_interval() const {
  ClusterSums more = *this;
  more.add(1, 1);
  more.add(-1, 1);
  const double difference = mean();
  const double half = clusters_ < 2 ? 1 : kDeviations95 * std::sqrt(more.variance());
  return {difference, std::max(-1.0, difference - half), std::min(1.0, difference + half)};
}

double student_t(std::size_t degrees, std::size_t comparisons) {
  if (degrees == 0 || comparisons <= 1)
    return degrees < kTabled ? tabled_quantiles()[degrees]
                             : quantile_by_expansion(static_cast<double>(degrees));
  const auto together = static_cast<double>(comparisons);
  // With one degree of freedom, t is below 2 / (pi * the share outside); with more, smaller.
  return quantile_by_bisection(std::min<std::size_t>(degrees, 1000), 1 - (1 - kCovered) / together,
                               13 * together);
}

Interval sum_of_means(std::span<const WeightedMean> means, std::size_t comparisons) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Interval sum{0, kUnknown, kUnknown};
  double variance = 0, by_degrees = 0;
  bool is_known = !means.empty();
  for (const WeightedMean& one : means) {
    const MeanInterval mean = mean_interval(one.values);
    sum.value += one.weight * mean.mean;
    is_known = is_known && mean.count > 1;
    if (!is_known) continue;
    const double error = one.weight * mean.half_width / student_t(mean.count - 1);
    variance += error * error;
    by_degrees += std::pow(error, 4) / static_cast<double>(mean.count - 1);
  }
  if (!is_known) return sum;
  // Welch and Satterthwaite, rounded down to be safe (1e-6 covers rounding errors). Without any
  // variance the width is 0.
  const double degrees = by_degrees > 0 ? std::floor(variance * variance / by_degrees + 1e-6) : 1;
  const double half =
      variance > 0 ? student_t(static_cast<std::size_t>(std::max(degrees, 1.0)), comparisons) *
                         std::sqrt(variance)
                   : 0;
  return {sum.value, sum.value - half, sum.value + half};
}

Interval mean_difference(std::span<const double> values, std::span<const double> others,
                         std::size_t comparisons) {
  const WeightedMean means[] = {{{values.begin(), values.end()}, 1},
                                {{others.begin(), others.end()}, -1}};
  return sum_of_means(means, comparisons);
}

bool are_shares(const std::string& name, std::span<const double> values) {
  if (is_amount(name) || is_unbounded(name)) return false;
  return std::ranges::all_of(
      values, [](double value) { return std::isnan(value) || (value >= 0 && value <= 1); });
}

ValueRange natural_range(const std::string& name, std::span<const double> values) {
  if (are_shares(name, values)) return {.low = 0, .high = 1};
  const bool is_positive =
      std::ranges::all_of(values, [](double value) { return std::isnan(value) || value >= 0; });
  const bool is_whole = std::ranges::all_of(
      values, [](double value) { return std::isnan(value) || value == std::floor(value); });
  if (is_positive && (is_whole || is_amount(name))) return {.low = 0};
  return {};
}

MeanInterval mean_interval(std::span<const double> values, const ValueRange& range) {
  MeanInterval result;
  result.range = range;
  // Sums differences from one value: equal values give exactly that mean and width 0.
  double origin = 0, sum = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (result.count++ == 0 && std::isfinite(value)) origin = value;
    sum += value - origin;
  }
  if (result.count == 0) return result;
  const auto count = static_cast<double>(result.count);
  result.mean = origin + sum / count;
  if (result.count == 1) return result;
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - result.mean) * (value - result.mean);
  }
  result.half_width =
      student_t(result.count - 1) * std::sqrt(squares / (count - 1)) / std::sqrt(count);
  return result;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const RankPairs pairs = ranked_pairs(a, b);
  if (pairs.is_empty()) return kNoCorrelation;
  return RankPairs::product(pairs.a, pairs.b) /
         std::sqrt(RankPairs::product(pairs.a, pairs.a) * RankPairs::product(pairs.b, pairs.b));
}

double rank_correlation_p(const std::vector<double>& a, const std::vector<double>& b) {
  RankPairs pairs = ranked_pairs(a, b);
  if (pairs.is_empty()) return kNoCorrelation;
  // Permutations do not change the variance, so comparing products is enough.
  const double observed = std::fabs(RankPairs::product(pairs.a, pairs.b)) - 1e-9;
  std::size_t as_much = 0, orders = 0;
  const auto count = [&] {
    ++orders;
    as_much += std::fabs(RankPairs::product(pairs.a, pairs.b)) >= observed;
  };
  constexpr std::size_t kMostInAllOrders = 8, kRandomOrders = 9999;
  if (pairs.b.size() <= kMostInAllOrders) {
    // Visits each distinct order of tied ranks once, which does not change the shares.
    std::sort(pairs.b.begin(), pairs.b.end());
    do count();
    while (std::next_permutation(pairs.b.begin(), pairs.b.end()));
  } else {
    count();  // includes the observed order, so that p is never 0
    RandomStream stream(641);
    while (orders <= kRandomOrders) {
      stream.shuffle(std::span<double>(pairs.b));
      count();
    }
  }
  return static_cast<double>(as_much) / static_cast<double>(orders);
}

}  // namespace headway
