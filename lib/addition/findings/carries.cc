#include "lib/addition/findings/carries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/addition/findings/head_tables.h"
#include "lib/addition/findings/wrong_sums.h"
#include "lib/base/error.h"
#include "lib/numerics/intervals.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

struct CarryGroup {
  std::string value;  // "2"
  std::size_t count = 0;
  double greedy = 0;
  double low = 0;  // NaN where nothing was sampled: the share is that of all problems there are
  double high = 0;

  bool is_exact() const { return std::isnan(low); }
  std::size_t right() const {
    return static_cast<std::size_t>(std::lround(static_cast<double>(count) * greedy));
  }
  std::size_t wrong() const { return count - right(); }
  std::string text() const { return percent_with_interval(greedy, low, high); }
  std::string bare_text() const { return without_parentheses(text()); }
};

// The table of an evaluation.
class CarryAccuracy {
 public:
  explicit CarryAccuracy(const Sources& sources)
      : table_(sources.table("accuracy")), origin_(sources.file("accuracy").origin) {
    require_columns(table_, {"group", "value", "count", "greedy", "low", "high"},
                    "a table of evaluate-seq2seq", origin_);
    const std::vector<CarryGroup> all = groups("all");
    if (all.empty()) {
      throw Error(fmt::format(
          "{}: a table of evaluate-seq2seq is expected, but no row is of the group 'all'",
          origin_));
    }
    // Every addition there is, of numbers with one digit less than the sum.
    const std::size_t places = groups("position").size();
    is_census_ = places > 1 && all.front().count == additions_of(places - 1);
  }

  CarryGroup overall() const { return groups("all").front(); }

  // Of one property, those that have problems, in the order of the table.
  std::vector<CarryGroup> groups(std::string_view property) const {
    std::vector<CarryGroup> found;
    for (std::size_t row = 0; row < table_.size(); ++row) {
      if (table_.text(row, "group") != property) continue;
      const std::size_t count = whole_number(table_, row, "count", origin_);
      if (count == 0) continue;
      const auto bound = [&](const char* column) {
        return is_census_ ? std::numeric_limits<double>::quiet_NaN()
                          : share_number(table_, row, column, origin_);
      };
      found.push_back({table_.text(row, "value"), count,
                       share_number(table_, row, "greedy", origin_), bound("low"), bound("high")});
    }
    return found;
  }

 private:
  Table table_;
  std::string origin_;
  bool is_census_ = false;
};

// A property by which problems are grouped, and how its values are said.
struct CarryProperty {
  std::string group;
  std::string subject;  // "number of carries"
  std::string (*phrase)(const CarryGroup&);
};

std::string carries_phrase(const CarryGroup& group) {
  if (group.value == "0") return "without a carry";
  return fmt::format("with {} {}", markdown_escaped(group.value),
                     group.value == "1" ? "carry" : "carries");
}

std::string chain_phrase(const CarryGroup& group) {
  if (group.value == "0") return "without a carry";
  return fmt::format("with a longest chain of {}", markdown_escaped(group.value));
}

std::string leading_phrase(const CarryGroup& group) {
  return fmt::format("whose sum is written with {} in front", markdown_escaped(group.value));
}

const std::vector<CarryProperty>& carry_properties() {
  static const std::vector<CarryProperty> kProperties = {
      {"carries", "number of carries", carries_phrase},
      {"chain", "longest carry chain", chain_phrase},
      {"leading", "leading digit", leading_phrase}};
  return kProperties;
}

// a's share less b's, of different problems. Of all problems there are, it has no width.
Interval carry_difference(const CarryGroup& a, const CarryGroup& b, std::size_t comparisons = 1) {
  if (a.is_exact()) return {a.greedy - b.greedy, a.greedy - b.greedy, a.greedy - b.greedy};
  const auto whole = [](std::size_t count) { return static_cast<std::int64_t>(count); };
  return share_difference(whole(a.right()), whole(a.count), whole(b.right()), whole(b.count),
                          deviations_for(comparisons));
}

std::size_t pairs_among(std::size_t count) {
  return count * (count - 1) / 2;
}

// How the last group, the hardest where more is harder, stands to the first.
std::string tell_trend(const CarryProperty& property, const std::vector<CarryGroup>& groups) {
  const CarryGroup &first = groups.front(), &last = groups.back();
  const std::string ends =
      fmt::format("problems {} are right in {}, those {} in {}", property.phrase(first),
                  first.text(), property.phrase(last), last.text());
  const bool falls = last.greedy < first.greedy;
  const Interval apart = falls ? carry_difference(first, last) : carry_difference(last, first);
  if (first.is_exact()) {
    return apart.value == 0 ? ends
                            : fmt::format("{}: {} by {}", ends, falls ? "worse" : "better",
                                          points_text(100 * apart.value));
  }
  const std::string difference =
      points_with_interval(100 * apart.value, 100 * apart.low, 100 * apart.high);
  if (excludes_zero(apart))
    return fmt::format("{}: {} by {}", ends, falls ? "worse" : "better", difference);
  return fmt::format("{}: they cannot be told apart, the difference is {}", ends, difference);
}

