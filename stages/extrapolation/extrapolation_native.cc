// The work of this study's stages that need LibTorch.
#include <fmt/format.h>

#include "lib/extrapolation/analysis/extrapolation.h"
#include "lib/extrapolation/analysis/position_analysis.h"
#include "stages/extrapolation/stages.h"
#include "stages/native_support.h"
#include "stages/params.h"

namespace headway {
namespace {

// Changes how a trained model's learned positions continue, unless `beyond` is "model". Throws
// Error if the positions are not learned.
void choose_beyond(const std::string& beyond, TransformerConfig& config) {
  if (beyond == "model") return;
  if (config.encoding != Encoding::kLearned)
    throw Error("'beyond: {}' is about learned positions, and the model's are '{}'", beyond,
                name_of(config.encoding));
  config.beyond = value_of<Beyond>(beyond).value();
}

// measure -> range -> value, or -> shift -> value.
Json metrics_of(const Table& table) {
  Json metrics = Json::object();
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::string name = table.text(row, "measure");
    std::ranges::replace(name, ' ', '_');
    const std::string& shift = table.text(row, "shift");
    Json& place = shift.empty() ? metrics[name] : metrics[name][shift];
    for (const char* range : {"inside", "beyond"}) {
      if (!table.text(row, range).empty()) place[range] = table.number(row, range);
    }
  }
  return metrics;
}

void run_analyze_positions(StageContext& context) {
  const auto params = read_params<AnalyzePositionsParams>(context);
  Checkpoint checkpoint = read_checkpoint(context);
  choose_beyond(params.beyond, checkpoint.config);
  const PositionView view = view_positions(checkpoint, params.positions);
  context.throw_if_cancelled();
  const Table table = position_table(view, checkpoint.config.trained_to, params.shifts);
  write_output(context, "positions", to_safetensors(to_tensor_file(view, checkpoint.config)));
  write_table(context, "table", table);
  write_metrics(context, metrics_of(table));
}

std::vector<LengthTest> length_tests_of(const Dataset& data) {
  try {
    return length_tests(data);
  } catch (const Error& error) {
    throw error.within("input 'data'");
  }
}

// The cost grows with the square of the length for long sequences, linearly for short ones.
double cost_of(const LengthTest& test) {
  const auto length = static_cast<double>(test.length);
  return static_cast<double>(test.split->size()) * length * (1 + length / 1000);
}

void run_extrapolate(StageContext& context) {
  const auto params = read_params<ExtrapolateParams>(context);
  const Dataset data = read_dataset(context);
  const std::vector<LengthTest> tests = length_tests_of(data);
  Checkpoint checkpoint = read_checkpoint(context, data);
  choose_beyond(params.beyond, checkpoint.config);
  ThreadTeam team(static_cast<std::size_t>(context.cpus()));
  Extrapolation extrapolation(checkpoint.config, {params.confidence, params.failures});
  double total = 0, before = 0;
  for (const LengthTest& test : tests) total += cost_of(test);
  for (const LengthTest& test : tests) {
    const Transformer model = checkpoint.model(test.length);
    const auto size = static_cast<double>(test.split->size());
    const Scores scores = score(model, *test.split, team, {}, [&](std::int64_t done) {
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

}  // namespace

NativeStages extrapolation_native_stages() {
  return {{"analyze-positions", run_analyze_positions},
          {"extrapolate", run_extrapolate},
          {"generate-sorting", run_generate_sorting}};
}

}  // namespace headway
