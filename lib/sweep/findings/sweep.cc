#include "lib/sweep/findings/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/sweep/comparison.h"
#include "lib/sweep/findings/sweep_axes.h"
#include "lib/sweep/findings/sweep_results.h"

namespace headway {
namespace {

constexpr std::size_t kMostNamed = 6;    // of trials or configurations in a sentence
constexpr std::size_t kMostRows = 30;    // of the table of configurations
constexpr std::size_t kMostMetrics = 6;  // and columns of it

std::size_t different_values(const SweepResults& results, std::size_t axis) {
  std::set<std::string> values;
  for (const SweepConfiguration& one : results.configurations) values.insert(one.values[axis]);
  return values.size();
}

// Without the resource: what was tried, however long.
std::size_t different_configurations(const SweepResults& results) {
  std::set<std::vector<std::string>> different;
  for (const SweepConfiguration& one : results.configurations) {
    std::vector<std::string> values = one.values;
    if (results.resource)
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(*results.resource));
    different.insert(std::move(values));
  }
  return different.size();
}

std::string what_was_tried(const SweepResults& results) {
  std::vector<std::string> axes;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    if (axis != results.resource)
      axes.push_back(fmt::format("{} ({})", markdown_code(results.axes[axis]),
                                 counted(different_values(results, axis), "value")));
  }
  std::string text = fmt::format("{}: {}", counted(results.trials, "trial"),
                                 counted(different_configurations(results), "configuration"));
  if (!axes.empty()) text += " of " + enumerated(axes);
  if (results.seeds > 1) text += fmt::format(", {} each", counted(results.seeds, "seed"));
  if (results.resource)
    text += fmt::format(", with up to {} of {}",
                        counted(different_values(results, *results.resource), "amount"),
                        markdown_code(results.axes[*results.resource]));
  return text + ".";
}

std::string what_is_missing(const SweepResults& results) {
  if (results.missing.empty()) return "";
  std::vector<std::string> names;
  for (const std::string& trial : results.missing) names.push_back(markdown_code(trial));
  const std::string what =
      results.has_objective ? markdown_code(results.metrics[0]) : std::string("a result");
  return fmt::format("{} did not reach {} and {} left out: {}.",
                     n_of_m(results.missing.size(), results.trials, "trials"), what,
                     results.missing.size() == 1 ? "is" : "are", enumerated(names, kMostNamed));
}

std::vector<const SweepConfiguration*> best_of(const SweepResults& results) {
  std::vector<const SweepConfiguration*> best;
  for (const SweepConfiguration& one : results.configurations) {
    if (one.best) best.push_back(&one);
  }
  return best;
}

std::string over_seeds(const SweepConfiguration& one) {
  return one.seeds > 1
             ? fmt::format(" (mean and 95 % interval over {})", counted(one.seeds, "seed"))
             : "";
}

std::string which_is_best(const SweepResults& results) {
  const std::vector<const SweepConfiguration*> best = best_of(results);
  if (best.empty()) return "The trials have no objective, so none is the best.";
  const std::string metric = markdown_code(results.metrics[0]);
  const std::string aim =
      results.maximise ? fmt::format(" ({} is better)", *results.maximise ? "more" : "less") : "";
  const std::string value = interval_text(best[0]->metrics[0]) + over_seeds(*best[0]);
  if (best.size() == 1)
    return fmt::format("The best by {}{} is {}, with {}.", metric, aim,
                       configuration_text(results, *best[0]), value);
  std::vector<std::string> names;
  for (const SweepConfiguration* one : best) names.push_back(configuration_text(results, *one));
  std::string listed;
  for (std::size_t i = 0; i < std::min(kMostNamed, names.size()); ++i)
    listed += (i > 0 ? "; " : "") + names[i];
  if (names.size() > kMostNamed) listed += fmt::format("; and {} more", names.size() - kMostNamed);
  return fmt::format("{} share the best {}{}, {}: {}.", counted(best.size(), "configuration"),
                     metric, aim, value, listed);
}

// Those that are not the best though they had the same chances: the next best first.
std::vector<const SweepConfiguration*> rivals_of(const SweepResults& results) {
  const SweepConfiguration& best = *best_of(results).front();
  std::vector<const SweepConfiguration*> rivals;
  for (const SweepConfiguration& one : results.configurations) {
    const bool comparable =
        !results.resource || one.values[*results.resource] == best.values[*results.resource];
    if (comparable && !one.best && !std::isnan(one.metrics[0].mean)) rivals.push_back(&one);
  }
  return rivals;
}