// Groups in the middle may be worse, or better, than both ends.
std::string tell_extremes(const CarryProperty& property, const std::vector<CarryGroup>& groups) {
  const auto by_share = [](const CarryGroup& a, const CarryGroup& b) {
    return a.greedy < b.greedy;
  };
  const auto worst = std::min_element(groups.begin(), groups.end(), by_share);
  const auto best = std::max_element(groups.begin(), groups.end(), by_share);
  const bool is_end = worst == groups.begin() || worst + 1 == groups.end();
  const bool best_is_end = best == groups.begin() || best + 1 == groups.end();
  if (is_end && best_is_end) return "";
  // Those two are chosen among all, so that all pairs count as compared.
  if (!excludes_zero(carry_difference(*worst, *best, pairs_among(groups.size())))) return "";
  // What the ends are has been said.
  const auto share = [](const CarryGroup& group, bool is_said) {
    return is_said ? "" : fmt::format(" ({})", group.bare_text());
  };
  return fmt::format("; worst are those {}{}, best those {}{}", property.phrase(*worst),
                     share(*worst, is_end), property.phrase(*best), share(*best, best_is_end));
}

std::string tell_property(const CarryProperty& property, const std::vector<CarryGroup>& groups) {
  const std::string by = fmt::format("By {}", property.subject);
  if (groups.size() == 1) {
    return fmt::format("{} there is nothing to compare: all are problems {} ({}).", by,
                       property.phrase(groups.front()), groups.front().bare_text());
  }
  const bool all_right = std::all_of(groups.begin(), groups.end(),
                                     [](const CarryGroup& group) { return group.greedy == 1; });
  const bool all_wrong = std::all_of(groups.begin(), groups.end(),
                                     [](const CarryGroup& group) { return group.greedy == 0; });
  if (all_right || all_wrong) {
    std::vector<std::string> parts;
    for (const CarryGroup& group : groups)
      parts.push_back(fmt::format("{} {}", count_text(group.count), property.phrase(group)));
    return fmt::format("{} no kind is harder than another: {} are all {}.", by, enumerated(parts),
                       all_right ? "right" : "wrong");
  }
  return fmt::format("{}, {}{}.", by, tell_trend(property, groups),
                     tell_extremes(property, groups));
}

// Places of the same answers. Where one of them is always right, or always wrong, the other's
// exceptions are all the answers in which they differ; else they are compared as if they were of
// different answers.
bool are_places_apart(const CarryGroup& worst, const CarryGroup& best, std::size_t comparisons) {
  if (worst.is_exact()) return worst.greedy < best.greedy;
  if (best.greedy == 1 || worst.greedy == 0) {
    const std::size_t differing = best.greedy == 1 ? worst.wrong() : best.right();
    return sign_test(differing, 0) * static_cast<double>(comparisons) < 0.05;
  }
  return excludes_zero(carry_difference(worst, best, comparisons));
}

std::string tell_digit_places(const std::vector<CarryGroup>& positions) {
  if (positions.empty()) return "";
  const auto by_share = [](const CarryGroup& a, const CarryGroup& b) {
    return a.greedy < b.greedy;
  };
  const auto worst = std::min_element(positions.begin(), positions.end(), by_share);
  const auto best = std::max_element(positions.begin(), positions.end(), by_share);
  const auto name = [&](const CarryGroup& position) {
    const auto at = static_cast<std::size_t>(&position - positions.data());
    return fmt::format("digit {} of {}", at + 1, positions.size());
  };
  if (worst->greedy == 1) return "Every digit of every answer is right.";
  if (worst->greedy == best->greedy)
    return fmt::format("Each digit of the answer is right in {}.", worst->text());
  if (!are_places_apart(*worst, *best, pairs_among(positions.size()))) {
    return fmt::format(
        "No digit of the answer can be told from another: {} are right at the worst place, {} at "
        "the best.",
        worst->text(), best->text());
  }
  return fmt::format("From the left, {} is wrong most often (right in {}), {} least (right in {}).",
                     name(*worst), worst->bare_text(), name(*best), best->bare_text());
}

}  // namespace

std::string tell_carry_accuracy(const Sources& sources) {
  const CarryAccuracy accuracy(sources);
  const CarryGroup overall = accuracy.overall();
  std::vector<std::string> sentences;
  for (const CarryProperty& property : carry_properties()) {
    const std::vector<CarryGroup> groups = accuracy.groups(property.group);
    if (!groups.empty()) sentences.push_back(tell_property(property, groups));
  }
  sentences.push_back(tell_digit_places(accuracy.groups("position")));
  if (overall.wrong() == 0) {
    sentences.push_back(fmt::format("There is no failure to show: none of {} answers is wrong.",
                                    count_text(overall.count)));
  } else if (sources.has("failures")) {
    sentences.push_back(tell_wrong_sums(sources));
  }
  std::erase(sentences, "");
  return bullets(sentences);
}

std::string carry_accuracy_headline(const Sources& sources) {
  const CarryAccuracy accuracy(sources);
  const CarryGroup overall = accuracy.overall();
  if (overall.wrong() == 0) {
    return fmt::format(
        "No kind of addition stands out: none of {} is answered wrongly, however many carries "
        "there are.",
        counted(overall.count, "problem"));
  }
  const std::vector<CarryGroup> groups = accuracy.groups("chain");
  const std::string wrong =
      fmt::format("{} wrong.", n_of_m(overall.wrong(), overall.count,
                                      overall.wrong() == 1 ? "problems is" : "problems are"));
  if (groups.empty()) return wrong;
  return wrong + " " + tell_property(carry_properties()[1], groups);
}

}  // namespace headway
