#include "lib/addition/findings/carry_discussion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/addition/findings/carry_looking.h"
#include "lib/addition/findings/carry_relations.h"
#include "lib/addition/findings/carry_study.h"
#include "lib/base/text.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

// "critical by both": how much a head is needed, where the ways agree and where they do not.
std::string classes_text(const CarryStudy& study, const CarryHead& head) {
  const std::string first = head.drop().head_class;
  if (study.ablations.size() > 1 && head.is_by_every_way(first))
    return fmt::format("{} by {}", first, study.ablations.size() == 2 ? "both" : "every way");
  std::vector<std::string> classes;
  for (std::size_t way = 0; way < head.drops.size(); ++way) {
    classes.push_back(
        fmt::format("{} by {}", head.drops[way].head_class, way_text(study.ablations[way])));
  }
  return enumerated(classes);
}

// The plain finding, where there is one: a head that looks nowhere else, and what it costs.
std::string tell_carry_head(const CarryStudy& study) {
  const CarryHead* head = study.carry_head();
  if (!head) {
    return study.able().empty()
               ? ""
               : "No head gives the column to the right more than half of its weight.";
  }
  return fmt::format(
      "{} gives the column to the right {} of its weight, and its removal costs {}: {}.",
      carry_head_name(*head), percent_text(head->look.at("carry")), carry_drops_text(study, *head),
      classes_text(study, *head));
}

// Those that look there too, by what they cost.
std::string tell_other_looking_heads(const CarryStudy& study) {
  std::vector<const CarryHead*> looking = study.looking();
  const CarryHead* told = study.carry_head();
  std::erase(looking, told);
  if (looking.empty())
    return told ? "No other head gives it more weight than even attention would." : "";
  if (looking.size() == 1) {
    return fmt::format("{}{} gives it more weight than even attention would ({}): {}.",
                       told ? "Besides, " : "", carry_head_name(*looking.front()),
                       carry_drops_text(study, *looking.front()),
                       classes_text(study, *looking.front()));
  }
  std::vector<std::string> parts;
  for (const char* head_class : {"critical", "important", "redundant"}) {
    std::vector<std::string> names;
    for (const CarryHead* head : looking) {
      if (head->is(head_class)) {
        names.push_back(
            fmt::format("{} ({})", carry_head_name(*head), carry_drops_text(study, *head)));
      }
    }
    if (names.empty()) continue;
    parts.push_back(fmt::format("{} {}: {}", counted(names.size(), "is", "are"), head_class,
                                enumerated(names, 6)));
  }
  return fmt::format(
      "Of the {}{} heads that give it more weight than even attention would, by {} {}.",
      told ? "other " : "", count_text(looking.size()), way_text(study.ablations.front()),
      join(parts, "; "));
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
  const std::string way = way_text(study.ablations.front());
  std::vector<std::string> elsewhere;
  std::size_t critical = 0;
  for (const CarryHead& head : study.heads) {
    if (!head.is("critical")) continue;
    ++critical;
    if (head.looks) continue;
    const std::string place = favourite_place(head.look);
    elsewhere.push_back(fmt::format("{} ({}{})", carry_head_name(head),
                                    carry_drops_text(study, head),
                                    place.empty() ? "" : "; most weight on " + place));
  }
  if (critical == 0) return fmt::format("No head is critical by {}.", way);
  if (elsewhere.empty()) {
    return critical == 1
               ? fmt::format("The only head that is critical by {} is turned to that column.", way)
               : fmt::format("All {} heads that are critical by {} are turned to that column.",
                             critical, way);
  }
  return fmt::format("Of the {} critical by {}, {} not turned to that column: {}.",
                     counted(critical, "head that is", "heads that are"), way,
                     counted(elsewhere.size(), "is", "are"), enumerated(elsewhere, 6));
}

// Heads that only another way calls critical: which of the two is believed decides the story.
std::string tell_disputed_heads(const CarryStudy& study) {
  std::vector<std::string> sentences;
  for (std::size_t way = 1; way < study.ablations.size(); ++way) {
    std::vector<std::string> names;
    for (const CarryHead& head : study.heads) {
      if (head.is("critical", way) && !head.is("critical"))
        names.push_back(
            fmt::format("{} ({})", carry_head_name(head), carry_drops_text(study, head)));
    }
    if (names.empty()) continue;
    sentences.push_back(fmt::format("Critical by {}, but not by {}: {}.",
                                    way_text(study.ablations[way]),
                                    way_text(study.ablations.front()), enumerated(names, 6)));
  }
  return join(sentences, " ");
}

std::string tell_loss(const CarryStudy& study) {
  const auto looks = [](const CarryHead& head) { return head.looks; };
  const double looking = study.share_of_loss(looks);
  if (!std::isfinite(looking)) {
    return fmt::format("By {} no removal costs anything, so there is no loss to place.",
                       way_text(study.ablations.front()));
  }
  std::string other_ways;
  for (std::size_t way = 1; way < study.ablations.size(); ++way) {
    const double share = study.share_of_loss(looks, way);
    if (std::isfinite(share))
      other_ways += fmt::format(", by {} {}", way_text(study.ablations[way]), percent_text(share));
  }
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
      "Of what single heads cost by {}, added up, {} is at heads that are turned to that "
      "column{}; the largest part, {}, is in {}.",
      way_text(study.ablations.front()), percent_text(looking),
      other_ways.empty() ? "" : " (" + other_ways.substr(2) + ")", percent_text(largest), most);
}

