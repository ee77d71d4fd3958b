#include "lib/addition/findings/pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/addition/findings/cut_model.h"
#include "lib/addition/findings/head_tables.h"
#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/numerics/intervals.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

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
  const std::string& origin = sources.file("tolerances").origin;
  require_columns(table, {"tolerance", "individually", "together", "accuracy", "heads"},
                  "tolerances of prune-heads", origin);
  std::vector<PruningTolerance> tolerances;
  for (std::size_t row = 0; row < table.size(); ++row) {
    PruningTolerance tolerance{needed_number(table, row, "tolerance", origin),
                               whole_number(table, row, "individually", origin),
                               whole_number(table, row, "together", origin),
                               share_number(table, row, "accuracy", origin),
                               {}};
    for (const std::string& head : split(table.text(row, "heads"), ';'))
      if (!trim(head).empty()) tolerance.heads.push_back(markdown_escaped(trim(head)));
    tolerances.push_back(std::move(tolerance));
  }
  if (tolerances.empty()) throw Error(fmt::format("{}: there is no tolerance in it", origin));
  return tolerances;
}

struct PruningPoint {
  std::size_t removed = 0;
  double accuracy = 0;
  double low = 0;
  double high = 0;

  Interval interval() const { return {accuracy, low, high}; }
  std::string text() const { return percent_with_interval(accuracy, low, high); }
};

// Of one order of removal; empty where it was not followed.
std::vector<PruningPoint> read_curve(const Sources& sources, std::string_view strategy) {
  std::vector<PruningPoint> points;
  if (!sources.has("curves")) return points;
  const Table table = sources.table("curves");
  const std::string& origin = sources.file("curves").origin;
  require_columns(table, {"strategy", "removed", "accuracy", "low", "high"},
                  "a table of prune-heads", origin);
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "strategy") != strategy) continue;
    points.push_back(
        {whole_number(table, row, "removed", origin), share_number(table, row, "accuracy", origin),
         share_number(table, row, "low", origin), share_number(table, row, "high", origin)});
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
    if (has_metric(metrics, "heads"))
      return metric_whole_number(metrics, "heads", sources.file("pruned").origin);
  }
  const std::vector<PruningPoint> greedy = read_curve(sources, "greedy");
  if (greedy.empty()) return std::nullopt;
  return greedy.back().removed;
}

// Pruning sets heads to zero (lib/analysis/pruning.cc): by their mean, other numbers of them can
// go.
std::string alone_and_together(const PruningTolerance& tolerance,
                               const std::optional<std::size_t>& heads) {
  const std::string limit = fmt::format("for at most {}", points_text(tolerance.points));
  const std::size_t alone = tolerance.individually, together = tolerance.together;
  const auto of_all = [&](std::size_t count) {
    return heads ? n_of_m(count, *heads, "heads") : counted(count, "head");
  };
  if (alone == 0 && together == 0)
    return fmt::format("no head can be removed (set to zero) {}", limit);
  if (alone == 1 && together == 1)
    return fmt::format("{} can be removed (set to zero) {}", of_all(1), limit);
  const std::string jointly =
      together == 0       ? "together none"
      : together == alone ? std::string("together as many")
      : together < alone
          ? fmt::format("together only {}", count_text(together))
          : fmt::format("together, one after another, even {}", count_text(together));
  if (alone == 0)
    return fmt::format("no head can be removed (set to zero) alone {}; {}", limit, jointly);
  return fmt::format("{} can {}be removed (set to zero) {}; {}", of_all(alone),
                     alone == 1 ? "" : "each ", limit, jointly);
}

std::string tell_tolerance(const Sources& sources, const PruningTolerance& tolerance) {
  std::string text = capitalised(alone_and_together(tolerance, heads_of_model(sources))) + ".";
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
    if (!against) continue;
    // The widest is chosen among all, so that all count as compared.
    if (!excludes_zero(difference_between(point.interval(), against->interval(), greedy.size())))
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
           "ranking of single removals at any number of heads (compared as if on different "
           "problems).";
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
  if (sources.has("pruned")) sentences.push_back(tell_cut_model(sources));
  if (sources.has("timing")) sentences.push_back(tell_cut_speed(sources));
  std::erase(sentences, "");
  return bullets(sentences);
}

std::string pruning_headline(const Sources& sources) {
  const std::vector<PruningTolerance> tolerances = read_tolerances(sources);
  std::vector<std::string> parts;
  for (const PruningTolerance& tolerance : tolerances)
    parts.push_back(alone_and_together(tolerance, heads_of_model(sources)));
  std::string text = capitalised(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) text += ". " + capitalised(parts[i]);
  return text + ".";
}

}  // namespace headway
