#include "lib/spec/variation.h"

#include <algorithm>

#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/spec/folder_name.h"

namespace headway {
namespace {

constexpr const char* kVariantArgument = "--variant";
constexpr const char* kSetArgument = "--set";

// The parameters with the changes of `options`; ${} not resolved.
Value changed_params(const PipelineFile& file, const LoadOptions& options,
                     StageChanges& stage_changes, Diagnostics& diagnostics) {
  Value params = file.params;
  const auto apply = [&](const Override& change) {
    apply_change(params, file.stages, stage_changes, change, diagnostics);
  };
  if (!options.variant.empty()) {
    const SourceLocation location{
        SourceLocation::intern("--variant " + printable(options.variant))};
    for (const Override& change :
         variant_overrides(file.variants, options.variant, location, diagnostics)) {
      apply(change);
    }
  }
  for (const std::string& set : options.sets) {
    const std::size_t before = diagnostics.count();
    const Override change = parse_set(set, diagnostics);
    if (diagnostics.count() == before) apply(change);
  }
  for (const Override& change : options.overrides) apply(change);
  return params;
}

// The parameters of the pipeline and of all stages, as written.
Json written_params(const PipelineFile& file, const LoadOptions& options) {
  Diagnostics mistakes;  // reported by whoever loads the variation
  StageChanges changes;
  Json all = {{"params", to_json(changed_params(file, options, changes, mistakes))}};
  for (const auto& [stage, of_stage] : changes) {
    const Value* with = file.stages.find(stage)->find("with");
    Value changed = with ? *with : Value{};
    for (const Override& change : of_stage) apply_to_stage(changed, change, stage, mistakes);
    if (!with || to_line(to_json(changed)) != to_line(to_json(*with)))
      all["stages"][stage] = to_json(changed);
  }
  return all;
}

Override parsed_set(const std::string& set) {
  Diagnostics mistakes;
  return parse_set(set, mistakes);
}

// The sets without which the parameters would be others, sorted by path. Compares what is written,
// not what ${} gives: that depends on other changes too, such as those of a sweep's trials.
std::vector<std::string> effective_sets(const PipelineFile& file, const LoadOptions& options) {
  LoadOptions kept{options.variant, options.sets, {}};
  // As texts: 1 and 1.0 are equal, and commands see the difference.
  const std::string wanted = kept.sets.empty() ? "" : to_line(written_params(file, kept));
  for (std::size_t i = 0; i < kept.sets.size();) {
    LoadOptions fewer = kept;
    fewer.sets.erase(fewer.sets.begin() + static_cast<std::ptrdiff_t>(i));
    if (to_line(written_params(file, fewer)) == wanted)
      kept = std::move(fewer);
    else
      ++i;
  }
  std::ranges::stable_sort(kept.sets, {}, [](const auto& set) { return parsed_set(set).path; });
  return kept.sets;
}

}  // namespace

VariationName variation_name(const PipelineFile& file, const LoadOptions& options) {
  VariationName name{options.variant, {}};
  if (!options.variant.empty()) name.arguments = {kVariantArgument, options.variant};
  std::vector<Assignment> assignments;
  for (const std::string& set : effective_sets(file, options)) {
    const Override change = parsed_set(set);
    assignments.push_back({change.path, change.value});
    name.arguments.insert(name.arguments.end(), {kSetArgument, set});
  }
  if (!assignments.empty())
    name.text += (name.text.empty() ? "" : "@") + exact_folder_name(assignments);
  return name;
}

LoadOptions options_from(const std::vector<std::string>& arguments) {
  LoadOptions options;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == kVariantArgument) options.variant = arguments[i + 1];
    if (arguments[i] == kSetArgument) options.sets.push_back(arguments[i + 1]);
  }
  return options;
}

Variation vary(const PipelineFile& file, const LoadOptions& options, InterpolationBudget& budget,
               Diagnostics& diagnostics) {
  Variation variation{{}, &file.stages, {}};
  const Value params = changed_params(file, options, variation.changes, diagnostics);
  if (const Value* matrix = params.find("matrix"))
    diagnostics.add(matrix->location, "the parameter name 'matrix' is reserved");
  variation.params = resolve_params(params, budget, diagnostics);
  return variation;
}

}  // namespace headway
