#include "lib/sweep/sweep_report.h"

#include "lib/sweep/sweep_pipeline.h"

namespace headway {
namespace {

constexpr const char* kTrialsInput = "trials";

}  // namespace

// The comparison's Markdown form is left out: the template shows the same.
std::optional<std::string> sweep_input_name(const StageSpec& stage, const Output& output) {
  if (stage.type->name != kTrialsType) return std::nullopt;
  if (output.name == "table") return kTrialsInput;
  return output.name == "markdown" ? "" : output.name;
}

bool is_of_sweep(const Provenance& provenance) {
  for (const StageOrigin::Input& input : provenance.inputs) {
    if (input.port != kTrialsInput || input.sources.empty()) continue;
    const StageOrigin* stage = provenance.maker_of(input.sources.front());
    return stage && stage->type == kTrialsType;
  }
  return false;
}

}  // namespace headway
