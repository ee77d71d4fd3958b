#include "lib/sweep/findings/sweep_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "lib/numerics/intervals.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/sweep/comparison.h"

namespace headway {
namespace {

// The mean of the objective over all configurations with one value of an axis.
struct AxisLevel {
  std::string value;
  double mean = 0;
  std::vector<const SweepConfiguration*> configurations;
};

struct AxisEffect {
  std::size_t axis = 0;
  std::vector<AxisLevel> levels;  // in order of the numbers, or of appearance
  double spread = 0;              // between the highest level and the lowest
  bool is_numeric = false;
  // Of that spread by the seeds, wide enough for all pairs of levels of all axes; NaN bounds where
  // one seed says nothing of it.
  Interval spread_by_seeds;

  const AxisLevel& lowest() const {
    return *std::min_element(levels.begin(), levels.end(), by_mean);
  }
  const AxisLevel& highest() const {
    return *std::max_element(levels.begin(), levels.end(), by_mean);
  }
  static bool by_mean(const AxisLevel& a, const AxisLevel& b) { return a.mean < b.mean; }
};

// Under successive halving only the first rung had them all: later ones are the better ones.
std::vector<const SweepConfiguration*> comparable_configurations(const SweepResults& results) {
  std::vector<const SweepConfiguration*> all;
  const std::string first_amount =
      results.decisions.empty() ? "" : results.decisions.front().amount;
  for (const SweepConfiguration& one : results.configurations) {
    const bool is_first = !results.resource || one.values[*results.resource] == first_amount;
    if (is_first && !std::isnan(one.metrics[0].mean)) all.push_back(&one);
  }
  return all;
}

double number_of_level(const AxisLevel& level) {
  double number = 0;
  std::from_chars(level.value.data(), level.value.data() + level.value.size(), number);
  return number;
}

AxisEffect effect_of(const SweepResults& results, std::size_t axis,
                     const std::vector<const SweepConfiguration*>& all) {
  AxisEffect effect;
  effect.axis = axis;
  effect.is_numeric = axis_numbers(results, axis).has_value();
  std::map<std::string, std::size_t> places;
  for (const SweepConfiguration* one : all) {
    const auto [place, is_new] = places.emplace(one->values[axis], effect.levels.size());
    if (is_new) effect.levels.push_back({one->values[axis], 0, {}});
    AxisLevel& level = effect.levels[place->second];
    level.mean += one->metrics[0].mean;
    level.configurations.push_back(one);
  }
  for (AxisLevel& level : effect.levels)
    level.mean /= static_cast<double>(level.configurations.size());
  if (effect.is_numeric)
    std::stable_sort(effect.levels.begin(), effect.levels.end(),
                     [](const AxisLevel& a, const AxisLevel& b) {
                       return number_of_level(a) < number_of_level(b);
                     });
  if (!effect.levels.empty()) effect.spread = effect.highest().mean - effect.lowest().mean;
  return effect;
}

std::size_t pairs_of_levels(const std::vector<AxisEffect>& effects) {
  std::size_t pairs = 0;
  for (const AxisEffect& effect : effects)
    pairs += effect.levels.size() * (effect.levels.size() - 1) / 2;
  return pairs;
}

Interval spread_by_seeds(const AxisEffect& effect, std::size_t comparisons) {
  std::vector<WeightedMean> means;
  const auto add = [&](const AxisLevel& level, double sign) {
    for (const SweepConfiguration* one : level.configurations)
      means.push_back(
          {one->independent_values(), sign / static_cast<double>(level.configurations.size())});
  };
  add(effect.highest(), 1);
  add(effect.lowest(), -1);
  return sum_of_means(means, comparisons);
}

// Every combination of values: else the means of one axis differ in the others too.
bool is_complete_grid(const std::vector<AxisEffect>& effects, std::size_t configurations) {
  std::size_t combinations = 1;
  for (const AxisEffect& effect : effects) combinations *= effect.levels.size();
  return combinations == configurations;
}

// Whether the seeds leave no doubt that the first, of the largest spread, is before all others.
bool does_first_matter_most(const std::vector<AxisEffect>& effects) {
  return effects.size() > 1 &&
         std::all_of(effects.begin() + 1, effects.end(), [&](const AxisEffect& other) {
           return effects.front().spread_by_seeds.low > other.spread_by_seeds.high;
         });
}

// Values drawn by chance hardly repeat, so the mean at one of them says nothing of the axis.
bool is_drawn(const AxisEffect& effect, std::size_t configurations, std::size_t axes) {
  return effect.is_numeric && axes > 1 && effect.levels.size() >= 5 &&
         2 * effect.levels.size() > configurations;
}

double drawn_correlation(const AxisEffect& effect,
                         const std::vector<const SweepConfiguration*>& all) {
  std::vector<double> x, y;
  for (const SweepConfiguration* one : all) {
    x.push_back(number_of_level({one->values[effect.axis], 0, {}}));
    y.push_back(one->metrics[0].mean);
  }
  return rank_correlation(x, y);
}

std::string level_text(const AxisLevel& level) {
  return fmt::format("{} at {}", interval_text({level.mean, std::nan(""), 1}),
                     markdown_code(level.value));
}

// How the objective goes along the numbers of an axis; empty where there is nothing to say.
std::string trend_text(const AxisEffect& effect, std::optional<bool> maximise) {
  if (!effect.is_numeric || effect.levels.size() < 3 || effect.spread == 0) return "";
  bool rises = true, falls = true, stays = false;
  for (std::size_t i = 1; i < effect.levels.size(); ++i) {
    const double step = effect.levels[i].mean - effect.levels[i - 1].mean;
    rises = rises && step >= 0;
    falls = falls && step <= 0;
    stays = stays || step == 0;
  }
  std::string text = rises || falls ? fmt::format("; it {} with every step from {} to {}",
                                                  std::string(rises ? "rises" : "falls") +
                                                      (stays ? " or stays the same" : ""),
                                                  markdown_escaped(effect.levels.front().value),
                                                  markdown_escaped(effect.levels.back().value))
                                    : "; it neither rises nor falls throughout";
  if (!maximise) return text;
  const AxisLevel& best = *maximise ? effect.highest() : effect.lowest();
  const bool at_start = &best == &effect.levels.front(), at_end = &best == &effect.levels.back();
  if (at_start || at_end)
    text += fmt::format(", and the best value is the {} that was tried",
                        at_start ? "smallest" : "largest");
  return text;
}

std::string drawn_sentence(const SweepResults& results, const AxisEffect& effect,
                           const std::vector<const SweepConfiguration*>& all) {
  const std::string axis = markdown_code(results.axes[effect.axis]);
  const double correlation = drawn_correlation(effect, all);
  if (std::isnan(correlation)) return "";
  return fmt::format("{} has {} values; the rank correlation with {} is {}.", axis,
                     count_text(effect.levels.size()), markdown_code(results.metrics[0]),
                     decimal_text(correlation, 2));
}

// What the seeds say of it; empty where there is one of them.
std::string chance_text(const AxisEffect& effect) {
  const Interval& spread = effect.spread_by_seeds;
  if (std::isnan(spread.low)) return "";
  return fmt::format("; {} (difference {}, interval {} to {})",
                     excludes_zero(spread) ? "that is more than seeds explain"
                                           : "by these seeds that may be chance",
                     decimal_text(spread.value), decimal_text(spread.low),
                     decimal_text(spread.high));
}

std::string spread_sentence(const SweepResults& results, const AxisEffect& effect,
                            bool matters_most, bool is_one_of_many) {
  const std::string axis = markdown_code(results.axes[effect.axis]);
  if (effect.spread == 0) return fmt::format("{} makes no difference to the mean.", axis);
  const std::string over = is_one_of_many ? ", over all values of the others," : "";
  const std::string range = fmt::format("the mean{} goes from {} to {}", over,
                                        level_text(effect.lowest()), level_text(effect.highest()));
  const std::string opening = !is_one_of_many ? fmt::format("Along {} ", axis)
                              : matters_most  ? fmt::format("{} matters most: ", axis)
                                              : fmt::format("{}: ", axis);
  return opening + range + trend_text(effect, results.maximise) + chance_text(effect) + ".";
}

// On all the means together; `effects` are those that means tell of.
std::string notes_on_means(const std::vector<AxisEffect>& effects, bool is_complete) {
  const auto makes_a_difference = [](const AxisEffect& effect) { return effect.spread != 0; };
  if (std::none_of(effects.begin(), effects.end(), makes_a_difference)) return "";
  const bool has_seeds = std::any_of(effects.begin(), effects.end(), [](const AxisEffect& effect) {
    return !std::isnan(effect.spread_by_seeds.low);
  });
  std::string notes = has_seeds
                          ? " (Intervals are of 95 % for every two values of every axis together.)"
                          : " (One seed does not say how much of such a difference is chance.)";
  if (!is_complete)
    notes +=
        " (Not every combination of values has a result, so means of one axis differ in the "
        "others too.)";
  return notes;
}

std::vector<AxisEffect> effects_by_spread(const SweepResults& results,
                                          const std::vector<const SweepConfiguration*>& all) {
  std::vector<AxisEffect> effects;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    if (axis != results.resource) effects.push_back(effect_of(results, axis, all));
  }
  std::erase_if(effects, [](const AxisEffect& effect) { return effect.levels.size() < 2; });
  std::stable_sort(effects.begin(), effects.end(),
                   [](const AxisEffect& a, const AxisEffect& b) { return a.spread > b.spread; });
  const std::size_t comparisons = pairs_of_levels(effects);
  for (AxisEffect& effect : effects) effect.spread_by_seeds = spread_by_seeds(effect, comparisons);
  return effects;
}

}  // namespace

