#include <algorithm>
#include <chrono>
#include <cstdio>

#include "lib/analysis/pruning.h"
#include "lib/base/text.h"
#include "lib/train/seq2seq_task.h"
#include "stages/native_support.h"
#include "stages/params.h"
#include "stages/stages.h"

namespace headway {
namespace {

// The first samples of a split: as good as a random sample, because splits are shuffled.
Seq2SeqSplit first_of(const Seq2SeqSplit& split, std::int64_t count) {
  Seq2SeqSplit part;
  for (std::int64_t i = 0; i < std::min(count, split.size()); ++i) part.append(split, i);
  return part;
}

// The cut model must answer like the complete one with those heads switched off. Matrix products of
// other sizes round differently, so a borderline digit may change.
Seq2SeqScores check_cut(const Seq2Seq& whole, const Seq2Seq& cut,
                        const std::vector<HeadId>& removed, const Seq2SeqSplit& test,
                        ThreadTeam& team) {
  const HeadReplacement zero;
  const Seq2SeqScores masked = score(whole, test, team, removing(whole.config(), removed, zero));
  const Seq2SeqScores smaller = score(cut, test, team);
  std::int64_t differing = 0;
  for (std::size_t i = 0; i < masked.right.size(); ++i)
    differing += masked.right[i] != smaller.right[i];
  const double apart = std::abs(masked.loss() - smaller.loss());
  if (differing * 1000 > masked.tokens || apart > 1e-3 * (1 + masked.loss()))
    throw Error(
        "the smaller model is not the whole one without {} heads: {} of {} digits differ, "
        "loss {} instead of {}",
        removed.size(), differing, masked.tokens, smaller.loss(), masked.loss());
  std::printf(
      "the smaller model equals the masked one: %lld of %lld digits differ, losses %.3g apart\n",
      static_cast<long long>(differing), static_cast<long long>(masked.tokens), apart);
  return smaller;
}

double problems_per_second(const Seq2Seq& model, const Seq2SeqSplit& split, ThreadTeam& team) {
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
Checkpoint fine_tune(StageContext& context, const Checkpoint& cut, const Seq2SeqData& data,
                     const PruneHeadsParams& params, ThreadTeam& team) {
  TrainingOptions options = params.fine_tune;
  options.dropout = {cut.config.dropout, cut.config.attention_dropout};
  options.seed = params.seed;
  const TrainingWatch watch = training_watch(context, "fine_tune.safetensors", "fine-tuning", 0.5);
  Seq2SeqTask task(cut.config, data);
  const TrainingResult result = train(task, cut.parameters, options, team, watch);
  const Validation before = task.validate(cut.parameters, team);
  const Validation& after = result.best_validation;
  if (std::pair(after.objective, -after.loss) > std::pair(before.objective, -before.loss))
    return {cut.config, result.best};
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

void run_prune_heads(StageContext& context) {
  const auto params = read_params<PruneHeadsParams>(context);
  const Seq2SeqData data = read_data(context);
  const Checkpoint whole = read_checkpoint(context, data);
  const Seq2Seq model = whole.model();
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  const bool tunes = params.fine_tune.epochs > 0;

  const PruningOptions options{static_cast<int>(params.random_orders), params.seed};
  const Pruning pruning = prune_heads(
      model, first_of(data.val, params.choose), data.test, options, team, [&](double share) {
        context.throw_if_cancelled();
        context.progress(tunes ? share / 2 : share, "removing heads");
      });
  const std::vector<HeadId> removed = pruning.together(params.checkpoint);
  Checkpoint cut = without_heads(whole, removed);
  const Seq2SeqScores scores = check_cut(model, cut.model(), removed, data.test, team);

  Json metrics = {{"greedy", pruning.whole.value},
                  {"heads", pruning.heads.size()},
                  {"parameters", whole.parameters.count()},
                  {"individually", by_tolerance(pruning, params.tolerances, false)},
                  {"together", by_tolerance(pruning, params.tolerances, true)},
                  {"pruned",
                   {{"heads_removed", removed.size()},
                    {"greedy", scores.exact_match()},
                    {"parameters", cut.parameters.count()}}}};
  if (tunes) {
    cut = fine_tune(context, cut, data, params, team);
    metrics["pruned"]["fine_tuned"] = score(cut.model(), data.test, team).exact_match();
  }
  Table timing({"model", "problems_per_second"});
  timing.add({"whole", number_text(problems_per_second(model, data.test, team))});
  timing.add({"pruned", number_text(problems_per_second(cut.model(), data.test, team))});

  write_table(context, "table", curve_table(pruning));
  write_table(context, "tolerances", tolerance_table(pruning, whole.config, params.tolerances));
  write_table(context, "timing", timing);
  write_model(context, to_tensor_file(cut), data.train.vocabulary.texts());
  write_metrics(context, metrics);
}

}  // namespace headway
