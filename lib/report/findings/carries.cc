#include "lib/report/findings/carries.h"

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

struct CarryGroup {
  std::string value;  // "2"
  std::size_t count = 0;
  double greedy = 0;
  double low = 0;
  double high = 0;

  std::size_t wrong() const {
    return static_cast<std::size_t>(std::lround(static_cast<double>(count) * (1 - greedy)));
  }
  std::string text() const { return percent_with_interval(greedy, low, high); }
};

// Of one property, those that have problems, in the order of the table.
std::vector<CarryGroup> read_groups(const Table& accuracy, std::string_view group) {
  std::vector<CarryGroup> groups;
  for (std::size_t row = 0; row < accuracy.size(); ++row) {
    if (accuracy.text(row, "group") != group || accuracy.number(row, "count") < 1) continue;
    groups.push_back({accuracy.text(row, "value"),
                      static_cast<std::size_t>(accuracy.number(row, "count")),
                      accuracy.number(row, "greedy"), accuracy.number(row, "low"),
                      accuracy.number(row, "high")});
  }
  return groups;
}

CarryGroup read_overall(const Sources& sources, const Table& accuracy) {
  const std::vector<CarryGroup> all = read_groups(accuracy, "all");
  if (all.empty()) {
    throw Error(
        fmt::format("{}: a table of evaluate-seq2seq is expected, but no row is of the "
                    "group 'all'",
                    sources.file("accuracy").origin));
  }
  return all.front();
}

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

bool is_worse(const CarryGroup& a, const CarryGroup& b) {
  return beyond_intervals(a.low, a.high, b.low, b.high) == "smaller";
}

// How the last group, the hardest where more is harder, stands to the first.
std::string tell_trend(const CarryProperty& property, const std::vector<CarryGroup>& groups) {
  const CarryGroup &first = groups.front(), &last = groups.back();
  const std::string ends =
      fmt::format("problems {} are right in {}, those {} in {}", property.phrase(first),
                  first.text(), property.phrase(last), last.text());
  if (is_worse(last, first)) return ends + ": worse, beyond their intervals";
  if (is_worse(first, last)) return ends + ": better, beyond their intervals";
  return ends + ": their intervals overlap, so that they cannot be told apart";
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
  if ((is_end && best_is_end) || !is_worse(*worst, *best)) return "";
  return fmt::format("; worst are those {} ({}), best those {} ({})", property.phrase(*worst),
                     worst->text(), property.phrase(*best), best->text());
}