std::vector<std::string> axis_sentences(const SweepResults& results) {
  if (!results.has_objective) return {};
  const std::vector<const SweepConfiguration*> all = comparable_configurations(results);
  const std::vector<AxisEffect> effects = effects_by_spread(results, all);
  const bool is_complete = is_complete_grid(effects, all.size());
  const bool matters_most = is_complete && does_first_matter_most(effects);
  std::vector<std::string> sentences, drawn;
  std::vector<AxisEffect> told;
  for (const AxisEffect& effect : effects) {
    if (is_drawn(effect, all.size(), effects.size())) {
      drawn.push_back(drawn_sentence(results, effect, all));
    } else {
      sentences.push_back(
          spread_sentence(results, effect, matters_most && told.empty(), effects.size() > 1));
      told.push_back(effect);
    }
  }
  if (!sentences.empty()) sentences.back() += notes_on_means(told, is_complete);
  sentences.insert(sentences.end(), drawn.begin(), drawn.end());
  std::erase(sentences, "");
  if (results.resource && !sentences.empty())
    sentences.back() += fmt::format(" (All that at {} = {}, which every configuration got.)",
                                    markdown_code(results.axes[*results.resource]),
                                    markdown_escaped(results.decisions.front().amount));
  return sentences;
}

}  // namespace headway
