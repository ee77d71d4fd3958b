#include "lib/extrapolation/analysis/position_analysis.h"
#include "stages/artifacts.h"
#include "stages/extrapolation/inputs.h"
#include "stages/extrapolation/stages.h"
#include "stages/native_support.h"
#include "stages/params.h"

namespace headway {
namespace {

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

}  // namespace

void run_analyze_positions(StageContext& context) {
  const auto params = read_params<AnalyzePositionsParams>(context);
  ClassifierCheckpoint checkpoint = read_classifier(context);
  choose_beyond(params.beyond, checkpoint.config);
  const PositionView view = view_positions(checkpoint, params.positions);
  context.throw_if_cancelled();
  const Table table = position_table(view, checkpoint.config.trained_to, params.shifts);
  write_output(context, "positions", to_safetensors(to_tensor_file(view, checkpoint.config)));
  write_table(context, "table", table);
  write_metrics(context, metrics_of(table));
}

}  // namespace headway
