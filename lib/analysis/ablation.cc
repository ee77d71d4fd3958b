#include "lib/analysis/ablation.h"

#include <algorithm>
#include <map>

#include "lib/analysis/accuracy.h"

namespace headway {
namespace {

std::vector<std::string> effect_row(const ComponentEffect& effect, std::size_t rank,
                                    const TransformerConfig& config) {
  const Component& component = effect.component;
  const Site site = config.sites()[component.first().site];
  const double points = 100 * effect.drop.value;
  return {std::to_string(rank),
          component.name,
          component.label,
          name_of(component.kind),
          component.kind == ComponentKind::kBlock ? "" : name_of(site.module),
          std::to_string(site.layer),
          component.kind == ComponentKind::kHead ? std::to_string(component.first().head) : "",
          class_of(points),
          number_text(points),
          number_text(100 * effect.drop.low),
          number_text(100 * effect.drop.high)};
}

}  // namespace

std::string class_of(double points) {
  if (points > kCriticalPoints) return "critical";
  return points > kRedundantPoints ? "important" : "redundant";
}

Ablation ablate(const Transformer& model, const Split& split,
                const std::vector<Component>& components, const Replacement& replacement,
                ThreadTeam& team, const EachBatch& each) {
  const RemovalScores scores =
      score_removals(model, split, {}, units_of_each(components), replacement, team, each);
  const Accuracy accuracy(model.config(), split);
  Ablation ablation{accuracy.name(),
                    accuracy.of(scores.base).value,
                    scores.base.token_accuracy(),
                    scores.base.loss(),
                    split.size(),
                    {}};
  for (std::size_t i = 0; i < components.size(); ++i)
    ablation.effects.push_back({components[i], accuracy.drop(scores.base, scores.each[i]),
                                accuracy.of(scores.each[i]).value, scores.each[i].token_accuracy(),
                                scores.each[i].loss()});
  std::ranges::stable_sort(ablation.effects, [](const auto& a, const auto& b) {
    if (a.drop.value != b.drop.value) return a.drop.value > b.drop.value;
    return a.token_accuracy < b.token_accuracy;
  });
  return ablation;
}

Table to_table(const Ablation& ablation, const TransformerConfig& config) {
  std::vector<std::string> columns = {"rank",  "unit",  "label", "kind", "module", "layer",
                                      "index", "class", "drop",  "low",  "high"};
  columns.push_back(ablation.measure);
  const bool of_answers = ablation.measure == "greedy";  // that are sequences
  if (of_answers) columns.insert(columns.end(), {"teacher_forced", "token_accuracy", "token_drop"});
  columns.insert(columns.end(), {"loss", "loss_increase"});
  Table table(columns);
  for (std::size_t i = 0; i < ablation.effects.size(); ++i) {
    const ComponentEffect& effect = ablation.effects[i];
    std::vector<std::string> row = effect_row(effect, i + 1, config);
    row.push_back(number_text(effect.accuracy));
    if (of_answers) {
      row.push_back(number_text(effect.accuracy));
      row.push_back(number_text(effect.token_accuracy));
      row.push_back(number_text(100 * (ablation.token_accuracy - effect.token_accuracy)));
    }
    row.push_back(number_text(effect.loss));
    row.push_back(number_text(effect.loss - ablation.loss));
    table.add(std::move(row));
  }
  return table;
}

Json to_metrics(const Ablation& ablation) {
  std::map<std::string, int> classes = {{"critical", 0}, {"important", 0}, {"redundant", 0}};
  for (const ComponentEffect& effect : ablation.effects)
    ++classes[class_of(100 * effect.drop.value)];
  Json metrics = {{"problems", ablation.problems},
                  {"components", ablation.effects.size()},
                  {"classes", classes},
                  {ablation.measure, ablation.accuracy}};
  if (ablation.measure == "greedy") metrics["token_accuracy"] = ablation.token_accuracy;
  if (!ablation.effects.empty()) {
    metrics["most_critical"] = ablation.effects.front().component.label;
    metrics["largest_drop"] = 100 * ablation.effects.front().drop.value;
  }
  return metrics;
}

}  // namespace headway
