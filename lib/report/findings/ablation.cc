#include "lib/report/findings/ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/findings/head_tables.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

constexpr double kCriticalAbove = 10;  // points
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
  return fmt::format(
      "{}: {} critical (more than 10 points){}, {} important, {} redundant (at most 1 point).",
      way_text(ablation),
      n_of_m(critical.size(), ablation.heads.size(),
             critical.size() == 1 ? "heads is" : "heads are"),
      critical.empty() ? "" : " – " + enumerated(critical, 8) + " –",
      count_text(ablation.count("important")), count_text(ablation.count("redundant")));
}

std::string tell_most_critical(const HeadAblation& ablation) {
  const HeadDrop& first = ablation.heads.front();
  if (first.drop <= 0) {
    return fmt::format("No head's removal lowers exact match, which is {} with all heads.",
                       percent_text(ablation.whole()));
  }
  std::vector<std::string> rivals;
  for (const HeadDrop& head : ablation.heads) {
    const bool overlaps = beyond_intervals(first.low, first.high, head.low, head.high).empty();
    if (head.label != first.label && overlaps) rivals.push_back(markdown_escaped(head.label));
  }
  const std::string doubt =
      ablation.heads.size() == 1 ? ""
      : rivals.empty()           ? " No other head's interval reaches that far."
                       : fmt::format(" It cannot be told from {}, whose {}.", enumerated(rivals, 4),
                                     rivals.size() == 1 ? "interval overlaps its own"
                                                        : "intervals overlap its own");
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
      parts.push_back(fmt::format("{} in {}", percent_text(site.lost / lost), name));
    }
  }
  const std::string rest =
      free.empty() ? "" : fmt::format(" No head of {} costs more than 1 point.", enumerated(free));
  if (parts.empty()) return rest.substr(1);
  return fmt::format("Of the losses of single heads, added up: {}.{}", enumerated(parts), rest);
}

std::string tell_unsettled(const HeadAblation& ablation) {
  std::vector<std::string> unsettled;
  for (const HeadDrop& head : ablation.heads) {
    const auto crosses = [&](double limit) { return head.low <= limit && limit < head.high; };
    if (crosses(kCriticalAbove) || crosses(kRedundantUpTo))
      unsettled.push_back(
          fmt::format("{} ({})", markdown_escaped(head.label), drop_in_parentheses(head)));
  }
  if (unsettled.empty()) return "No head's interval reaches into another class.";
  return fmt::format("The class of {} is not settled by {}: {}.", counted(unsettled.size(), "head"),
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
    const std::string order =
        beyond_intervals(pair.a[i]->low, pair.a[i]->high, pair.b[i]->low, pair.b[i]->high);
    more += order == "larger";
    less += order == "smaller";
  }
  if (more + less == 0) return "No head's drop differs beyond the intervals.";
  return fmt::format("Beyond the intervals, {} costs more than {} for {}, and less for {}.", a_name,
                     b_name, counted(more, "head"), count_text(less));
}

// What a head's mean can stand in for does not depend on the problem.
std::string tell_constants(const AblationPair& pair) {
  std::vector<std::string> constant;
  for (std::size_t i = 0; i < pair.a.size(); ++i) {
    const bool is_needed = pair.a[i]->head_class != "redundant";
    if (is_needed && pair.b[i]->head_class == "redundant")
      constant.push_back(markdown_escaped(pair.a[i]->label));
  }
  if (constant.empty()) return "";
  return fmt::format(
      " For {}, zero costs more than a point and the mean does not: what the model needs of {} "
      "is, to within a point, a constant at each position, and nothing about the problem.",
      enumerated(constant, 8), constant.size() == 1 ? "it" : "them");
}

std::string compare_ways(const HeadAblation& a, const HeadAblation& b) {
  const AblationPair pair = joined_heads(a, b);
  const std::string names = fmt::format("{} and {}", way_text(a), way_text(b));
  if (pair.a.empty()) return fmt::format("{} have no head in common.", names);
  std::vector<double> a_drops, b_drops;
  for (const HeadDrop* head : pair.a) a_drops.push_back(head->drop);
  for (const HeadDrop* head : pair.b) b_drops.push_back(head->drop);
  const RankCorrelation correlation = correlate_ranks(a_drops, b_drops);
  const std::string agreement =
      !correlation.is_defined() ? "cannot be compared by rank (one of them has all heads equal, or "
                                  "there are too few)"
      : correlation.value >= 0.8 ? "rank heads much alike"
      : correlation.value >= 0.5 ? "rank heads somewhat alike"
                                 : "rank heads differently";
  const std::string value =
      correlation.is_defined() ? fmt::format(": rank correlation {}", correlation_text(correlation))
                               : "";
  return fmt::format("{} {}{}; {}. {}{}", names, agreement, value, tell_class_changes(pair),
                     tell_cost_difference(pair, way_text(a), way_text(b)),
                     a.way == "zero" && b.way == "mean" ? tell_constants(pair) : "");
}

std::string ablation_capitalised(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] -= 'a' - 'A';
  return sentence;
}

std::string tell_way(const HeadAblation& ablation) {
  std::vector<std::string> sentences = {tell_classes(ablation), tell_weak_model(ablation),
                                        tell_most_critical(ablation), tell_sites(ablation),
                                        tell_unsettled(ablation)};
  std::erase(sentences, "");
  return ablation_capitalised(join(sentences, " "));
}

}  // namespace

std::string tell_ablation(const Sources& sources) {
  const std::vector<HeadAblation> ablations = read_ablations(sources, "heads");
  std::vector<std::string> items;
  for (const HeadAblation& ablation : ablations) items.push_back(tell_way(ablation));
  for (std::size_t i = 1; i < ablations.size(); ++i)
    items.push_back(ablation_capitalised(compare_ways(ablations[0], ablations[i])));
  return bullets(items);
}

std::string ablation_headline(const Sources& sources) {
  const std::vector<HeadAblation> ablations = read_ablations(sources, "heads");
  std::vector<std::string> counts;
  for (const HeadAblation& ablation : ablations) {
    counts.push_back(
        fmt::format("{}{}", n_of_m(ablation.count("critical"), ablation.heads.size(), "heads"),
                    ablation.way.empty() ? "" : fmt::format(" ({})", way_text(ablation))));
  }
  const HeadDrop& top = ablations.front().heads.front();
  const std::string most =
      top.drop <= 0
          ? "No head's removal lowers exact match"
          : fmt::format("Most costs {}: {}", markdown_escaped(top.label), ablation_drop(top));
  return fmt::format("Switched off one at a time, {} cost more than 10 points each. {}{}.",
                     enumerated(counts), most,
                     ablations.size() == 1 ? "" : ", by " + way_text(ablations.front()));
}

}  // namespace headway
