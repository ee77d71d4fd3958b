#include "lib/report/findings/pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/findings/head_tables.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

struct PruningTolerance {
  double points = 0;
  std::size_t individually = 0;
  std::size_t together = 0;
  double accuracy = 0;  // without those that go together
  std::vector<std::string> heads;
};

std::vector<PruningTolerance> read_tolerances(const Sources& sources) {
  const Table table = sources.table("tolerances");
  std::vector<PruningTolerance> tolerances;
  for (std::size_t row = 0; row < table.size(); ++row) {
    PruningTolerance tolerance{table.number(row, "tolerance"),
                               static_cast<std::size_t>(table.number(row, "individually")),
                               static_cast<std::size_t>(table.number(row, "together")),
                               table.number(row, "accuracy"),
                               {}};
    for (const std::string& head : split(table.text(row, "heads"), ';'))
      if (!trim(head).empty()) tolerance.heads.push_back(markdown_escaped(trim(head)));
    tolerances.push_back(std::move(tolerance));
  }
  if (tolerances.empty())
    throw Error(fmt::format("{}: there is no tolerance in it", sources.file("tolerances").origin));
  return tolerances;
}

struct PruningPoint {
  std::size_t removed = 0;
  double accuracy = 0;
  double low = 0;
  double high = 0;

  std::string text() const { return percent_with_interval(accuracy, low, high); }
};

// Of one order of removal; empty where it was not followed.
std::vector<PruningPoint> read_curve(const Sources& sources, std::string_view strategy) {
  std::vector<PruningPoint> points;
  if (!sources.has("curves")) return points;
  const Table table = sources.table("curves");
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "strategy") != strategy) continue;
    points.push_back({static_cast<std::size_t>(table.number(row, "removed")),
                      table.number(row, "accuracy"), table.number(row, "low"),
                      table.number(row, "high")});
  }
  return points;
}

const PruningPoint* point_at(const std::vector<PruningPoint>& curve, std::size_t removed) {
  const auto found = std::find_if(curve.begin(), curve.end(), [&](const PruningPoint& point) {
    return point.removed == removed;
  });
  return found == curve.end() ? nullptr : &*found;
}

// Number of heads of the whole model, where it is known.
std::optional<std::size_t> heads_of_model(const Sources& sources) {
  if (sources.has("pruned")) {
    const Json metrics = sources.metrics("pruned");
    if (metrics.contains("heads") && metrics["heads"].is_number_unsigned())
      return metrics["heads"].get<std::size_t>();
  }
  const std::vector<PruningPoint> greedy = read_curve(sources, "greedy");
  if (greedy.empty()) return std::nullopt;
  return greedy.back().removed;
}

std::string alone_and_together(const PruningTolerance& tolerance,
                               const std::optional<std::size_t>& heads) {
  const std::string limit = fmt::format("at most {}", points_text(tolerance.points));
  const std::size_t alone = tolerance.individually, together = tolerance.together;
  const std::string what = heads ? n_of_m(alone, *heads, "heads") : counted(alone, "head");
  const std::string jointly =
      together == 0       ? "together none"
      : together == alone ? std::string("together as many")
      : together < alone
          ? fmt::format("together only {}", count_text(together))
          : fmt::format("together, one after another, even {}", count_text(together));
  if (alone == 0 && together == 0) return fmt::format("no head can be removed for {}", limit);
  if (alone == 1 && together == 1)
    return fmt::format("{} can be removed for {}", heads ? n_of_m(1, *heads, "heads") : "1 head",
                       limit);
  if (alone == 0) {
    return fmt::format("no head can be removed alone for {}; {}", limit, jointly);
  }
  return fmt::format("{} can {}be removed for {}; {}", what, alone == 1 ? "" : "each ", limit,
                     jointly);
}

std::string pruning_capitalised(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] -= 'a' - 'A';
  return sentence;
}

std::string tell_tolerance(const Sources& sources, const PruningTolerance& tolerance) {
  std::string text =
      pruning_capitalised(alone_and_together(tolerance, heads_of_model(sources))) + ".";
  if (tolerance.together == 0) return text;
  const std::vector<PruningPoint> greedy = read_curve(sources, "greedy");
  const PruningPoint* point = point_at(greedy, tolerance.together);
  text += fmt::format(" Without {}, exact match is {}", enumerated(tolerance.heads, 8),
                      point ? point->text() : percent_text(tolerance.accuracy));
  const PruningPoint* whole = point_at(greedy, 0);
  if (!point || !whole) return text + ".";
  const double at_most = 100 * (whole->accuracy - point->low);
  if (at_most <= tolerance.points + 1e-9) return text + ".";
  return fmt::format(
      "{}; by its interval up to {:.2f} points may be lost, which is past the tolerance.", text,
      at_most);
}