// How many of the others the seeds do not tell from the best.
std::string which_are_close(std::size_t close, std::size_t others) {
  if (others == 0) return "";
  if (close == 0) return " All others can be told from it.";
  if (close == others) return " No other can be told from it.";
  return fmt::format(" {} cannot be told from it.", n_of_m(close, others, "others"));
}

// The best against each of the others, by the seeds of both: Welch's intervals that hold for all
// of them together.
std::string how_sure(const SweepResults& results) {
  if (!results.has_objective) return "";
  const std::vector<const SweepConfiguration*> rivals = rivals_of(results);
  if (rivals.empty()) return "";
  const std::vector<double> best = best_of(results).front()->independent_values();
  std::vector<Interval> differences;  // of each from the best
  for (const SweepConfiguration* rival : rivals)
    differences.push_back(mean_difference(rival->independent_values(), best, rivals.size()));
  const std::string second =
      fmt::format("The next is {}, with {}", configuration_text(results, *rivals[0]),
                  interval_text(rivals[0]->metrics[0]));
  const Interval& next = differences[0];
  if (std::isnan(next.low)) return second + "; one seed does not say how much of that is chance.";
  const auto close = static_cast<std::size_t>(
      std::count_if(differences.begin() + 1, differences.end(),
                    [](const Interval& difference) { return !excludes_zero(difference); }));
  const std::string together =
      rivals.size() > 1 ? fmt::format(", as one of {}", counted(rivals.size(), "comparison")) : "";
  return fmt::format(
      "{}; by these seeds it {} be told from the best (difference {}, 95 % interval {} to {}{}).{}",
      second, excludes_zero(next) ? "can" : "cannot", decimal_text(next.value),
      decimal_text(next.low), decimal_text(next.high), together,
      which_are_close(close, rivals.size() - 1));
}

// How much chance alone does: the configuration whose seeds differ most.
std::string what_seeds_do(const SweepResults& results) {
  if (!results.has_objective) return "";
  const SweepConfiguration* widest = nullptr;
  double width = 0;
  for (const SweepConfiguration& one : results.configurations) {
    if (one.reached.size() < 2) continue;
    const auto [low, high] = std::minmax_element(one.reached.begin(), one.reached.end());
    if (!widest || *high - *low > width) widest = &one, width = *high - *low;
  }
  if (!widest) return "";
  if (width == 0) return "Seeds make no difference: those of one configuration agree everywhere.";
  const auto [low, high] = std::minmax_element(widest->reached.begin(), widest->reached.end());
  return fmt::format("Seeds differ most for {}: from {} to {}.",
                     configuration_text(results, *widest), interval_text({*low, std::nan(""), 1}),
                     interval_text({*high, std::nan(""), 1}));
}

struct HalvingRung {
  std::string amount;
  std::size_t configurations = 0, went_on = 0;
  std::size_t stopped_as_good = 0;  // as the worst that went on
};

std::vector<HalvingRung> rungs_of(const SweepResults& results) {
  std::map<std::size_t, std::vector<const SweepDecision*>> by_rung;
  for (const SweepDecision& decision : results.decisions)
    by_rung[decision.rung].push_back(&decision);
  std::vector<HalvingRung> rungs;
  for (const auto& [number, decisions] : by_rung) {
    HalvingRung rung{decisions.front()->amount, decisions.size(), 0, 0};
    const SweepDecision* last = nullptr;
    for (const SweepDecision* one : decisions) {
      rung.went_on += one->goes_on;
      if (one->goes_on && (!last || one->rank > last->rank)) last = one;
    }
    for (const SweepDecision* one : decisions)
      rung.stopped_as_good += last && !one->goes_on && one->value == last->value;
    rungs.push_back(rung);
  }
  return rungs;
}

// The rank that the best had in the first rung; empty where it cannot be told.
std::string how_the_best_began(const SweepResults& results) {
  const std::vector<const SweepConfiguration*> best = best_of(results);
  if (best.size() != 1 || !results.resource) return "";
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    if (axis != results.resource) parts.push_back(results.axes[axis] + "=" + best[0]->values[axis]);
  }
  for (const SweepDecision& decision : results.decisions) {
    if (decision.rung == results.decisions.front().rung &&
        decision.configuration == join(parts, ","))
      return fmt::format(" The best was number {} then.", decision.rank);
  }
  return "";
}

