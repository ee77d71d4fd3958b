#include <algorithm>
#include <chrono>
#include <cstdio>

#include "lib/analysis/ablation.h"
#include "lib/analysis/accuracy.h"
#include "lib/analysis/pruning.h"
#include "lib/base/text.h"
#include "lib/train/transformer_task.h"
#include "stages/native_support.h"
#include "stages/params.h"
#include "stages/stages.h"
#include "stages/study.h"

namespace headway {
namespace {

// The cut model must answer like the complete one with those components switched off. Matrix
// products of other sizes round differently, so a borderline answer may change.
Scores check_cut(const Transformer& whole, const Transformer& cut,
                 const std::vector<Component>& removed, const Split& test, ThreadTeam& team) {
  const Scores masked = score_removals(whole, test, units_of(removed), {}, {}, team).base;
  const Scores smaller = score(cut, test, team);
  require_numbers(smaller);
  std::int64_t differing = 0;
  for (std::size_t i = 0; i < masked.right.size(); ++i)
    differing += masked.right[i] != smaller.right[i];
  const double apart = std::abs(masked.loss() - smaller.loss());
  if (differing > std::max<std::int64_t>(1, masked.sums.tokens / 1000) ||
      apart > 1e-3 * (1 + masked.loss()))
    throw Error(
        "the smaller model is not the whole one without {} components: {} of {} tokens differ, "
        "loss {} instead of {}",
        removed.size(), differing, masked.sums.tokens, smaller.loss(), masked.loss());
  std::printf(
      "the smaller model equals the masked one: %lld of %lld tokens differ, losses %.3g apart\n",
      static_cast<long long>(differing), static_cast<long long>(masked.sums.tokens), apart);
  return smaller;
}

double problems_per_second(const Transformer& model, const Split& split, ThreadTeam& team) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    score(model, split, team);
    rates.push_back(static_cast<double>(split.size()) /
                    std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

// Continues training the cut model. The best epoch replaces it only if it is better on validation.
Checkpoint fine_tune(StageContext& context, const Checkpoint& cut, const Dataset& data,
                     const PruneModelParams& params, ThreadTeam& team) {
  TrainingOptions options = params.fine_tune;
  options.dropout = {cut.config.dropout, cut.config.attention_dropout};
  options.seed = params.seed;
  const TrainingWatch watch = training_watch(context, "fine_tune.safetensors", "fine-tuning", 0.5);
  TransformerTask task(cut.config, data, source_of(data, all_sources()), params.seed);
  const TrainingResult result = train(task, cut.parameters, options, team, watch);
  const Validation before = task.validate(cut.parameters, team);
  const Validation& after = result.best_validation;
  if (std::pair(after.objective, -after.loss) > std::pair(before.objective, -before.loss))
    return checkpoint_for(cut.config, data, result.best);
  watch.log("no epoch is better on validation than the model was before: it is left as it was");
  return cut;
}

Json by_tolerance(const Pruning& pruning, const std::vector<double>& tolerances, bool together) {
  Json counts = Json::object();
  for (const double tolerance : tolerances)
    counts[number_text(tolerance)] =
        together ? pruning.together(tolerance).size() : pruning.individually(tolerance);
  return counts;
}

}  // namespace

void run_prune_model(StageContext& context) {
  const auto params = read_params<PruneModelParams>(context);
  const Dataset data = read_dataset(context);
  const Checkpoint whole = read_checkpoint(context, data);
  const Split& test = data.split("test");
  const std::int64_t longest = std::max(positions_needed(whole.config, data.split("val")),
                                        positions_needed(whole.config, test));
  const Transformer model = whole.model(longest);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  const bool tunes = params.fine_tune.epochs > 0;

  const PruningOptions options{static_cast<int>(params.random_orders), params.seed};
  const Pruning pruning =
      prune(model, components_of(whole.config, kinds_of(params.components)),
            first_of(data.split("val"), params.choose), test, options, team, [&](double share) {
              context.throw_if_cancelled();
              context.progress(tunes ? share / 2 : share, "removing components");
            });
  warn_if_seldom_right(pruning.whole.value, std::max(kCriticalPoints, params.checkpoint));
  const std::vector<Component> removed = pruning.together(params.checkpoint);
  Checkpoint cut = without_units(whole, units_of(removed));
  const Scores scores = check_cut(model, cut.model(longest), removed, test, team);

  const Accuracy accuracy(whole.config, test);
  Json metrics = {{accuracy.name(), pruning.whole.value},
                  {"components", pruning.components.size()},
                  {"parameters", whole.parameters.count()},
                  {"individually", by_tolerance(pruning, params.tolerances, false)},
                  {"together", by_tolerance(pruning, params.tolerances, true)},
                  {"pruned",
                   {{"removed", removed.size()},
                    {accuracy.name(), accuracy.of(scores).value},
                    {"parameters", cut.parameters.count()}}}};
  if (tunes) {
    cut = fine_tune(context, cut, data, params, team);
    metrics["pruned"]["fine_tuned"] = accuracy.of(score(cut.model(longest), test, team)).value;
  }
  Table timing({"model", "problems_per_second"});
  timing.add({"whole", number_text(problems_per_second(model, test, team))});
  timing.add({"pruned", number_text(problems_per_second(cut.model(longest), test, team))});

  write_table(context, "table", curve_table(pruning));
  write_table(context, "tolerances", tolerance_table(pruning, params.tolerances));
  write_table(context, "timing", timing);
  write_model(context, cut);
  write_metrics(context, metrics);
}

}  // namespace headway
