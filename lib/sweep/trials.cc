#include "lib/sweep/trials.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/digest.h"
#include "lib/base/json.h"
#include "lib/numerics/random.h"

namespace headway {
namespace {

using Overrides = std::vector<Assignment>;

std::vector<Trial> named(std::vector<Overrides> all) {
  std::vector<Trial> trials;
  trials.reserve(all.size());
  std::unordered_map<std::string, std::size_t> uses;
  for (Overrides& overrides : all) {
    std::string name = trial_name(overrides);
    ++uses[name];
    trials.push_back({std::move(name), std::move(overrides)});
  }
  for (Trial& trial : trials) {
    if (uses[trial.name] > 1) trial.name = longer_trial_name(trial.overrides);
  }
  return trials;
}

Assignment choice(const Axis& axis, std::size_t index) {
  return {axis.path, axis.values[index], index + 1};
}

// Combination number `index` of the axes' values; the last axis varies fastest.
Overrides combination(const std::vector<const Axis*>& axes, std::size_t index) {
  Overrides overrides(axes.size());
  for (std::size_t i = axes.size(); i-- > 0; index /= axes[i]->values.size()) {
    overrides[i] = choice(*axes[i], index % axes[i]->values.size());
  }
  return overrides;
}

// Whether a random search tries all values of the axis instead of drawing one.
bool is_turned(const Axis& axis) {
  return is_replicate(axis.path) && !axis.values.empty();
}

template <class Condition>
std::vector<const Axis*> axes_where(const std::vector<Axis>& axes, Condition condition) {
  std::vector<const Axis*> result;
  for (const Axis& axis : axes) {
    if (condition(axis)) result.push_back(&axis);
  }
  return result;
}

std::vector<const Axis*> all_of(const std::vector<Axis>& axes) {
  return axes_where(axes, [](const Axis&) { return true; });
}

std::size_t product_of_sizes(const std::vector<const Axis*>& axes) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  std::size_t product = 1;
  bool beyond = false;
  for (const Axis* axis : axes) {
    const std::size_t size = axis->values.size();
    if (size == 0) return 0;
    beyond = beyond || product > kMost / size;
    if (!beyond) product *= size;
  }
  return beyond ? kMost : product;
}

std::uint64_t number_of(std::string_view path) {
  const Digest digest = digest_of(path);
  std::uint64_t number = 0;  // byte by byte, so that it is the same on every machine
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8 | digest.bytes()[i];
  return number;
}

// 4, or more if both ends share their first digits.
int digits_between(const AxisRange& range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  return 4 + std::clamp(static_cast<int>(-std::log10((range.high - range.low) / size)), 0, 13);
}

double draw_number(const AxisRange& range, double uniform) {
  // Each integer gets an equal part of the range, up to the next integer.
  const double end = range.whole ? range.high + 1 : range.high;
  const double drawn = range.logarithmic
                           ? std::exp(std::log(range.low) * (1 - uniform) + std::log(end) * uniform)
                           : range.low * (1 - uniform) + end * uniform;
  return std::clamp(
      range.whole ? std::floor(drawn) : rounded_to_digits(drawn, digits_between(range)), range.low,
      range.high);
}

Assignment draw(const Axis& axis, std::uint64_t path_number, std::size_t index,
                std::uint64_t seed) {
  RandomStream stream(seed, {path_number, index});
  if (!axis.values.empty()) return choice(axis, stream.below(axis.values.size()));
  assert(axis.range);
  const double number = draw_number(*axis.range, stream.uniform());
  if (axis.range->whole) return {axis.path, {static_cast<std::int64_t>(number), axis.location}};
  return {axis.path, {number, axis.location}};
}

std::string drawn_identity(const Overrides& overrides) {
  std::string identity;
  for (const Assignment& assignment : overrides) {
    append_field(identity, to_line(to_json(assignment.value)));
  }
  return identity;
}

// Combines a configuration with replicate values, in the order of the axes.
Overrides merged(const std::vector<Axis>& axes, const Overrides& drawn,
                 const Overrides& replicates) {
  Overrides overrides;
  auto next_drawn = drawn.begin(), next_replicate = replicates.begin();
  for (const Axis& axis : axes) {
    overrides.push_back(is_turned(axis) ? *next_replicate++ : *next_drawn++);
  }
  return overrides;
}

}  // namespace

std::size_t grid_size(const std::vector<Axis>& axes) {
  return product_of_sizes(all_of(axes));
}

std::vector<Trial> grid_trials(const std::vector<Axis>& axes) {
  const std::vector<const Axis*> all = all_of(axes);
  const std::size_t count = product_of_sizes(all);
  std::vector<Overrides> overrides;
  overrides.reserve(count);
  for (std::size_t i = 0; i < count; ++i) overrides.push_back(combination(all, i));
  return named(std::move(overrides));
}

std::vector<Trial> random_trials(const std::vector<Axis>& axes, std::size_t count,
                                 std::uint64_t seed) {
  const std::vector<const Axis*> replicates = axes_where(axes, is_turned);
  const std::vector<const Axis*> searched =
      axes_where(axes, [](const Axis& axis) { return !is_turned(axis); });
  std::vector<std::uint64_t> path_numbers;
  path_numbers.reserve(searched.size());
  for (const Axis* axis : searched) path_numbers.push_back(number_of(axis->path));
  const std::size_t repetitions = product_of_sizes(replicates);

  std::vector<Overrides> all;
  std::unordered_set<std::string> seen;
  // A small space gives many repeats, and may have fewer configurations than requested.
  const std::size_t most_draws = 100 + 20 * count;
  for (std::size_t i = 0; i < most_draws && seen.size() < count; ++i) {
    Overrides drawn;
    for (std::size_t k = 0; k < searched.size(); ++k) {
      drawn.push_back(draw(*searched[k], path_numbers[k], i, seed));
    }
    if (!seen.insert(drawn_identity(drawn)).second) continue;
    for (std::size_t k = 0; k < repetitions; ++k) {
      all.push_back(merged(axes, drawn, combination(replicates, k)));
    }
  }
  return named(std::move(all));
}

}  // namespace headway