// The checkpoint that was cut: accuracies are shares of the same test problems.
struct CutModel {
  double whole = 0;
  double cut = 0;
  std::optional<double> tuned;
  std::size_t removed = 0;
  double parameters = 0;
  double whole_parameters = 0;
};

CutModel read_cut(const Sources& sources) {
  const Json metrics = sources.metrics("pruned");
  try {
    const Json& pruned = metrics.at("pruned");
    CutModel model{.whole = metrics.at("greedy").get<double>(),
                   .cut = pruned.at("greedy").get<double>(),
                   .tuned = {},
                   .removed = pruned.at("heads_removed").get<std::size_t>(),
                   .parameters = pruned.at("parameters").get<double>(),
                   .whole_parameters = metrics.at("parameters").get<double>()};
    if (pruned.contains("fine_tuned")) model.tuned = pruned.at("fine_tuned").get<double>();
    return model;
  } catch (const Json::exception&) {
    throw Error(
        fmt::format("{}: metrics of prune-heads are expected", sources.file("pruned").origin));
  }
}

// Wilson's interval, as evaluations have it; without width where the number of problems is unknown.
PruningPoint with_interval(double share, double problems) {
  if (!(problems > 0)) return {0, share, NAN, NAN};
  constexpr double z = 1.959964;
  const double scale = 1 + z * z / problems;
  const double centre = (share + z * z / (2 * problems)) / scale;
  const double half =
      z / scale * std::sqrt(share * (1 - share) / problems + z * z / (4 * problems * problems));
  return {0, share, share <= 0 ? 0 : std::max(0.0, centre - half),
          share >= 1 ? 1 : std::min(1.0, centre + half)};
}

// How `now` stands to `before`: intervals decide where there are any.
std::string share_against(const PruningPoint& now, const PruningPoint& before) {
  if (now.accuracy == before.accuracy) return "the same share as";
  if (!std::isfinite(now.low) || !std::isfinite(before.low))
    return now.accuracy > before.accuracy ? "more than" : "less than";
  const std::string beyond = beyond_intervals(now.low, now.high, before.low, before.high);
  if (beyond == "larger") return "more than";
  if (beyond == "smaller") return "less than";
  return "not distinguishable from";
}

double test_problems(const Sources& sources) {
  if (!sources.has("data")) return 0;
  const Json metrics = sources.metrics("data");
  return metrics.contains("test") && metrics["test"].is_number() ? metrics["test"].get<double>()
                                                                 : 0;
}

std::string tell_cut(const Sources& sources) {
  const CutModel model = read_cut(sources);
  if (model.removed == 0)
    return "No head is removed from the smaller checkpoint: it is the whole model.";
  const double problems = test_problems(sources);
  const PruningPoint whole = with_interval(model.whole, problems);
  const PruningPoint cut = with_interval(model.cut, problems);
  std::string text = fmt::format("The checkpoint without {} is right in {}",
                                 counted(model.removed, "head"), cut.text());
  if (model.tuned) {
    const PruningPoint tuned = with_interval(*model.tuned, problems);
    text +=
        fmt::format("; after fine-tuning in {}, {} before fine-tuning and {} the whole model's {}",
                    tuned.text(), share_against(tuned, cut), share_against(tuned, whole),
                    percent_text(model.whole));
  } else {
    text += fmt::format(", {} the whole model's {}", share_against(cut, whole),
                        percent_text(model.whole));
  }
  return fmt::format("{}. It has {} instead of {} parameters, {} fewer.", text,
                     count_text(static_cast<std::size_t>(model.parameters)),
                     count_text(static_cast<std::size_t>(model.whole_parameters)),
                     percent_text(1 - model.parameters / model.whole_parameters));
}

std::string tell_speed(const Sources& sources) {
  const Table timing = sources.table("timing");
  double whole = 0, pruned = 0;
  for (std::size_t row = 0; row < timing.size(); ++row) {
    if (timing.text(row, "model") == "whole") whole = timing.number(row, "problems_per_second");
    if (timing.text(row, "model") == "pruned") pruned = timing.number(row, "problems_per_second");
  }
  if (!(whole > 0) || !(pruned > 0)) return "";
  const double ratio = pruned / whole;
  const std::string order = std::fabs(ratio - 1) < 0.05
                                ? "as fast, within what such a measurement can tell"
                                : fmt::format("{:.2f} times as fast", ratio);
  return fmt::format(
      "It scores {} problems a second, the whole model {}: {} (the median of five passes on the "
      "machine of the run).",
      count_text(static_cast<std::size_t>(std::lround(pruned))),
      count_text(static_cast<std::size_t>(std::lround(whole))), order);
}

