#include "lib/report/findings/sweep_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/sweep/comparison.h"

namespace headway {
namespace {

// The mean of the objective over all configurations with one value of an axis.
struct AxisLevel {
  std::string value;
  double mean = 0;
  std::size_t count = 0;
};

struct AxisEffect {
  std::size_t axis = 0;
  std::vector<AxisLevel> levels;  // in order of the numbers, or of appearance
  double spread = 0;              // between the highest level and the lowest
  bool is_numeric = false;
  double correlation = std::nan("");  // of ranks, where the values hardly repeat

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
    if (is_new) effect.levels.push_back({one->values[axis], 0, 0});
    AxisLevel& level = effect.levels[place->second];
    level.mean += one->metrics[0].mean;
    ++level.count;
  }
  for (AxisLevel& level : effect.levels) level.mean /= static_cast<double>(level.count);
  if (effect.is_numeric)
    std::stable_sort(effect.levels.begin(), effect.levels.end(),
                     [](const AxisLevel& a, const AxisLevel& b) {
                       return number_of_level(a) < number_of_level(b);
                     });
  if (!effect.levels.empty()) effect.spread = effect.highest().mean - effect.lowest().mean;
  return effect;
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
    x.push_back(number_of_level({one->values[effect.axis], 0, 0}));
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

std::string drawn_sentence(const SweepResults& results, const AxisEffect& effect) {
  const std::string axis = markdown_code(results.axes[effect.axis]);
  if (std::isnan(effect.correlation)) return "";
  return fmt::format("{} has {} values; the rank correlation with {} is {}.", axis,
                     count_text(effect.levels.size()), markdown_code(results.metrics[0]),
                     decimal_text(effect.correlation, 2));
}

std::string spread_sentence(const SweepResults& results, const AxisEffect& effect, bool is_first,
                            bool is_one_of_many) {
  const std::string axis = markdown_code(results.axes[effect.axis]);
  if (effect.spread == 0) return fmt::format("{} makes no difference to the mean.", axis);
  const std::string over = is_one_of_many ? ", over all values of the others," : "";
  const std::string range = fmt::format("the mean{} goes from {} to {}", over,
                                        level_text(effect.lowest()), level_text(effect.highest()));
  const std::string opening = !is_one_of_many ? "Along {}" : is_first ? "{} matters most" : "{}";
  const std::string text = fmt::format(fmt::runtime(opening), axis) +
                           (is_one_of_many ? ": " : " ") + range +
                           trend_text(effect, results.maximise);
  return text + ".";
}

}  // namespace

std::vector<std::string> axis_sentences(const SweepResults& results) {
  if (!results.has_objective) return {};
  const std::vector<const SweepConfiguration*> all = comparable_configurations(results);
  std::vector<AxisEffect> effects;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    if (axis != results.resource) effects.push_back(effect_of(results, axis, all));
  }
  std::erase_if(effects, [](const AxisEffect& effect) { return effect.levels.size() < 2; });
  std::stable_sort(effects.begin(), effects.end(),
                   [](const AxisEffect& a, const AxisEffect& b) { return a.spread > b.spread; });
  std::vector<std::string> spreads, drawn;
  for (AxisEffect& effect : effects) {
    if (is_drawn(effect, all.size(), effects.size())) {
      effect.correlation = drawn_correlation(effect, all);
      drawn.push_back(drawn_sentence(results, effect));
    } else {
      // Where others were drawn, which matters most cannot be read from means alone.
      spreads.push_back(
          spread_sentence(results, effect, spreads.empty() && drawn.empty(), effects.size() > 1));
    }
  }
  spreads.insert(spreads.end(), drawn.begin(), drawn.end());
  std::erase(spreads, "");
  if (results.resource && !spreads.empty())
    spreads.front() += fmt::format(" (These are means at {} = {}, which every configuration got.)",
                                   markdown_code(results.axes[*results.resource]),
                                   markdown_escaped(results.decisions.front().amount));
  return spreads;
}

}  // namespace headway
