// Changes to a pipeline's params: by a variant, or by --set on the command line. Both go through
// here.
#pragma once

#include <string>
#include <vector>

#include "lib/base/value.h"

namespace headway {

struct Override {
  std::string path;  // dotted: model.d_model
  Value value;
  Mark mark;
  bool adds = false;  // `+path`: may name a parameter that is not there yet
};

// One `--set` argument, `a.b=value` or `+a.b=value`; the value is YAML.
Override parse_set(const std::string& argument, Diagnostics& diagnostics);

// The params with the override made: the parameter must exist (unless added) and keep its kind.
// Maps are merged.
void apply_override(Value& params, const Override& change, Diagnostics& diagnostics);

// Params of an included file under those of the including one, which win.
void merge_params(Value& params, const Value& base);

}  // namespace headway
