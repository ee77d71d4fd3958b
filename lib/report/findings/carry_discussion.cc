#include "lib/report/findings/carry_discussion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/findings/carry_study.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

std::string carry_head_name(const CarryHead& head) {
  return markdown_escaped(head.look.label);
}

// "14.8 points by zero and 14.1 points by mean ablation"
std::string drops_text(const CarryStudy& study, const CarryHead& head) {
  std::vector<std::string> drops;
  for (std::size_t way = 0; way < head.drops.size(); ++way) {
    const std::string points = points_text(head.drops[way].drop);
    const std::string& name = study.ablations[way].way;
    drops.push_back(name.empty() ? points
                                 : fmt::format("{} by {}", points, markdown_escaped(name)));
  }
  return enumerated(drops) + (study.ablations.back().way.empty() ? "" : " ablation");
}

std::string where_heads_look(const CarryStudy& study) {
  const bool encoder = count_in(study.looking(), "encoder") > 0;
  const bool cross = count_in(study.looking(), "decoder-cross") > 0;
  if (encoder && cross) {
    return "So heads look there in both places: in the encoder, before the answer is begun, and in "
           "cross-attention, while it is written.";
  }
  if (cross) {
    return "So heads look there in cross-attention, while the answer is written; in the encoder "
           "none does so more than evenly.";
  }
  if (encoder) {
    return "So heads look there in the encoder, before the answer is begun; in cross-attention "
           "none does so more than evenly.";
  }
  return "So no single head is turned to that column: a model that adds has to get the carry from "
         "heads that look elsewhere too, or in several steps.";
}

// "3 of 8 heads in cross-attention, Decoder Cross L0 H0 with 37.6 %, … (mean 23.4 %)"
std::string looking_in(const CarryStudy& study, const std::string& module) {
  std::vector<std::string> names;
  double sum = 0;
  std::size_t count = 0;
  for (const CarryHead* head : study.able()) {
    if (head->look.module != module) continue;
    const double share = head->look.at("carry");
    ++count;
    sum += share;
    if (head->looks)
      names.push_back(fmt::format("{} with {}", carry_head_name(*head), percent_text(share)));
  }
  if (count == 0) return "";
  return fmt::format(
      "{} in {}{} (mean {})",
      names.empty() ? "none of " + counted(count, "head") : n_of_m(names.size(), count, "heads"),
      module_text(module), names.empty() ? "" : ", " + enumerated(names, 6),
      percent_text(sum / static_cast<double>(count)));
}

std::string tell_reading(const CarryStudy& study) {
  const std::size_t able = study.able().size(), blind = study.heads.size() - able;
  const std::string opening =
      "**Where heads look for the carry.** What is carried into a column is decided in the column "
      "to its right.";
  if (able == 0) return opening + " For no head is it known how much it looks there.";
  const std::string cannot =
      blind == 0 ? ""
                 : fmt::format(
                       " The other {} cannot: decoder self-attention sees only what has been said "
                       "so far.",
                       count_text(blind));
  std::vector<std::string> places = {looking_in(study, "encoder"),
                                     looking_in(study, "decoder-cross")};
  std::erase(places, "");
  return fmt::format(
      "{} {} can look there.{} Attention spread evenly over the input would give that column {}. "
      "Heads that give it more: {}. {}",
      opening, n_of_m(able, study.heads.size(), "heads"), cannot, percent_text(study.even()),
      join(places, "; "), where_heads_look(study));
}

std::string relation_table(const CarryStudy& study, const std::vector<CarryRelation>& relations) {
  std::string table =
      "| weight on | heads | switched off by | rank correlation with the drop |\n"
      "| --- | --- | --- | --- |\n";
  for (const CarryRelation& relation : relations) {
    table += fmt::format(
        "| {} | {} | {} | {} |\n",
        relation.statistic == "carry" ? "the column to the right" : "their own column",
        relation.module.empty() ? "all that can look" : module_text(relation.module),
        way_text(study.ablations[relation.way]), correlation_text(relation.correlation));
  }
  return table;
}