std::string tell_property(const CarryProperty& property, const std::vector<CarryGroup>& groups) {
  const std::string by = fmt::format("By {}", property.subject);
  if (groups.size() == 1) {
    return fmt::format("{} there is nothing to compare: all are problems {} ({}).", by,
                       property.phrase(groups.front()), groups.front().text());
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

std::string tell_digit_places(const std::vector<CarryGroup>& positions) {
  if (positions.empty()) return "";
  const auto worst = std::min_element(
      positions.begin(), positions.end(),
      [](const CarryGroup& a, const CarryGroup& b) { return a.greedy < b.greedy; });
  const auto best = std::max_element(
      positions.begin(), positions.end(),
      [](const CarryGroup& a, const CarryGroup& b) { return a.greedy < b.greedy; });
  const auto name = [&](const CarryGroup& position) {
    const auto at = static_cast<std::size_t>(&position - positions.data());
    return fmt::format("digit {} of {}", at + 1, positions.size());
  };
  if (worst->greedy == 1) return "Every digit of every answer is right.";
  if (!is_worse(*worst, *best)) {
    return fmt::format(
        "No digit of the answer can be told from another: {} are right at the worst place, {} at "
        "the best.",
        worst->text(), best->text());
  }
  return fmt::format("From the left, {} is wrong most often ({} right), {} least ({}).",
                     name(*worst), worst->text(), name(*best), best->text());
}

// "374+814=1188, predicted 0188"
struct CarryFailure {
  std::string line;
  std::string target;
  std::string said;
};

std::vector<CarryFailure> read_wrong_sums(const Sources& sources) {
  std::vector<CarryFailure> failures;
  for (const std::string& line : split(sources.file("failures").bytes, '\n')) {
    if (trim(line).empty()) continue;
    const std::size_t equals = line.find('='), comma = line.find(", predicted ");
    CarryFailure failure{line, "", ""};
    if (equals != std::string::npos && comma != std::string::npos && equals < comma) {
      failure.target = line.substr(equals + 1, comma - equals - 1);
      failure.said = std::string(trim(std::string_view(line).substr(comma + 12)));
    }
    failures.push_back(std::move(failure));
  }
  return failures;
}

bool is_digits(const std::string& text) {
  return !text.empty() && text.size() <= 15 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

// What the answer is too much, if it is a power of ten: what one carry too many, or too few, does.
std::optional<bool> carry_too_many(const CarryFailure& failure) {
  if (!is_digits(failure.target) || !is_digits(failure.said)) return std::nullopt;
  const long long apart = std::stoll(failure.said) - std::stoll(failure.target);
  for (long long power = 1; power <= std::llabs(apart); power *= 10)
    if (power == std::llabs(apart) && power >= 10) return apart > 0;
  return std::nullopt;
}

std::size_t wrong_digits(const CarryFailure& failure) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < failure.target.size(); ++i)
    wrong += i >= failure.said.size() || failure.said[i] != failure.target[i];
  return wrong;
}

std::string tell_wrong_sums(const std::vector<CarryFailure>& failures) {
  std::size_t dropped = 0, invented = 0, single = 0, leading = 0;
  for (const CarryFailure& failure : failures) {
    const std::optional<bool> carry = carry_too_many(failure);
    dropped += carry && !*carry;
    invented += carry && *carry;
    single += wrong_digits(failure) == 1;
    leading += !failure.target.empty() &&
               (failure.said.empty() || failure.said.front() != failure.target.front());
  }
  const std::size_t all = failures.size();
  std::vector<std::string> shown;
  for (const CarryFailure& failure : failures) {
    if (shown.size() == 5) break;
    shown.push_back(markdown_code(failure.line));
  }
  return fmt::format(
      "{} {} wrong{}: {}. In one digit only: {}; in the leading digit: {}. Too small by 10, 100 "
      "or another such power, as if a carry were lost: {}; too large by one, as if a carry were "
      "added: {}.",
      counted(all, "answer"), all == 1 ? "is" : "are",
      all > shown.size() ? fmt::format(", of which the first {}", shown.size()) : "",
      enumerated(shown), count_text(single), count_text(leading), count_text(dropped),
      count_text(invented));
}

}  // namespace

std::string tell_carry_accuracy(const Sources& sources) {
  const Table accuracy = sources.table("accuracy");
  const CarryGroup overall = read_overall(sources, accuracy);
  std::vector<std::string> sentences;
  for (const CarryProperty& property : carry_properties()) {
    const std::vector<CarryGroup> groups = read_groups(accuracy, property.group);
    if (!groups.empty()) sentences.push_back(tell_property(property, groups));
  }
  sentences.push_back(tell_digit_places(read_groups(accuracy, "position")));
  if (overall.wrong() == 0) {
    sentences.push_back(fmt::format("There is no failure to show: {} of {} answers are wrong.", 0,
                                    count_text(overall.count)));
  } else if (sources.has("failures")) {
    const std::vector<CarryFailure> failures = read_wrong_sums(sources);
    if (!failures.empty()) sentences.push_back(tell_wrong_sums(failures));
  }
  std::erase(sentences, "");
  return bullets(sentences);
}

std::string carry_accuracy_headline(const Sources& sources) {
  const Table accuracy = sources.table("accuracy");
  const CarryGroup overall = read_overall(sources, accuracy);
  if (overall.wrong() == 0) {
    return fmt::format(
        "No kind of addition stands out: none of {} is answered wrongly, however many carries "
        "there are.",
        counted(overall.count, "problem"));
  }
  const std::vector<CarryGroup> groups = read_groups(accuracy, "chain");
  const std::string wrong =
      fmt::format("{} wrong.", n_of_m(overall.wrong(), overall.count,
                                      overall.wrong() == 1 ? "problems is" : "problems are"));
  if (groups.empty()) return wrong;
  return wrong + " " + tell_property(carry_properties()[1], groups);
}

}  // namespace headway
