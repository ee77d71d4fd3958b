#include "lib/addition/findings/cut_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "lib/base/error.h"
#include "lib/numerics/intervals.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

// The checkpoint that was cut: accuracies are shares of the same test problems.
struct CutModel {
  double whole = 0;
  double cut = 0;
  std::optional<double> tuned;
  std::size_t removed = 0;
  std::size_t parameters = 0;
  std::size_t whole_parameters = 0;
};

CutModel read_cut(const Sources& sources) {
  const Json metrics = sources.metrics("pruned");
  const std::string& origin = sources.file("pruned").origin;
  CutModel model{.whole = metric_share(metrics, "greedy", origin),
                 .cut = metric_share(metrics, "pruned.greedy", origin),
                 .tuned = {},
                 .removed = metric_whole_number(metrics, "pruned.heads_removed", origin),
                 .parameters = metric_whole_number(metrics, "pruned.parameters", origin),
                 .whole_parameters = metric_whole_number(metrics, "parameters", origin)};
  if (has_metric(metrics, "pruned.fine_tuned"))
    model.tuned = metric_share(metrics, "pruned.fine_tuned", origin);
  if (model.parameters > model.whole_parameters || model.whole_parameters == 0) {
    throw Error(fmt::format("{}: a pruned model of {} parameters is none of one of {}", origin,
                            model.parameters, model.whole_parameters));
  }
  return model;
}

// Of test problems; 0 where it is unknown how many there are.
struct CutShare {
  double share = 0;
  std::size_t problems = 0;

  std::int64_t right() const {
    return static_cast<std::int64_t>(std::llround(share * static_cast<double>(problems)));
  }
  std::string text() const {
    if (problems == 0) return percent_text(share);
    const Interval wilson = share_interval(right(), static_cast<std::int64_t>(problems));
    return percent_with_interval(share, wilson.low, wilson.high);
  }
};

// How `now` stands to `before`, on the same problems. Where one of them is all or nothing, it is
// known which answers changed: all that differ, one way. Else they are compared as if they were of
// different problems.
std::string share_against(const CutShare& now, const CutShare& before, const std::string& name) {
  if (now.share == before.share) return "the same share as " + name;
  const bool is_more = now.share > before.share;
  const std::string plain = fmt::format("{} than {}", is_more ? "more" : "less", name);
  if (now.problems == 0) return plain;
  const bool is_pairing_known =
      std::max(now.share, before.share) == 1 || std::min(now.share, before.share) == 0;
  if (is_pairing_known) {
    const auto changed = static_cast<std::size_t>(std::llabs(now.right() - before.right()));
    const double p = sign_test(changed, 0);
    return fmt::format("{} {} of the same problems ({}sign test, {}) than {}", count_text(changed),
                       is_more ? "more" : "fewer",
                       p < 0.05 ? "" : "which may be chance: ", p_text(p), name);
  }
  const auto count = static_cast<std::int64_t>(now.problems);
  if (excludes_zero(share_difference(now.right(), count, before.right(), count))) return plain;
  return fmt::format("not told apart (compared as if on different problems) from {}", name);
}

std::size_t test_problems(const Sources& sources) {
  if (!sources.has("data")) return 0;
  const Json metrics = sources.metrics("data");
  return has_metric(metrics, "test")
             ? metric_whole_number(metrics, "test", sources.file("data").origin)
             : 0;
}

}  // namespace

std::string tell_cut_model(const Sources& sources) {
  const CutModel model = read_cut(sources);
  if (model.removed == 0)
    return "No head is removed from the smaller checkpoint: it is the whole model.";
  const std::size_t problems = test_problems(sources);
  const CutShare whole{model.whole, problems}, cut{model.cut, problems};
  std::string text = fmt::format("The checkpoint without {} is right in {}",
                                 counted(model.removed, "head"), cut.text());
  const std::string whole_name = fmt::format("the whole model ({})", percent_text(model.whole));
  if (model.tuned) {
    const CutShare tuned{*model.tuned, problems};
    text +=
        fmt::format("; after fine-tuning in {}: {}, and {}", tuned.text(),
                    share_against(tuned, cut, "before"), share_against(tuned, whole, whole_name));
  } else {
    text += fmt::format(": {}", share_against(cut, whole, whole_name));
  }
  return fmt::format("{}. It has {} instead of {} parameters, {} fewer.", text,
                     count_text(model.parameters), count_text(model.whole_parameters),
                     percent_text(1 - static_cast<double>(model.parameters) /
                                          static_cast<double>(model.whole_parameters)));
}

std::string tell_cut_speed(const Sources& sources) {
  const Table timing = sources.table("timing");
  const std::string& origin = sources.file("timing").origin;
  require_columns(timing, {"model", "problems_per_second"}, "timing of prune-heads", origin);
  double whole = 0, pruned = 0;
  for (std::size_t row = 0; row < timing.size(); ++row) {
    const double rate = positive_number(timing, row, "problems_per_second", origin);
    if (timing.text(row, "model") == "whole") whole = rate;
    if (timing.text(row, "model") == "pruned") pruned = rate;
  }
  if (!(whole > 0) || !(pruned > 0)) return "";
  const double ratio = pruned / whole;
  const std::string order = std::fabs(ratio - 1) < 0.05
                                ? "as fast, within what such a measurement can tell"
                                : fmt::format("{:.2f} times as fast", ratio);
  return fmt::format(
      "It scores {} problems a second, the whole model {}: {} (medians of several passes on the "
      "machine of the run).",
      count_text(static_cast<std::size_t>(std::lround(pruned))),
      count_text(static_cast<std::size_t>(std::lround(whole))), order);
}

}  // namespace headway