std::string tell_conditional(const CarryStudy& study) {
  constexpr double kNotable = 0.05;
  const CarryHead* most = nullptr;
  double largest = -1;
  for (const CarryHead& head : study.heads) {
    const double apart = std::fabs(head.look.at("carry_with") - head.look.at("carry_without"));
    if (!(apart > largest)) continue;
    largest = apart;
    most = &head;
  }
  if (!most) return "";
  if (largest < kNotable) {
    return "No head's weight there depends much on the carry itself: where the column carries and "
           "where it does not, the two differ by less than 5 points in every head.";
  }
  return fmt::format(
      "How much a head looks there may itself depend on the carry. It does most in {}: {} of its "
      "weight where the column carries, {} where it does not; its removal costs {}. Columns that "
      "carry hold larger digits, so that a head may respond to the digits alone.",
      carry_head_name(*most), percent_text(most->look.at("carry_with")),
      percent_text(most->look.at("carry_without")), carry_drops_text(study, *most));
}

std::string tell_consequence(const CarryStudy& study) {
  const std::vector<const CarryHead*> looking = study.looking();
  std::vector<std::string> sentences, needed;
  for (const CarryHead* head : looking)
    if (!head->is("redundant")) needed.push_back(carry_head_name(*head));
  if (!needed.empty()) {
    sentences.push_back(fmt::format(
        "Of the heads turned to the column to the right, {} more than a point by {} ({}): that "
        "fits a carry that is read off where it arises.",
        counted(needed.size(), "costs", "cost"), way_text(study.ablations.front()),
        enumerated(needed, 6)));
  } else if (!looking.empty()) {
    sentences.push_back(
        "No head that is turned to the column to the right is needed by itself: either they "
        "stand in for each other, or the carry reaches the answer another way.");
  }
  const double share = study.share_of_loss([](const CarryHead& head) { return head.looks; });
  if (share > 0.75) {
    sentences.push_back(
        "As most of the loss is at such heads, attention to that column goes a long way to tell "
        "which heads matter.");
  } else if (share > 0.5) {
    sentences.push_back(
        "More than half of the loss is at such heads, but far from all of it: attention to that "
        "column alone does not tell which heads matter.");
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

std::string headline_of_looking(const CarryStudy& study) {
  if (const CarryHead* head = study.carry_head()) {
    return fmt::format(
        "{} gives {} of its weight to the column to the right, where the carry comes from, and its "
        "removal costs {}.",
        carry_head_name(*head), percent_text(head->look.at("carry")),
        carry_drops_text(study, *head));
  }
  const std::vector<const CarryHead*> looking = study.looking();
  if (looking.empty()) {
    return fmt::format(
        "None of {} that can look at the column to the right, where the carry comes from, does so "
        "more than evenly.",
        counted(study.able().size(), "head"));
  }
  return fmt::format(
      "Of {} that can look at the column to the right, where the carry comes from, {} more than "
      "evenly ({} in the encoder, {} in cross-attention), none with more than half of its weight.",
      counted(study.able().size(), "head"), counted(looking.size(), "does so", "do so"),
      count_in(looking, "encoder"), count_in(looking, "decoder-cross"));
}

// Whether the head that costs most is one that looks there, by each way.
std::string headline_of_most(const CarryStudy& study) {
  std::vector<std::string> most;
  for (std::size_t way = 0; way < study.ablations.size(); ++way) {
    const CarryHead& head = *std::max_element(study.heads.begin(), study.heads.end(),
                                              [&](const CarryHead& a, const CarryHead& b) {
                                                return a.drops[way].drop < b.drops[way].drop;
                                              });
    if (!(head.drops[way].drop > 0)) continue;
    const std::string by = "by " + way_text(study.ablations[way]) + " without ";
    most.push_back(
        by + (&head == study.carry_head()
                  ? "it"
                  : fmt::format("{} ({}), which {} turned there", carry_head_name(head),
                                carry_drops_text(study, head), head.looks ? "is" : "is not")));
  }
  return most.empty() ? "" : fmt::format("Most is lost {}.", join(most, "; "));
}

}  // namespace

std::string tell_carry_discussion(const Sources& sources) {
  const CarryStudy study = read_carry_study(sources);
  std::vector<std::string> paragraphs = {
      tell_carry_looking(study),
      carry_paragraph(
          {"**Which heads.**", tell_carry_head(study), tell_other_looking_heads(study)}),
      carry_paragraph({tell_critical_heads(study), tell_disputed_heads(study), tell_loss(study)}),
      tell_conditional(study),
      tell_carry_relations(study),
      carry_paragraph(
          {"**What follows, and what does not.**", tell_consequence(study), kCannotConclude})};
  std::erase(paragraphs, "");
  return join(paragraphs, "\n\n") + "\n";
}

std::string carry_discussion_headline(const Sources& sources) {
  const CarryStudy study = read_carry_study(sources);
  return carry_paragraph({headline_of_looking(study), headline_of_most(study)});
}

}  // namespace headway
