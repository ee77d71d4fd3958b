// Changes to a pipeline's parameters, by a variant, by --set or by a program. A path names a
// parameter in `params`, or if there is none, a parameter of a stage (`train.lr`). Mistakes go to
// `diagnostics`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/value.h"

namespace headway {

struct Override {
  std::string path;  // dotted: model.d_model
  Value value;
  SourceLocation location;
  bool adds = false;  // `+path`: may add a parameter
};

// Whether other values of the parameter only repeat the experiment: the last component of its path
// is "seed".
bool is_replicate(std::string_view path);

// Parses a `--set` argument, `a.b=value` or `+a.b=value`; the value is YAML.
Override parse_set(const std::string& argument, Diagnostics& diagnostics);

// Changes to parameters of stages, by stage; their paths start inside the stage.
using StageChanges = std::map<std::string, std::vector<Override>, std::less<>>;

// Changes `params`. The parameter must exist, unless the change adds it, and keeps its kind. Maps
// are merged. If there is no such parameter and the path starts with the name of a stage, adds to
// `stage_changes` instead.
void apply_change(Value& params, const Value& stages, StageChanges& stage_changes,
                  const Override& change, Diagnostics& diagnostics);

// Changes a stage's interpolated `with`. Maps are merged. Does not check that the stage has such a
// parameter; the schema does.
void apply_to_stage(Value& with, const Override& change, const std::string& subject,
                    Diagnostics& diagnostics);

// The changes of a variant, after those of the variants it extends.
std::vector<Override> variant_overrides(const Value& variants, const std::string& name,
                                        const SourceLocation& asked_from, Diagnostics& diagnostics);

// Adds the entries of `base` that `params` lacks, recursively: for params of an included file.
void merge_params(Value& params, const Value& base);

}  // namespace headway