struct OrderGap {
  const PruningPoint* greedy = nullptr;
  const PruningPoint* other = nullptr;

  double size() const { return greedy ? std::fabs(greedy->accuracy - other->accuracy) : 0; }
};

OrderGap widest_gap(const std::vector<PruningPoint>& greedy,
                    const std::vector<PruningPoint>& other) {
  OrderGap widest;
  for (const PruningPoint& point : greedy) {
    const PruningPoint* against = point_at(other, point.removed);
    if (!against || beyond_intervals(point.low, point.high, against->low, against->high).empty())
      continue;
    const OrderGap gap{&point, against};
    if (gap.size() > widest.size()) widest = gap;
  }
  return widest;
}

std::string compare_one_shot(const std::vector<PruningPoint>& greedy,
                             const std::vector<PruningPoint>& one_shot) {
  const OrderGap gap = widest_gap(greedy, one_shot);
  if (!gap.greedy) {
    return "Trying all heads anew after each removal (greedy) cannot be told from following the "
           "ranking of single removals: their intervals overlap at every number of heads.";
  }
  const bool greedy_wins = gap.greedy->accuracy > gap.other->accuracy;
  return fmt::format(
      "Trying all heads anew after each removal (greedy) and following the ranking of single "
      "removals differ most with {} gone: {} against {}, in favour of {}.",
      counted(gap.greedy->removed, "head"), gap.greedy->text(), gap.other->text(),
      greedy_wins ? "the greedy order" : "the ranking");
}

std::string compare_random(const std::vector<PruningPoint>& greedy,
                           const std::vector<PruningPoint>& random, std::size_t removed) {
  const PruningPoint *chosen = point_at(greedy, removed), *chance = point_at(random, removed);
  if (!chosen || !chance) return "";
  // `low` and `high` of random orders are the lowest and the highest of them, no interval.
  const std::string order = chosen->low > chance->high   ? "better than every random order"
                            : chosen->high < chance->low ? "worse than every random order"
                            : chosen->accuracy > chance->accuracy
                                ? "better than their mean, but not beyond the best of them"
                                : "no better than their mean";
  return fmt::format(
      "With {} gone the greedy order leaves {}; random orders {} on average ({} to {} over the "
      "orders): {}.",
      counted(removed, "head"), percent_text(chosen->accuracy), percent_text(chance->accuracy),
      percent_text(chance->low), percent_text(chance->high), order);
}

std::string tell_half(const std::vector<PruningPoint>& greedy) {
  const PruningPoint* whole = point_at(greedy, 0);
  if (!whole || whole->accuracy <= 0) return "";
  for (const PruningPoint& point : greedy) {
    if (point.accuracy >= whole->accuracy / 2) continue;
    return fmt::format(
        "In the greedy order less than half of the whole model's exact match is left for the "
        "first time with {} gone: {}.",
        counted(point.removed, "head"), point.text());
  }
  return "";
}

}  // namespace

std::string tell_pruning(const Sources& sources) {
  const std::vector<PruningTolerance> tolerances = read_tolerances(sources);
  std::vector<std::string> sentences;
  for (const PruningTolerance& tolerance : tolerances)
    sentences.push_back(tell_tolerance(sources, tolerance));
  const std::vector<PruningPoint> greedy = read_curve(sources, "greedy");
  const std::vector<PruningPoint> one_shot = read_curve(sources, "one-shot");
  const std::vector<PruningPoint> random = read_curve(sources, "random");
  if (!greedy.empty() && !one_shot.empty()) sentences.push_back(compare_one_shot(greedy, one_shot));
  const std::size_t removed = std::max<std::size_t>(1, tolerances.front().together);
  if (!greedy.empty() && !random.empty())
    sentences.push_back(compare_random(greedy, random, removed));
  sentences.push_back(tell_half(greedy));
  if (sources.has("pruned")) sentences.push_back(tell_cut(sources));
  if (sources.has("timing")) sentences.push_back(tell_speed(sources));
  std::erase(sentences, "");
  return bullets(sentences);
}

std::string pruning_headline(const Sources& sources) {
  const std::vector<PruningTolerance> tolerances = read_tolerances(sources);
  std::vector<std::string> parts;
  for (const PruningTolerance& tolerance : tolerances)
    parts.push_back(alone_and_together(tolerance, heads_of_model(sources)));
  std::string text = pruning_capitalised(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) text += ". " + pruning_capitalised(parts[i]);
  return text + ".";
}

}  // namespace headway
