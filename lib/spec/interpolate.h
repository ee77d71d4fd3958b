// ${name.path} inserts a value of `params`, or of a stage's matrix. A scalar that consists of one
// reference becomes the value itself, whatever its type; within other text the value is written
// out. References nest (`${models.${which}}`); `$${` is a literal `${`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/value.h"

namespace headway {

// How many values and bytes interpolation may still make, for a whole pipeline: stops "billion
// laughs". Exceeding it throws PipelineError.
struct InterpolationBudget {
  std::size_t nodes = 4'000'000;
  std::size_t bytes = 64 << 20;
};

// Resolves the references of params among themselves. Cycles and unknown names go to `diagnostics`.
Value resolve_params(const Value& params, InterpolationBudget& budget, Diagnostics& diagnostics);

// A parameter that a stage uses, for `headway why`: within a longer text its value is not visible.
struct ParamReference {
  std::string name;
  std::string value;        // as JSON
  SourceLocation location;  // where it is set
};

// What the references of a stage may name.
struct InterpolationScope {
  const Value& params;  // resolved
  const Value* matrix;  // null for a stage without a matrix
  InterpolationBudget& budget;
  Diagnostics& diagnostics;
  std::vector<ParamReference>* used = nullptr;  // gets the parameters that are used, each once
};

// The value with its references replaced. Unknown names go to `diagnostics` and become "".
Value interpolate(const Value& value, const InterpolationScope& scope);

// The value at a dotted path; null if there is none.
const Value* find_path(const Value& root, std::string_view dotted);
// A message: "unknown parameter 'model.d_modle'; did you mean 'model.d_model'?"
std::string unknown_path(const Value& root, std::string_view dotted);

}  // namespace headway
