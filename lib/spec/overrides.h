// Changes to a pipeline's parameters: by a variant, by --set on the command line, or by a sweep.
// All go through here. A path names a parameter under `params`, or else a parameter of a stage
// (`train.lr`), whatever its `with` says.
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
  bool adds = false;  // `+path`: may name a parameter that is not there yet
};

// Whether another value of the parameter only repeats the experiment: the last component of its
// path is "seed".
bool is_replicate(std::string_view path);

// One `--set` argument, `a.b=value` or `+a.b=value`; the value is YAML.
Override parse_set(const std::string& argument, Diagnostics& diagnostics);

// The params with the override made: the parameter must exist (unless added) and keep its kind.
// Maps are merged.
void apply_override(Value& params, const Override& change, Diagnostics& diagnostics);

// What changes say of stages' own parameters, by stage; the paths begin inside the stage.
using StageChanges = std::map<std::string, std::vector<Override>, std::less<>>;

// A change of the params, or where they have no such path and a stage has its name, of that stage.
void apply_change(Value& params, const Value& stages, StageChanges& stage_changes,
                  const Override& change, Diagnostics& diagnostics);

// A change made to what a stage's `with` says, interpolated. Maps are merged. Whether there is such
// a parameter is for the schema to say.
void apply_to_stage(Value& with, const Override& change, const std::string& subject,
                    Diagnostics& diagnostics);

// What a variant changes: those of the ones it extends first.
std::vector<Override> variant_overrides(const Value& variants, const std::string& name,
                                        const SourceLocation& asked_from, Diagnostics& diagnostics);

// Params of an included file under those of the including one, which win.
void merge_params(Value& params, const Value& base);

}  // namespace headway
