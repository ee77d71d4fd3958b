#include "lib/addition/findings/ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/addition/findings/head_tables.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

// Points; kCriticalPoints and kRedundantPoints of lib/analysis/ablation.h, whose classes the tables
// have.
constexpr double kCriticalAbove = 10;
constexpr double kRedundantUpTo = 1;

std::vector<std::string> labels_where(const HeadAblation& ablation, const std::string& head_class) {
  std::vector<std::string> labels;
  for (const HeadDrop& head : ablation.heads)
    if (head.head_class == head_class) labels.push_back(markdown_escaped(head.label));
  return labels;
}

std::string ablation_drop(const HeadDrop& head) {
  return points_with_interval(head.drop, head.low, head.high);
}

std::string tell_classes(const HeadAblation& ablation) {
  const std::vector<std::string> critical = labels_where(ablation, "critical");
  return fmt::format("{}: {} critical (more than {}){}, {} important, {} redundant (at most {}).",
                     way_text(ablation),
                     n_of_m(critical.size(), ablation.heads.size(),
                            critical.size() == 1 ? "heads is" : "heads are"),
                     points_text(kCriticalAbove),
                     critical.empty() ? "" : " – " + enumerated(critical, 8) + " –",
                     count_text(ablation.count("important")),
                     count_text(ablation.count("redundant")), points_text(kRedundantUpTo));
}

// Heads whose drop may be as large as the largest.
std::vector<std::string> rivals_of_first(const HeadAblation& ablation) {
  const HeadDrop& first = ablation.heads.front();
  std::vector<std::string> rivals;
  for (const HeadDrop& head : ablation.heads) {
    const Interval ahead = difference_between(first.interval(), head.interval());
    if (&head != &first && !excludes_zero(ahead)) rivals.push_back(markdown_escaped(head.label));
  }
  return rivals;
}

std::string tell_most_critical(const HeadAblation& ablation) {
  const HeadDrop& first = ablation.heads.front();
  if (first.drop <= 0) {
    return fmt::format("No head's removal lowers exact match, which is {} with all heads.",
                       percent_text(ablation.whole()));
  }
  const std::vector<std::string> rivals = rivals_of_first(ablation);
  const std::string doubt =
      ablation.heads.size() == 1
          ? ""
          : fmt::format(" {} (compared as if measured on different problems).",
                        rivals.empty() ? "Every other head costs less"
                                       : "It cannot be told from " + enumerated(rivals, 4));
  return fmt::format("Most is lost without {}: {}; exact match falls from {} to {}.{}",
                     markdown_escaped(first.label), ablation_drop(first),
                     percent_text(ablation.whole()), percent_text(first.left), doubt);
}

struct AblationSite {
  std::string module;
  int layer = 0;
  std::size_t heads = 0;
  double lost = 0;  // points, summed over heads; what removal gains counts for nothing
  double largest = 0;
};

std::vector<AblationSite> sites_by_loss(const HeadAblation& ablation) {
  std::vector<AblationSite> sites;
  for (const HeadDrop& head : ablation.heads) {
    auto site = std::find_if(sites.begin(), sites.end(), [&](const AblationSite& known) {
      return known.module == head.module && known.layer == head.layer;
    });
    if (site == sites.end()) site = sites.insert(sites.end(), {head.module, head.layer});
    ++site->heads;
    site->lost += std::max(0.0, head.drop);
    site->largest = std::max(site->largest, head.drop);
  }
  std::stable_sort(sites.begin(), sites.end(),
                   [](const AblationSite& a, const AblationSite& b) { return a.lost > b.lost; });
  return sites;
}

std::string tell_sites(const HeadAblation& ablation) {
  const std::vector<AblationSite> sites = sites_by_loss(ablation);
  double lost = 0;
  for (const AblationSite& site : sites) lost += site.lost;
  if (lost <= 0 || sites.size() < 2) return "";
  std::vector<std::string> parts, free;
  for (const AblationSite& site : sites) {
    const std::string name = site_text(site.module, site.layer);
    if (site.largest <= kRedundantUpTo) {
      free.push_back(name);
    } else {
      parts.push_back(fmt::format("{} {}in {}", percent_text(site.lost / lost),
                                  parts.empty() ? "are " : "", name));
    }
  }
  std::vector<std::string> clauses;
  if (!parts.empty()) {
    clauses.push_back(
        fmt::format("of the losses of single heads, added up, {}", enumerated(parts)));
  }
  if (!free.empty()) {
    clauses.push_back(fmt::format("no head of {} costs more than {}", join(free, " or "),
                                  points_text(kRedundantUpTo)));
  }
  return fmt::format("{} by place: {}.", way_text(ablation), join(clauses, "; "));
}

