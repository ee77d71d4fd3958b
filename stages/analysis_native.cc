// Stages that look at trained models.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "lib/analysis/ablation.h"
#include "lib/analysis/activations.h"
#include "lib/analysis/attention_maps.h"
#include "lib/analysis/attention_statistics.h"
#include "lib/analysis/circuits.h"
#include "lib/analysis/evaluation.h"
#include "lib/base/text.h"
#include "lib/numerics/random.h"
#include "stages/native_support.h"
#include "stages/params.h"
#include "stages/stages.h"
#include "stages/study.h"

namespace headway {
namespace {

constexpr std::int64_t kAtOnce = 1 << 14;  // samples in memory

// A model, and one split of data to look at it with.
struct Subject {
  Dataset data;
  const Split& split;
  Checkpoint checkpoint;
  Transformer model;
  ThreadTeam team;

  Subject(const StageContext& context, const std::string& split_name)
      : data(read_dataset(context)),
        split(data.split(split_name)),
        checkpoint(read_checkpoint(context, data)),
        model(checkpoint.model(longest(checkpoint.config, data))),
        team(static_cast<std::size_t>(context.cpus())) {
    if (split.size() == 0) throw Error("split '{}' has no samples", split_name);
  }

  static std::int64_t longest(const TransformerConfig& config, const Dataset& data) {
    std::int64_t most = 1;
    for (const auto& [name, split] : data.splits)
      most = std::max(most, positions_needed(config, split));
    return most;
  }
};

void evaluate_all(StageContext& context, Subject& subject, Evaluation& evaluation) {
  const SampleSource source = source_of(subject.data, all_sources());
  if (source.count == 0)
    throw Error("exhaustive: the data's generator cannot make every sample{}",
                subject.data.generator.is_null() ? ", since the data names none"
                                                 : ": there are too many, or it does not say how");
  for (std::int64_t first = 0; first < source.count; first += kAtOnce) {
    const std::int64_t last = std::min(source.count, first + kAtOnce);
    evaluation.add(subject.model, source.range(first, last - first), subject.team,
                   [&](std::int64_t) { context.throw_if_cancelled(); });
    context.progress(static_cast<double>(last) / static_cast<double>(source.count),
                     fmt::format("{} of {} problems, {} wrong", last, source.count,
                                 evaluation.failures().size()));
  }
}

// Adds the split's first sample with this input; false if there is none.
bool append_found(std::span<const Token> input, const Split& split, Split& rows) {
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const auto size = static_cast<std::size_t>(split.input_size(sample));
    if (!std::ranges::equal(split.input(sample).first(size), input)) continue;
    rows.append(split, sample);
    return true;
  }
  return false;
}

// The sample with this input: one of the split's, of another split, or one that the data's
// generator makes.
void append_problem(const std::string& problem, const Subject& subject, const SampleSource& source,
                    Split& rows) {
  const Split& own = subject.split;
  const std::vector<Token> input = own.vocabulary().read(problem);
  const std::string example = printable(own.vocabulary().spell(own.input(0)));
  if (problem.empty()) throw Error("an empty problem; inputs of the data are like '{}'", example);
  if (input.empty())
    throw Error("problem '{}' has words that the data does not know; its inputs are like '{}'",
                printable(problem), example);
  if (append_found(input, own, rows)) return;
  for (const auto& [name, split] : subject.data.splits) {
    if (append_found(input, split, rows)) return;
  }
  if (!source.complete)
    throw Error("problem '{}' is in no split of the data; inputs are like '{}'", printable(problem),
                example);
  rows.append(source.complete(input), 0);
}

// The chosen problems, then the sampled ones.
Split rows_to_map(const AttentionMapsParams& params, const Subject& subject) {
  const Split& split = subject.split;
  Split rows;
  const SampleSource source =
      params.problems.empty() ? SampleSource() : source_of(subject.data, all_sources());
  for (const std::string& problem : params.problems) append_problem(problem, subject, source, rows);
  std::vector<std::int64_t> order(static_cast<std::size_t>(split.size()));
  std::iota(order.begin(), order.end(), 0);
  RandomStream(params.seed).shuffle(std::span(order));
  const auto wanted = std::min(order.size(), static_cast<std::size_t>(params.sampled));
  for (std::size_t i = 0; i < wanted; ++i) rows.append(split, order[i]);
  return rows;
}

Replacement replacement_of(const AblateModelParams& params, Subject& subject,
                           const StageContext& context) {
  switch (params.mode) {
    case RemovalMode::kZero:
      break;
    case RemovalMode::kMean:
      return Replacement::mean_over(subject.model, subject.data.split("val"), subject.team,
                                    [&](std::int64_t) { context.throw_if_cancelled(); });
    case RemovalMode::kResample:
      return Replacement::resample(params.seed);
  }
  return {};
}

}  // namespace

void run_evaluate_model(StageContext& context) {
  const auto params = read_params<EvaluateModelParams>(context);
  Subject subject(context, params.split);
  Evaluation evaluation;
  if (params.exhaustive) {
    evaluate_all(context, subject, evaluation);
  } else {
    evaluation.add(subject.model, subject.split, subject.team,
                   batch_progress(context, subject.split.size()));
  }
  std::string failures;
  for (const std::string& failure : evaluation.failures()) failures += failure + "\n";
  write_output(context, "failures", failures);
  write_table(context, "table", evaluation.table());
  write_metrics(context, evaluation.metrics());
}

void run_attention_maps(StageContext& context) {
  const auto params = read_params<AttentionMapsParams>(context);
  Subject subject(context, params.split);
  const TransformerConfig& config = subject.model.config();
  if (config.heads().empty()) throw Error("input 'model' has no heads: all are pruned");
  const Split rows = rows_to_map(params, subject);
  const TensorFile maps = attention_maps(subject.model, rows);
  const auto statistics = attention_statistics(subject.model, subject.split, subject.team,
                                               batch_progress(context, subject.split.size()));
  const Legend& legend = *subject.data.legend;
  if (legend.roles.size() > kMostRoles)
    std::printf("warning: the data has %zu roles; of more than %zu there is no table by role\n",
                legend.roles.size(), kMostRoles);
  write_output(context, "maps", to_safetensors(maps));
  write_table(context, "table",
              statistics_table(statistics, config, legend, copying_scores(subject.checkpoint)));
  write_table(context, "roles", role_table(statistics, config, legend));
  write_metrics(context, {{"problems", rows.size()}, {"heads", statistics.size()}});
}

void run_ablate_model(StageContext& context) {
  const auto params = read_params<AblateModelParams>(context);
  Subject subject(context, params.split);
  const Ablation ablation =
      ablate(subject.model, subject.split,
             components_of(subject.model.config(), kinds_of(params.components)),
             replacement_of(params, subject, context), subject.team,
             batch_progress(context, subject.split.size()));
  warn_if_seldom_right(ablation.accuracy, kCriticalPoints);
  write_table(context, "table", to_table(ablation, subject.model.config()));
  write_metrics(context, to_metrics(ablation));
}

void run_record_activations(StageContext& context) {
  const auto params = read_params<RecordActivationsParams>(context);
  Subject subject(context, params.split);
  std::vector<std::int64_t> samples(
      static_cast<std::size_t>(std::min(params.samples, subject.split.size())));
  std::iota(samples.begin(), samples.end(), 0);
  const TensorFile file =
      record_activations(subject.model, subject.split, samples, params.hooks, subject.team,
                         batch_progress(context, std::ssize(samples)));
  write_output(context, "activations", to_safetensors(file));
}

}  // namespace headway