std::vector<std::string> what_halving_did(const SweepResults& results) {
  if (results.decisions.empty()) return {};
  const std::vector<HalvingRung> rungs = rungs_of(results);
  const std::string resource = results.resource ? markdown_code(results.axes[*results.resource])
                                                : std::string("the resource");
  std::string story = fmt::format("Successive halving gave {} {} of {}",
                                  counted(rungs[0].configurations, "configuration"),
                                  markdown_escaped(rungs[0].amount), resource);
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const bool is_last = i + 1 == rungs.size();
    story += is_last && i > 0 ? ", and " : "; ";
    if (rungs[i].went_on == 0) {
      story += "none went on";
      continue;
    }
    const std::string count = count_text(rungs[i].went_on);
    story += fmt::format("{} got {}", i == 0 ? "the best " + count : count + " of those",
                         is_last ? "all of it" : markdown_escaped(rungs[i + 1].amount));
  }
  std::vector<std::string> sentences = {story + "." + how_the_best_began(results)};
  for (const HalvingRung& rung : rungs) {
    if (rung.stopped_as_good > 0)
      sentences.push_back(fmt::format(
          "At {} of {}, {} stopped though as good as the last that went on: the order of the list "
          "decided.",
          markdown_escaped(rung.amount), resource, counted(rung.stopped_as_good, "configuration")));
  }
  return sentences;
}

std::string configurations_row(const SweepResults& results, const SweepConfiguration& one,
                               std::size_t metrics) {
  std::string line = "|";
  for (const std::string& value : one.values) line += " " + markdown_escaped(value) + " |";
  for (std::size_t i = 0; i < metrics; ++i) {
    const std::string text = interval_text(one.metrics[i]);
    line += one.best && i == 0 ? " **" + text + "** |" : " " + (text.empty() ? "–" : text) + " |";
  }
  return line + (results.seeds > 1 ? fmt::format(" {} |\n", one.seeds) : "\n");
}

// What the table does not show, and what its numbers are.
std::string notes_on_table(const SweepResults& results, std::size_t rows, std::size_t metrics) {
  std::vector<std::string> notes;
  if (results.has_objective)
    notes.push_back(fmt::format("The objective is {}; the best of it is bold.",
                                markdown_code(results.metrics[0])));
  if (results.seeds > 1) notes.push_back("Means over seeds, ± half of the 95 % interval.");
  if (rows < results.configurations.size())
    notes.push_back(fmt::format("These are the first {}.",
                                n_of_m(rows, results.configurations.size(), "configurations")));
  if (metrics < results.metrics.size()) {
    std::vector<std::string> left_out;
    for (std::size_t i = metrics; i < results.metrics.size(); ++i)
      left_out.push_back(markdown_code(results.metrics[i]));
    notes.push_back(fmt::format("{} not shown for want of room, but {} in {}: {}.",
                                counted(left_out.size(), "more metric is", "more metrics are"),
                                left_out.size() == 1 ? "is" : "are",
                                markdown_code(results.comparison_origin),
                                enumerated(left_out, kMostNamed)));
  }
  return notes.empty() ? "" : "\n" + join(notes, " ") + "\n";
}

std::string configurations_table(const SweepResults& results) {
  if (results.configurations.empty()) return "";
  const std::size_t metrics = std::min(kMostMetrics, results.metrics.size());
  std::string head = "|", rule = "|";
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    head += " " + markdown_escaped(results.axes[axis]) + " |";
    rule += axis_numbers(results, axis) ? " ---: |" : " --- |";
  }
  for (std::size_t i = 0; i < metrics; ++i) {
    const bool is_objective = i == 0 && results.has_objective;
    head += " " + markdown_escaped(results.metrics[i]) + (is_objective ? " (objective) |" : " |");
    rule += " ---: |";
  }
  if (results.seeds > 1) head += " seeds |", rule += " ---: |";
  if (head == "|") return "";  // one configuration, and nothing measured
  std::string text = head + "\n" + rule + "\n";
  const std::size_t rows = std::min(kMostRows, results.configurations.size());
  for (std::size_t i = 0; i < rows; ++i)
    text += configurations_row(results, results.configurations[i], metrics);
  return text + notes_on_table(results, rows, metrics);
}

}  // namespace

std::string tell_sweep(const Sources& sources) {
  const SweepResults results = read_sweep(sources);
  if (results.trials == 0) return "The sweep has no trials.\n";
  std::vector<std::string> sentences = {what_was_tried(results), what_is_missing(results),
                                        which_is_best(results), how_sure(results),
                                        what_seeds_do(results)};
  for (std::string& sentence : axis_sentences(results)) sentences.push_back(std::move(sentence));
  for (std::string& sentence : what_halving_did(results)) sentences.push_back(std::move(sentence));
  std::erase(sentences, "");
  return bullets(sentences) + "\n" + configurations_table(results);
}

}  // namespace headway