// On one statistic: how many of its correlations differ from zero, and which way.
std::string tell_relations(const CarryStudy& study, const std::vector<CarryRelation>& relations,
                           const std::string& statistic, const std::string& name) {
  std::vector<std::string> clear;
  std::size_t judged = 0;
  for (const CarryRelation& relation : relations) {
    if (relation.statistic != statistic) continue;
    judged += std::isfinite(relation.correlation.low);
    if (!relation.correlation.excludes_zero()) continue;
    clear.push_back(
        fmt::format("{} over {} ({})", relation.correlation.value > 0 ? "positive" : "negative",
                    relation.module.empty() ? "all heads that can look"
                                            : "the heads of " + module_text(relation.module),
                    way_text(study.ablations[relation.way])));
  }
  if (judged == 0) {
    return fmt::format(
        "For {}, no relation can be judged: there are too few heads, or all of them cost, or "
        "look, the same.",
        name);
  }
  if (clear.empty()) {
    return fmt::format("For {}, weight and loss cannot be shown to go together: {} zero.", name,
                       judged == 1
                           ? "the interval of the correlation contains"
                           : fmt::format("the intervals of all {} correlations contain", judged));
  }
  return fmt::format(
      "For {}, {} an interval without zero: {}.", name,
      n_of_m(clear.size(), judged, clear.size() == 1 ? "correlations has" : "correlations have"),
      enumerated(clear));
}

std::string tell_looking_heads(const CarryStudy& study) {
  const std::vector<const CarryHead*> looking = study.looking();
  if (looking.empty()) return "";
  std::vector<std::string> parts;
  for (const char* head_class : {"critical", "important", "redundant"}) {
    std::vector<std::string> names;
    for (const CarryHead* head : looking) {
      if (head->is(head_class))
        names.push_back(fmt::format("{} ({})", carry_head_name(*head), drops_text(study, *head)));
    }
    if (names.empty()) continue;
    parts.push_back(fmt::format("{} {}: {}", counted(names.size(), "is", "are"), head_class,
                                enumerated(names, 6)));
  }
  return fmt::format("Of the {} that column more weight than even attention would, by {} {}.",
                     counted(looking.size(), "head that gives", "heads that give"),
                     way_text(study.ablations.front()), join(parts, "; "));
}

// "the + with 55.3 %": where most of its weight goes, of the places that are measured.
std::string favourite_place(const HeadLook& look) {
  static const std::vector<std::pair<std::string, std::string>> kPlaces = {
      {"diagonal", "its own position"},
      {"previous", "the position before"},
      {"operator", "the +"},
      {"column", "its column"},
      {"carry", "the column to the right"}};
  std::string best;
  double most = -1;
  for (const auto& [statistic, place] : kPlaces) {
    const double share = look.at(statistic);
    if (!(share > most)) continue;
    most = share;
    best = fmt::format("{} with {}", place, percent_text(share));
  }
  return best;
}

std::string tell_critical_heads(const CarryStudy& study) {
  std::vector<std::string> elsewhere;
  std::size_t critical = 0;
  for (const CarryHead& head : study.heads) {
    if (!head.is("critical")) continue;
    ++critical;
    if (head.looks) continue;
    const std::string place = favourite_place(head.look);
    elsewhere.push_back(fmt::format("{} ({}{})", carry_head_name(head), drops_text(study, head),
                                    place.empty() ? "" : "; most weight on " + place));
  }
  if (critical == 0)
    return fmt::format("No head is critical by {}.", way_text(study.ablations.front()));
  if (elsewhere.empty()) {
    return critical == 1 ? "The only critical head is among them."
                         : fmt::format("All {} critical heads are among them.", critical);
  }
  return fmt::format("{} not turned to that column: {}.",
                     n_of_m(elsewhere.size(), critical,
                            elsewhere.size() == 1 ? "critical heads is" : "critical heads are"),
                     enumerated(elsewhere, 6));
}

std::string tell_loss(const CarryStudy& study) {
  const double looking = study.share_of_loss([](const CarryHead& head) { return head.looks; });
  if (!std::isfinite(looking)) return "No removal costs anything, so there is no loss to place.";
  std::string most;
  double largest = -1;
  for (const CarryHead& head : study.heads) {
    const std::string site = site_text(head.look.module, head.look.layer);
    const double share = study.share_of_loss([&](const CarryHead& other) {
      return site_text(other.look.module, other.look.layer) == site;
    });
    if (share <= largest) continue;
    largest = share;
    most = site;
  }
  return fmt::format(
      "Of what single heads cost by {}, added up, {} is at heads that are turned to that column; "
      "the largest part, {}, is in {}.",
      way_text(study.ablations.front()), percent_text(looking), percent_text(largest), most);
}

std::string tell_conditional(const CarryStudy& study) {
  const CarryHead* most = nullptr;
  double largest = 0;
  for (const CarryHead& head : study.heads) {
    const double apart = std::fabs(head.look.at("carry_with") - head.look.at("carry_without"));
    if (!(apart > largest)) continue;
    largest = apart;
    most = &head;
  }
  if (!most) return "";
  return fmt::format(
      "How much a head looks there may itself depend on the carry. It does most in {}: {} of its "
      "weight where the column carries, {} where it does not; its removal costs {}. Columns that "
      "carry hold larger digits, so that a head may respond to the digits alone.",
      carry_head_name(*most), percent_text(most->look.at("carry_with")),
      percent_text(most->look.at("carry_without")), drops_text(study, *most));
}

