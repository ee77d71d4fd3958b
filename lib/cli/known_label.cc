#include "lib/cli/known_label.h"

#include "lib/base/error.h"
#include "lib/spec/variation.h"
#include "lib/sweep/saved_sweep.h"
#include "lib/sweep/sweep_spec.h"

namespace headway {

std::optional<KnownPipeline> find_label(const PipelineArguments& arguments, CommandLine& line) {
  const bool has_changes =
      !arguments.variant.empty() || !arguments.sets.empty() || !arguments.sweep.empty();
  if (arguments.file.empty() || has_changes || line.files.exists(arguments.file))
    return std::nullopt;
  PipelineArguments unnamed = arguments;
  unnamed.file.clear();  // else its folder would decide where the outputs are
  const Layout layout(unnamed.outputs_path());
  for (const KnownPipeline& known : known_pipelines(line.files, layout)) {
    if (known.label() == arguments.file &&
        !PipelineState(line.files, layout, known.name, known.variant).file().empty())
      return known;
  }
  return std::nullopt;
}

std::string gone_from_file(const KnownPipeline& known, const Layout& layout, CommandLine& line) {
  if (known.variant.empty()) return "";
  const PipelineState state(line.files, layout, known.name, known.variant);
  if (state.file().empty() || !line.files.exists(state.file())) return "";
  const auto request = find_saved_sweep(line.files, layout, known.name, known.variant);
  try {
    const PipelineFile read = read_file_with_sweeps(state.file(), line.files);
    const std::string variant = options_from(state.arguments()).variant;
    if (!request)
      return variant.empty() || read.variants.find(variant) ? "" : "its file has no such variant";
    const bool declared = !request->changes.axes.empty() || sweeps_of(read).find(request->name);
    return declared ? "" : "its file has no such sweep";
  } catch (const Error&) {  // it might be readable later
    return "";
  }
}

}  // namespace headway
