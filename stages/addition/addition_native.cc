// The work of this study's stages that need LibTorch.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lib/addition/addition.h"
#include "lib/addition/analysis/attention_maps.h"
#include "lib/addition/analysis/attention_statistics.h"
#include "lib/addition/analysis/evaluation.h"
#include "lib/numerics/random.h"
#include "stages/addition/stages.h"
#include "stages/native_support.h"
#include "stages/params.h"

namespace headway {
namespace {

// The chosen problems, then the sampled ones, as rows like those of the split.
Seq2SeqSplit rows_to_map(const AttentionMapsParams& params, const Seq2SeqSplit& split) {
  Seq2SeqSplit rows;
  for (const std::string& problem : params.problems) append_written(problem, split, rows);
  std::vector<std::int64_t> order(static_cast<std::size_t>(split.size()));
  std::iota(order.begin(), order.end(), 0);
  RandomStream(params.seed).shuffle(std::span(order));
  const auto wanted = std::min(order.size(), static_cast<std::size_t>(params.sampled));
  for (std::size_t i = 0; i < wanted; ++i) rows.append(split, order[i]);
  return rows;
}

void run_attention_maps(StageContext& context) {
  const auto params = read_params<AttentionMapsParams>(context);
  const Seq2SeqData data = read_data(context, &addition_vocabulary());
  const Seq2Seq model = read_checkpoint(context, data).model();
  const Seq2SeqSplit& split = data.split(params.split);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  const Seq2SeqSplit rows = rows_to_map(params, split);
  const TensorFile maps = attention_maps(model, rows);
  const auto statistics =
      attention_statistics(model, split, team, batch_progress(context, split.size()));
  write_output(context, "maps", to_safetensors(maps));
  write_table(context, "table", to_table(statistics, model.config()));
  write_metrics(context, {{"problems", rows.size()}, {"heads", statistics.size()}});
}

constexpr int kMostExhaustiveDigits = 4;   // takes hours on one core; 5 would take months
constexpr std::int64_t kAtOnce = 1 << 14;  // problems in memory

// "All additions" are written as generate-addition writes them. That is meaningful only if the
// model learned this form: not reversed, and with leading zeros.
void check_spelling(const Seq2SeqSplit& split, int digits) {
  if (split.input_length != 2 * digits + 1 || split.target_length != digits + 1)
    throw Error(
        "exhaustive: additions of {} have {} tokens and sums of {}, but the data's "
        "have up to {} and {}",
        digits == 1 ? "1 digit" : fmt::format("{} digits", digits), 2 * digits + 1, digits + 1,
        split.input_length, split.target_length);
  std::string example;
  std::int64_t other = 0;  // datasets may contain wrong sums
  for (std::int64_t row = 0; row < split.size(); ++row) {
    Seq2SeqSplit expected;
    const auto parsed = parse_problem(split.input(row));
    if (parsed) append_problem(parsed->problem, digits, expected);
    if (parsed && std::ranges::equal(split.target(row), expected.targets)) continue;
    if (other++ > 0) continue;
    example =
        fmt::format("{}={}", sequence_text(split.input(row)), sequence_text(split.target(row)));
  }
  if (2 * other <= split.size()) return;
  throw Error(
      "exhaustive: {} of the split's {} problems are no sums, or written another way "
      "than generate-addition does, as {}",
      other, split.size(), example);
}

int digits_of(const Seq2SeqSplit& split) {
  const auto parsed = parse_problem(split.input(0));
  if (!parsed) throw Error("exhaustive: the data is no addition of two numbers of as many digits");
  if (parsed->digits > kMostExhaustiveDigits)
    throw Error("exhaustive: {} problems of {} digits are too many (at most {} digits)",
                problem_count(parsed->digits), parsed->digits, kMostExhaustiveDigits);
  check_spelling(split, parsed->digits);
  return parsed->digits;
}

void evaluate_all(StageContext& context, const Seq2Seq& model, int digits, ThreadTeam& team,
                  Evaluation& evaluation) {
  const std::int64_t total = problem_count(digits);
  for (std::int64_t first = 0; first < total; first += kAtOnce) {
    Seq2SeqSplit split;
    const std::int64_t last = std::min(total, first + kAtOnce);
    for (std::int64_t i = first; i < last; ++i)
      append_problem(problem_at(digits, i), digits, split);
    evaluation.add(model, split, team, [&](std::int64_t) { context.throw_if_cancelled(); });
    context.progress(
        static_cast<double>(last) / static_cast<double>(total),
        fmt::format("{} of {} problems, {} wrong", last, total, evaluation.failures().size()));
  }
}

void run_evaluate_seq2seq(StageContext& context) {
  const auto params = read_params<EvaluateSeq2SeqParams>(context);
  const Seq2SeqData data = read_data(context, &addition_vocabulary());
  const Seq2Seq model = read_checkpoint(context, data).model();
  const Seq2SeqSplit& split = data.split(params.split);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  Evaluation evaluation;
  if (params.exhaustive) {
    evaluate_all(context, model, digits_of(split), team, evaluation);
  } else {
    evaluation.add(model, split, team, batch_progress(context, split.size()));
  }
  std::string failures;
  for (const std::string& failure : evaluation.failures()) failures += failure + "\n";
  write_output(context, "failures", failures);
  write_table(context, "table", evaluation.table());
  write_metrics(context, evaluation.metrics());
}

}  // namespace

NativeStages addition_native_stages() {
  return {{"attention-maps", run_attention_maps},
          {"evaluate-seq2seq", run_evaluate_seq2seq},
          {"generate-addition", run_generate_addition},
          {"import-dataset", run_import_dataset}};
}

}  // namespace headway
