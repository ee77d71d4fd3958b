#include <fmt/format.h>

#include <algorithm>

#include "lib/analysis/evaluation.h"
#include "lib/data/addition.h"
#include "stages/evaluate_seq2seq.h"
#include "stages/stage_files.h"

namespace headway {
namespace {

constexpr int kMostExhaustiveDigits =
    4;  // 81 million problems, hours on one core; 5 would be months
constexpr std::int64_t kAtOnce = 1 << 14;  // problems held in memory

// Of the split's problems. All additions are written as generate-addition writes them, which says
// something about the model only where it learned them so: not reversed, not without leading zeros.
int digits_of(const Seq2SeqSplit& split) {
  const auto parsed = parse_problem(split.input(0));
  if (!parsed) throw Error("exhaustive: the data is no addition of two numbers of as many digits");
  Seq2SeqSplit expected;
  append_problem(parsed->problem, parsed->digits, expected);
  if (split.input_length != expected.input_length ||
      !std::ranges::equal(split.target(0), expected.target(0))) {
    throw Error(fmt::format(
        "exhaustive: it asks for {0}={1}, but the data says {0}={2}: sums must be written with "
        "one digit more than the numbers, and a 0 in front where they need none",
        sequence_text(expected.input(0)), sequence_text(expected.target(0)),
        sequence_text(split.target(0))));
  }
  if (parsed->digits > kMostExhaustiveDigits) {
    throw Error(fmt::format("exhaustive: {} problems of {} digits are too many (at most {} digits)",
                            problem_count(parsed->digits), parsed->digits, kMostExhaustiveDigits));
  }
  return parsed->digits;
}

void evaluate_all(StageContext& context, const Seq2Seq& model, int digits, ThreadTeam& team,
                  Evaluation& evaluation) {
  const std::int64_t total = problem_count(digits);
  for (std::int64_t first = 0; first < total; first += kAtOnce) {
    Seq2SeqSplit split;
    const std::int64_t last = std::min(total, first + kAtOnce);
    for (std::int64_t i = first; i < last; ++i) {
      append_problem(problem_at(digits, i), digits, split);
    }
    evaluation.add(model, split, team, [&](std::int64_t) { context.throw_if_cancelled(); });
    context.progress(
        static_cast<double>(last) / static_cast<double>(total),
        fmt::format("{} of {} problems, {} wrong", last, total, evaluation.failures().size()));
  }
}

}  // namespace

void run_evaluate_seq2seq(StageContext& context) {
  const EvaluateSeq2SeqParams params = evaluate_seq2seq_schema().read(context.params());
  const Seq2SeqData data = read_data(context);
  const Seq2Seq model = read_checkpoint(context).model();
  const Seq2SeqSplit& split = data.split(params.split);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  Evaluation evaluation;
  if (params.exhaustive) {
    evaluate_all(context, model, digits_of(split), team, evaluation);
  } else {
    evaluation.add(model, split, team, [&](std::int64_t done) {
      context.throw_if_cancelled();
      context.progress(static_cast<double>(done) / static_cast<double>(split.size()),
                       fmt::format("{} of {} problems", done, split.size()));
    });
  }
  std::string failures;
  for (const std::string& failure : evaluation.failures()) failures += failure + "\n";
  write_output(context, "failures", failures);
  write_table(context, "table", evaluation.table());
  write_metrics(context, evaluation.metrics());
}

}  // namespace headway
