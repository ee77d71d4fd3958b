#include "lib/sweep/trials.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/digest.h"
#include "lib/base/json.h"
#include "lib/numerics/random.h"
#include "lib/spec/overrides.h"

namespace headway {
namespace {

using Overrides = std::vector<Assignment>;

std::vector<Trial> named(std::vector<Overrides> all) {
  std::vector<Trial> trials;
  trials.reserve(all.size());
  std::unordered_map<std::string, std::size_t> uses;
  for (Overrides& overrides : all) {
    std::string name = folder_name(overrides);
    ++uses[name];
    trials.push_back({std::move(name), std::move(overrides)});
  }
  for (Trial& trial : trials) {
    if (uses[trial.name] > 1) trial.name = longer_folder_name(trial.overrides);
  }
  return trials;
}

// Every combination of one choice from each list; the last varies fastest.
void add_combinations(const std::vector<Overrides>& choices, std::vector<Overrides>& all) {
  std::size_t count = 1;
  for (const Overrides& list : choices) count *= list.size();
  for (std::size_t number = 0; number < count; ++number) {
    Overrides& overrides = all.emplace_back(choices.size());
    std::size_t rest = number;
    for (std::size_t i = choices.size(); i-- > 0; rest /= choices[i].size())
      overrides[i] = choices[i][rest % choices[i].size()];
  }
}

Overrides choices_of(const Axis& axis) {
  Overrides choices;
  for (const Value& value : axis.values) choices.push_back({axis.path, value, choices.size() + 1});
  return choices;
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

Assignment drawn(const Axis& axis, std::uint64_t path_number, std::size_t draw,
                 std::uint64_t seed) {
  RandomStream stream(seed, {path_number, draw});
  if (!axis.values.empty()) {
    const std::size_t choice = stream.below(axis.values.size());
    return {axis.path, axis.values[choice], choice + 1};
  }
  assert(axis.range);
  const double number = draw_number(*axis.range, stream.uniform());
  if (axis.range->whole) return {axis.path, {static_cast<std::int64_t>(number), axis.location}};
  return {axis.path, {number, axis.location}};
}

}  // namespace

bool tries_all(const Axis& axis) {
  return is_replicate(axis.path) && !axis.values.empty();
}

std::size_t grid_size(const std::vector<Axis>& axes) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  std::size_t product = 1;
  for (const Axis& axis : axes) {
    const std::size_t size = axis.values.size();
    if (size == 0) return 0;
    product = product > kMost / size ? kMost : product * size;
  }
  return product;
}

std::vector<Trial> grid_trials(const std::vector<Axis>& axes) {
  std::vector<Overrides> choices, all;
  for (const Axis& axis : axes) choices.push_back(choices_of(axis));
  add_combinations(choices, all);
  return named(std::move(all));
}

std::vector<Trial> random_trials(const std::vector<Axis>& axes, std::size_t count,
                                 std::uint64_t seed) {
  std::vector<Overrides> choices, all;
  std::vector<std::uint64_t> path_numbers;
  for (const Axis& axis : axes) {
    choices.push_back(choices_of(axis));
    path_numbers.push_back(digest_of(axis.path).number());
  }
  std::unordered_set<std::string> seen;
  // A small space gives many repeats, and may have fewer configurations than requested.
  const std::size_t most_draws = 100 + 20 * count;
  for (std::size_t draw = 0; draw < most_draws && seen.size() < count; ++draw) {
    std::string identity;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (tries_all(axes[i])) continue;
      choices[i] = {drawn(axes[i], path_numbers[i], draw, seed)};
      append_field(identity, to_line(to_json(choices[i][0].value)));
    }
    if (seen.insert(identity).second) add_combinations(choices, all);
  }
  return named(std::move(all));
}

}  // namespace headway