std::string tell_consequence(const CarryStudy& study) {
  const std::vector<const CarryHead*> looking = study.looking();
  std::vector<std::string> sentences, needed;
  for (const CarryHead* head : looking)
    if (!head->is("redundant")) needed.push_back(carry_head_name(*head));
  if (!needed.empty()) {
    sentences.push_back(fmt::format(
        "Of the heads turned to the column to the right, {} more than a point ({}): that fits a "
        "carry that is worked out where it is needed.",
        counted(needed.size(), "costs", "cost"), enumerated(needed, 6)));
  } else if (!looking.empty()) {
    sentences.push_back(
        "No head that is turned to the column to the right is needed by itself: either they "
        "stand in for each other, or the carry reaches the answer another way.");
  }
  const double share = study.share_of_loss([](const CarryHead& head) { return head.looks; });
  if (share > 0.5) {
    sentences.push_back(
        "As most of the loss is at such heads, attention to that column goes a long way to tell "
        "which heads matter.");
  } else if (std::isfinite(share)) {
    sentences.push_back(
        "As at least half of the loss is at other heads, attention to that column alone does not "
        "tell which heads matter.");
  }
  return join(sentences, " ");
}

// Limits of the method, whatever it finds.
constexpr const char* kCannotConclude =
    "None of this shows what a head passes on: attention weights say where it looks, not what it "
    "takes from there. A drop counts wrong answers of any kind, not wrong carries. Heads that "
    "stand in for each other look redundant one by one. A correlation is worth what the number of "
    "heads beside it allows, and all heads are of one training, with one seed. What would settle "
    "it is to exchange a head's output between two problems that differ only in a carry.";

std::string carry_paragraph(std::vector<std::string> sentences) {
  std::erase(sentences, "");
  return join(sentences, " ");
}

}  // namespace

std::string tell_carry_discussion(const Sources& sources) {
  const CarryStudy study = read_carry_study(sources);
  const std::vector<CarryRelation> relations = relations_of(study);
  std::vector<std::string> paragraphs = {tell_reading(study)};
  if (!relations.empty()) {
    paragraphs.push_back(
        carry_paragraph({"**Do heads that look there matter more?** A head's weight on a column is "
                         "set against what its removal costs.",
                         tell_relations(study, relations, "carry", "the column to the right"),
                         tell_relations(study, relations, "column", "the own column"),
                         "By chance, one interval of twenty is without zero."}));
    paragraphs.push_back(std::string(trim(relation_table(study, relations))));
  }
  paragraphs.push_back(carry_paragraph({"**Which heads.**", tell_looking_heads(study),
                                        tell_critical_heads(study), tell_loss(study)}));
  paragraphs.push_back(tell_conditional(study));
  paragraphs.push_back(carry_paragraph(
      {"**What follows, and what does not.**", tell_consequence(study), kCannotConclude}));
  std::erase(paragraphs, "");
  return join(paragraphs, "\n\n") + "\n";
}

std::string carry_discussion_headline(const Sources& sources) {
  const CarryStudy study = read_carry_study(sources);
  const std::vector<const CarryHead*> looking = study.looking();
  const auto critical = static_cast<std::size_t>(std::count_if(
      looking.begin(), looking.end(), [](const CarryHead* head) { return head->is("critical"); }));
  const RankCorrelation relation = study.correlation("carry", "", 0);
  const std::string of_them =
      looking.empty()
          ? ""
          : fmt::format(" ({} in the encoder, {} in cross-attention); {} critical",
                        count_in(looking, "encoder"), count_in(looking, "decoder-cross"),
                        counted(critical, "of these is", "of these are"));
  const std::string verdict = !std::isfinite(relation.low) ? "cannot be compared by rank"
                              : !relation.excludes_zero()  ? "cannot be shown to go together"
                              : relation.value > 0         ? "go together"
                                                           : "go against each other";
  return fmt::format(
      "Of {} that can look at the column where the carry comes from, {} more than evenly{}. "
      "Weight there and what a head's removal costs {}{}.",
      counted(study.able().size(), "head"),
      looking.empty() ? "none does so" : counted(looking.size(), "does so", "do so"), of_them,
      verdict, relation.is_defined() ? ": rank correlation " + correlation_text(relation) : "");
}

}  // namespace headway
