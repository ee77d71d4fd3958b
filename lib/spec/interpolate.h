// ${name.path}: values of `params` (and of a stage's matrix) put into other values. A scalar that
// is nothing but one reference becomes the value itself, of any type; inside other text the value
// is written out. References nest
// (`${models.${which}}`); `$${` is a literal `${`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/value.h"

namespace headway {

// How many values and bytes interpolation may make, over a whole pipeline: what stops "billion
// laughs" in params.
struct InterpolationBudget {
  std::size_t nodes = 4'000'000;
  std::size_t bytes = 64 << 20;
};

// `params` with every reference among themselves resolved; cycles and unknown names go to
// `diagnostics`.
Value resolve_params(const Value& params, InterpolationBudget& budget, Diagnostics& diagnostics);

// A parameter that a stage uses: for explanations, because inside a longer text its value cannot be
// told apart.
struct ParamReference {
  std::string name;
  std::string value;
  SourceLocation location;  // where it is set
};

class Interpolator {
 public:
  // `params` is resolved already; `matrix` is null outside a matrix stage; `used` gets every
  // parameter met.
  Interpolator(const Value& params, const Value* matrix, InterpolationBudget& budget,
               Diagnostics& diagnostics, std::vector<ParamReference>* used = nullptr)
      : params_(params), matrix_(matrix), budget_(budget), diagnostics_(diagnostics), used_(used) {}

  Value apply(const Value& value) const;

 private:
  const Value& params_;
  const Value* matrix_;
  InterpolationBudget& budget_;
  Diagnostics& diagnostics_;
  std::vector<ParamReference>* used_;
};

// The value at a dotted path; null where there is none.
const Value* find_path(const Value& root, std::string_view dotted);
// "unknown parameter 'model.d_modle'; did you mean 'model.d_model'?"
std::string unknown_path(const Value& root, std::string_view dotted);

}  // namespace headway