std::string tell_unsettled(const HeadAblation& ablation) {
  std::vector<std::string> unsettled;
  for (const HeadDrop& head : ablation.heads) {
    const auto crosses = [&](double limit) { return head.low <= limit && limit < head.high; };
    if (crosses(kCriticalAbove) || crosses(kRedundantUpTo))
      unsettled.push_back(
          fmt::format("{} ({})", markdown_escaped(head.label), drop_in_parentheses(head)));
  }
  if (unsettled.empty())
    return fmt::format("{}: no head's interval reaches into another class.", way_text(ablation));
  return fmt::format("{}: the class of {} is not settled by {}: {}.", way_text(ablation),
                     counted(unsettled.size(), "head"),
                     unsettled.size() == 1 ? "its interval" : "their intervals",
                     enumerated(unsettled, 6));
}

std::string tell_weak_model(const HeadAblation& ablation) {
  if (100 * ablation.whole() > kCriticalAbove) return "";
  return fmt::format("The whole model is right in only {}, so that no head can be critical.",
                     percent_text(ablation.whole()));
}

// Two ways of switching heads off, joined by head.
struct AblationPair {
  std::vector<const HeadDrop*> a, b;
};

AblationPair joined_heads(const HeadAblation& a, const HeadAblation& b) {
  AblationPair pair;
  for (const HeadDrop& head : a.heads) {
    const HeadDrop* other = b.find(head.label);
    if (!other) continue;
    pair.a.push_back(&head);
    pair.b.push_back(other);
  }
  return pair;
}

std::string tell_class_changes(const AblationPair& pair) {
  std::vector<std::string> changes;
  for (std::size_t i = 0; i < pair.a.size(); ++i) {
    if (pair.a[i]->head_class == pair.b[i]->head_class) continue;
    changes.push_back(fmt::format("{} ({}, then {})", markdown_escaped(pair.a[i]->label),
                                  markdown_escaped(pair.a[i]->head_class),
                                  markdown_escaped(pair.b[i]->head_class)));
  }
  if (changes.empty()) return "every head is in the same class";
  return fmt::format(
      "{} in another class: {}",
      n_of_m(changes.size(), pair.a.size(), changes.size() == 1 ? "heads is" : "heads are"),
      enumerated(changes, 8));
}

std::string tell_cost_difference(const AblationPair& pair, const std::string& a_name,
                                 const std::string& b_name) {
  std::size_t more = 0, less = 0;
  for (std::size_t i = 0; i < pair.a.size(); ++i) {
    const Interval apart =
        difference_between(pair.a[i]->interval(), pair.b[i]->interval(), pair.a.size());
    more += apart.low > 0;
    less += apart.high < 0;
  }
  const std::string how = pair.a.size() == 1
                              ? "compared as if measured on different problems"
                              : fmt::format(
                                    "compared as if measured on different problems, so "
                                    "that all {} hold together with 95 %",
                                    count_text(pair.a.size()));
  if (more + less == 0)
    return fmt::format("No head's drop can be told apart between the two ({}).", how);
  return fmt::format("{} costs more than {} for {}, and less for {} ({}).", capitalised(a_name),
                     b_name, more == 0 ? "no head" : counted(more, "head"),
                     less == 0 ? "none" : count_text(less), how);
}

