// Variations of a pipeline file: what a variant, --set and other overrides make of it. A file is
// read once and may be varied many times.
#pragma once

#include <string>
#include <vector>

#include "lib/spec/document.h"
#include "lib/spec/interpolate.h"
#include "lib/spec/load.h"
#include "lib/spec/overrides.h"

namespace headway {

// A file with a variant, --set and other overrides applied. Stages are not read yet.
struct Variation {
  Value params;         // with overrides, ${} resolved
  const Value* stages;  // of the file, which must outlive this
  StageChanges changes;
};

// Applies the variant, then --set, then the overrides of `options`. Mistakes go to `diagnostics`.
Variation vary(const PipelineFile& file, const LoadOptions& options, InterpolationBudget& budget,
               Diagnostics& diagnostics);

// What a variation of the file is called: "" for the file as it is, "wide" for a variant,
// "steps=50" or "wide@steps=50" with --set. No two variations with different parameters have the
// same name. A --set that gives a parameter the value it has anyway does not count, nor does the
// order of the others.
struct VariationName {
  std::string text;
  std::vector<std::string> arguments;  // that make it: --variant wide --set steps=50
};
VariationName variation_name(const PipelineFile& file, const LoadOptions& options);
// The options that the arguments were made from.
LoadOptions options_from(const std::vector<std::string>& arguments);

}  // namespace headway
