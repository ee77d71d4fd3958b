#include "lib/addition/findings/carry_relations.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/addition/findings/carry_looking.h"
#include "lib/base/text.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

constexpr double kChance = 0.05;

// Enough digits to tell it from another.
std::string relation_p(double p) {
  return p < 0.001 ? "< 0.001" : decimal_text(p, 2);
}

std::string relation_value(double value) {
  const std::string text = fmt::format("{:.2f}", value);
  return text == "-0.00" ? "0.00" : text;
}

// Empty where none is defined.
std::string relation_table(const CarryStudy& study, const std::vector<CarryRelation>& relations) {
  std::string rows;
  for (const CarryRelation& relation : relations) {
    const RankCorrelation& found = relation.correlation;
    if (!found.is_defined()) continue;
    rows += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", relation_value(found.value), relation_p(found.p),
        found.pairs, relation.module.empty() ? "both attentions" : module_text(relation.module),
        relation.statistic == "carry" ? "the column to the right" : "their own column",
        way_text(study.ablations[relation.way]));
  }
  if (rows.empty()) return "";
  return "\n\n| rank correlation | p | heads | of | weight on | switched off by |\n"
         "| ---: | ---: | ---: | --- | --- | --- |\n" +
         std::string(trim(rows));
}

// On one statistic: how many of its correlations chance alone would seldom bring, and which way
// they go.
std::string tell_relations(const CarryStudy& study, const std::vector<CarryRelation>& relations,
                           const std::string& statistic, const std::string& name) {
  std::vector<std::string> clear;
  std::size_t judged = 0;
  for (const CarryRelation& relation : relations) {
    if (relation.statistic != statistic || !relation.correlation.is_defined()) continue;
    ++judged;
    if (!(relation.correlation.p < kChance)) continue;
    clear.push_back(fmt::format(
        "{} over the heads of {} ({})", relation.correlation.value > 0 ? "positive" : "negative",
        relation.module.empty() ? "both attentions" : module_text(relation.module),
        way_text(study.ablations[relation.way])));
  }
  if (judged == 0) {
    return fmt::format(
        "For {}, no relation can be judged: there are too few heads, or all of them cost, or "
        "look, the same.",
        name);
  }
  if (clear.empty()) {
    return fmt::format(
        "For {}, weight and loss cannot be shown to go together: {}.", name,
        judged == 1 ? "chance alone brings a correlation as large in one of twenty cases or more"
                    : fmt::format("for each of {} correlations, chance alone brings one as large "
                                  "in one of twenty cases or more",
                                  judged));
  }
  return fmt::format(
      "For {}, {} a p below 0.05: {}.", name,
      n_of_m(clear.size(), judged, clear.size() == 1 ? "correlations has" : "correlations have"),
      enumerated(clear));
}

// Of many relations looked at together some are below 0.05 by chance.
std::string tell_chance(const std::vector<CarryRelation>& relations) {
  std::size_t judged = 0, below = 0;
  double smallest = 1;
  for (const CarryRelation& relation : relations) {
    if (!relation.correlation.is_defined()) continue;
    ++judged;
    below += relation.correlation.p < kChance;
    smallest = std::min(smallest, relation.correlation.p);
  }
  if (below == 0 || judged < 2) return "";
  const double together = kChance / static_cast<double>(judged);
  return fmt::format(
      "But {} are looked at together, and chance alone brings one of twenty below 0.05: {} below "
      "{}, which all of them together would ask for.",
      counted(judged, "correlation"), smallest < together ? "there are some" : "none is",
      decimal_text(together, 2));
}

std::string tell_pooling(const std::vector<CarryRelation>& relations) {
  const bool pooled =
      std::any_of(relations.begin(), relations.end(), [](const CarryRelation& relation) {
        return relation.module.empty() && relation.correlation.is_defined();
      });
  if (!pooled) return "";
  return "Rows of both attentions mix heads of the encoder with heads of cross-attention, which "
         "look at different moments and cost differently much: they may show a relation that "
         "neither has, or hide one.";
}

}  // namespace

std::string tell_carry_relations(const CarryStudy& study) {
  const std::vector<CarryRelation> relations = relations_of(study);
  if (relations.empty()) return "";
  return carry_paragraph(
             {"**Do heads that look there matter more?** A head's weight on a column, divided by "
              "what even attention would give, is set against what its removal costs.",
              tell_relations(study, relations, "carry", "the column to the right"),
              tell_relations(study, relations, "column", "the digits' own column"),
              tell_chance(relations), tell_pooling(relations)}) +
         relation_table(study, relations);
}

}  // namespace headway
