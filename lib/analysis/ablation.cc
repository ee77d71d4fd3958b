#include "lib/analysis/ablation.h"

#include <algorithm>
#include <map>

namespace headway {

std::string class_of(double points) {
  if (points > kCriticalPoints) return "critical";
  return points > kRedundantPoints ? "important" : "redundant";
}

Ablation ablate_heads(const Seq2Seq& model, const Seq2SeqSplit& split,
                      const HeadReplacement& replacement, ThreadTeam& team, const EachBatch& each) {
  const std::vector<HeadId> heads = model.config().heads();
  const RemovalScores scores = score_removals(model, split, {}, heads, replacement, team, each);
  Ablation ablation{scores.base.exact_match(), scores.base.token_accuracy(), split.size(), {}};
  for (std::size_t i = 0; i < heads.size(); ++i)
    ablation.effects.push_back({heads[i], paired_drop(scores.base.exact, scores.each[i].exact),
                                scores.each[i].exact_match(), scores.each[i].token_accuracy()});
  std::ranges::stable_sort(ablation.effects, [](const HeadEffect& a, const HeadEffect& b) {
    if (a.drop.value != b.drop.value) return a.drop.value > b.drop.value;
    return a.token_accuracy < b.token_accuracy;
  });
  return ablation;
}

Table to_table(const Ablation& ablation, const Seq2SeqConfig& config) {
  Table table({"rank", "head", "label", "module", "layer", "index", "class", "drop", "low", "high",
               "greedy", "teacher_forced", "token_accuracy", "token_drop"});
  const std::vector<AttentionSite> sites = config.sites();
  for (std::size_t i = 0; i < ablation.effects.size(); ++i) {
    const HeadEffect& effect = ablation.effects[i];
    const AttentionSite& site = sites[effect.head.site];
    table.add({std::to_string(i + 1), config.name(effect.head), config.label(effect.head),
               name_of(site.module), std::to_string(site.layer), std::to_string(effect.head.head),
               class_of(100 * effect.drop.value), number_text(100 * effect.drop.value),
               number_text(100 * effect.drop.low), number_text(100 * effect.drop.high),
               number_text(effect.exact_match), number_text(effect.exact_match),
               number_text(effect.token_accuracy),
               number_text(100 * (ablation.token_accuracy - effect.token_accuracy))});
  }
  return table;
}

Json to_metrics(const Ablation& ablation, const Seq2SeqConfig& config) {
  std::map<std::string, int> classes = {{"critical", 0}, {"important", 0}, {"redundant", 0}};
  for (const HeadEffect& effect : ablation.effects) ++classes[class_of(100 * effect.drop.value)];
  Json metrics = {{"problems", ablation.problems},
                  {"heads", ablation.effects.size()},
                  {"greedy", ablation.exact_match},
                  {"token_accuracy", ablation.token_accuracy},
                  {"classes", classes}};
  if (!ablation.effects.empty()) {
    metrics["most_critical"] = config.label(ablation.effects.front().head);
    metrics["largest_drop"] = 100 * ablation.effects.front().drop.value;
  }
  return metrics;
}

}  // namespace headway