// What a head's mean can stand in for does not depend on the problem.
std::string tell_constants(const AblationPair& pair) {
  std::vector<std::string> constant;
  for (std::size_t i = 0; i < pair.a.size(); ++i) {
    if (pair.a[i]->low > kRedundantUpTo && pair.b[i]->high <= kRedundantUpTo)
      constant.push_back(markdown_escaped(pair.a[i]->label));
  }
  if (constant.empty()) return "";
  return fmt::format(
      "For {}, zero ablation costs more than a point and mean ablation at most one, intervals "
      "included: what the rest of the model needs of {} alone is, to within a point, a constant at "
      "each position, and nothing about the problem. What another head can stand in for does not "
      "show here.",
      enumerated(constant, 8), constant.size() == 1 ? "it" : "each of them");
}

std::string tell_rank_agreement(const AblationPair& pair, const std::string& names) {
  std::vector<double> a_drops, b_drops;
  for (const HeadDrop* head : pair.a) a_drops.push_back(head->drop);
  for (const HeadDrop* head : pair.b) b_drops.push_back(head->drop);
  const RankCorrelation correlation = correlate_ranks(a_drops, b_drops);
  if (!correlation.is_defined()) {
    return fmt::format(
        "{} cannot be compared by rank: one of them has all heads equal, or there are too few",
        names);
  }
  const std::string agreement = !correlation.excludes_zero() ? "cannot be shown to rank heads alike"
                                : correlation.value > 0 ? "rank heads more alike than chance would"
                                                        : "rank heads the other way round";
  return fmt::format("{} {}: rank correlation {}", names, agreement, correlation_text(correlation));
}

std::vector<std::string> compare_ways(const HeadAblation& a, const HeadAblation& b) {
  const AblationPair pair = joined_heads(a, b);
  const std::string names = fmt::format("{} and {}", way_text(a), way_text(b));
  if (pair.a.empty()) return {fmt::format("{} have no head in common.", names)};
  return {
      fmt::format("{}; {}.", tell_rank_agreement(pair, names), tell_class_changes(pair)),
      tell_cost_difference(pair, way_text(a), way_text(b)),
      a.way == "zero" && b.way == "mean" ? tell_constants(pair) : "",
  };
}

// Items of a list.
std::vector<std::string> tell_way(const HeadAblation& ablation) {
  std::vector<std::string> first = {tell_classes(ablation), tell_weak_model(ablation),
                                    tell_most_critical(ablation)};
  std::erase(first, "");
  return {join(first, " "), tell_sites(ablation), tell_unsettled(ablation)};
}

// "Encoder L0 H3 by zero ablation (87.6 points, 95 % interval 86.1 to 89.0; not told from …)"
std::string costliest_head(const HeadAblation& ablation) {
  const HeadDrop& top = ablation.heads.front();
  const std::string by = ablation.way.empty() ? "" : " by " + way_text(ablation);
  if (top.drop <= 0) return "none" + by;
  const std::vector<std::string> rivals = rivals_of_first(ablation);
  return fmt::format(
      "{}{} ({}{})", markdown_escaped(top.label), by, drop_in_parentheses(top),
      rivals.empty() ? "" : fmt::format("; not told apart from {}", enumerated(rivals, 2)));
}

}  // namespace

std::string tell_ablation(const Sources& sources) {
  const std::vector<HeadAblation> ablations = read_ablations(sources, "heads");
  std::vector<std::string> items;
  const auto add = [&](const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences)
      if (!sentence.empty()) items.push_back(capitalised(sentence));
  };
  for (const HeadAblation& ablation : ablations) add(tell_way(ablation));
  for (std::size_t i = 1; i < ablations.size(); ++i) add(compare_ways(ablations[0], ablations[i]));
  return bullets(items);
}

std::string ablation_headline(const Sources& sources) {
  const std::vector<HeadAblation> ablations = read_ablations(sources, "heads");
  std::vector<std::string> counts, costliest;
  for (const HeadAblation& ablation : ablations) {
    counts.push_back(
        fmt::format("{}{}", n_of_m(ablation.count("critical"), ablation.heads.size(), "heads"),
                    ablation.way.empty() ? "" : fmt::format(" ({})", way_text(ablation))));
    costliest.push_back(costliest_head(ablation));
  }
  return fmt::format("Switched off one at a time, {} cost more than {} each. Costliest is {}.",
                     enumerated(counts), points_text(kCriticalAbove), enumerated(costliest));
}

}  // namespace headway
