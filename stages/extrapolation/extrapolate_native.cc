#include <fmt/format.h>

#include "lib/extrapolation/analysis/extrapolation.h"
#include "stages/artifacts.h"
#include "stages/extrapolation/inputs.h"
#include "stages/extrapolation/stages.h"
#include "stages/native_support.h"
#include "stages/params.h"

namespace headway {
namespace {

// The cost grows with the square of the length for long sequences, linearly for short ones.
double cost_of(const LengthTest& test) {
  const auto length = static_cast<double>(test.length);
  return static_cast<double>(test.sequences.size()) * length * (1 + length / 1000);
}

}  // namespace

void run_extrapolate(StageContext& context) {
  const auto params = read_params<ExtrapolateParams>(context);
  ClassifierCheckpoint checkpoint = read_classifier(context);
  const SortingData data = read_sorting_data(context);
  if (checkpoint.config.vocabulary != data.recipe.range) {
    throw Error(fmt::format("the model knows values below {}, but the data has values below {}",
                            checkpoint.config.vocabulary, data.recipe.range));
  }
  if (data.tests.empty()) throw Error("input 'data' has no tests by length ('test_lengths')");
  choose_beyond(params.beyond, checkpoint.config);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  Extrapolation extrapolation(checkpoint.config, {params.confidence, params.failures});
  double total = 0, before = 0;
  for (const LengthTest& test : data.tests) total += cost_of(test);
  for (const LengthTest& test : data.tests) {
    const Classifier model = checkpoint.model(test.length);
    const auto size = static_cast<double>(test.sequences.size());
    const ClassifierScores scores = score(model, test.sequences, team, [&](std::int64_t done) {
      context.throw_if_cancelled();
      const double share = before + cost_of(test) * static_cast<double>(done) / size;
      context.progress(share / total, fmt::format("length {}, {} negatives", test.length,
                                                  name_of(test.negatives)));
    });
    before += cost_of(test);
    extrapolation.add(test, scores);
  }
  write_table(context, "table", extrapolation.table());
  write_table(context, "failures", extrapolation.failures());
  write_metrics(context, extrapolation.metrics());
}

}  // namespace headway
