#include "lib/sweep/sweep_report.h"

#include "lib/sweep/sweep_pipeline.h"

namespace headway {
namespace {

constexpr const char* kTrialsInput = "trials";

}  // namespace

const char* const kSweepTemplate = R"(# What the sweep found

{{ if decisions }}
{{ findings sweep table=trials comparison=comparison decisions=decisions }}
{{ else }}
{{ findings sweep table=trials comparison=comparison }}
{{ end }}

## Every trial

{{ table trials rows=12 "Every trial: its values of the axes, then what it reached." }}

{{ all }}
)";

// Not the comparison as Markdown: the template has findings on it.
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
