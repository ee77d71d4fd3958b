#include "lib/spec/overrides.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"
#include "lib/spec/interpolate.h"
#include "lib/spec/yaml.h"

namespace headway {
namespace {

constexpr std::string_view kSetOption = "--set ";
constexpr std::size_t kMostParts = 32;      // parts of a path
constexpr std::size_t kMostExtended = 100;  // variants that extend one another

bool is_reference(const Value& value) {
  return value.text() && value.text()->find("${") != std::string::npos;
}

bool is_set_argument(const SourceLocation& location) {
  return location.source && location.source->starts_with(kSetOption);
}

// Whether a parameter of one kind may get a value of the other. A reference has no kind yet.
bool same_kind(const Value& before, const Value& after) {
  const auto number = [](const Value& value) { return value.integer() || value.real(); };
  if (before.is_null() || is_reference(before) || is_reference(after)) return true;
  return before.data.index() == after.data.index() || (number(before) && number(after));
}

// Sets an existing parameter.
void assign(Value& target, const Override& change, const std::string& path, const Value& value,
            Diagnostics& diagnostics) {
  if (target.map() && value.map()) {
    for (const MapEntry& entry : *value.map()) {
      Value* inner = target.find(entry.key);
      const std::string inner_path = path + "." + entry.key;
      if (inner) {
        assign(*inner, change, inner_path, entry.value, diagnostics);
      } else if (change.adds) {
        target.map()->push_back(entry);
      } else {
        diagnostics.add(entry.key_location, "unknown parameter '{}'{}", inner_path,
                        did_you_mean(entry.key, keys_of(target)));
      }
    }
    return;
  }
  if (!same_kind(target, value))
    return diagnostics.add(change.location, "parameter '{}' is {}; it cannot become {}", path,
                           target.describe(), value.describe());
  target = value;
}

// Maps are merged, other values replaced.
void merge_value(Value& target, const Value& value) {
  if (!target.map() || !value.map()) {
    target = value;
    return;
  }
  for (const MapEntry& entry : *value.map()) {
    if (Value* inner = target.find(entry.key)) {
      merge_value(*inner, entry.value);
    } else {
      target.map()->push_back(entry);
    }
  }
}

// Changes a parameter of the pipeline, or adds one.
void apply_override(Value& params, const Override& change, Diagnostics& diagnostics) {
  if (!params.map()) params.data = ValueMap();
  Value* target = &params;
  const std::vector<std::string> parts = split(change.path, '.');
  if (parts.size() > kMostParts)
    return diagnostics.add(change.location, "the parameter's name has too many parts");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty())
      return diagnostics.add(change.location, "'{}' is not a parameter's name", change.path);
    Value* next = target->find(parts[i]);
    if (!next && !change.adds)
      return diagnostics.add(
          change.location,
          unknown_path(params, change.path) + (is_set_argument(change.location)
                                                   ? fmt::format(" (+{}=… adds one)", change.path)
                                                   : ""));
    if (!next) {
      if (!target->map())
        return diagnostics.add(change.location, "'{}' is not a map and cannot get '{}'",
                               printable(target->plain()), printable(parts[i]));
      const bool last = i + 1 == parts.size();
      target->map()->push_back(
          {parts[i], change.location, last ? change.value : Value{ValueMap(), change.location}});
      if (last) return;
      next = &target->map()->back().value;
    }
    target = next;
  }
  assign(*target, change, change.path, change.value, diagnostics);
}

// Follows `extends`; `chain` has the variants that led here.
void add_variant(const Value& variants, const std::string& name, const SourceLocation& location,
                 std::vector<std::string>& chain, std::vector<Override>& changes,
                 Diagnostics& diagnostics) {
  const Value* variant = variants.find(name);
  if (!variant)
    return diagnostics.add(location, "unknown variant '{}'{}", printable(name),
                           did_you_mean(name, keys_of(variants)));
  const bool circle = std::find(chain.begin(), chain.end(), name) != chain.end();
  chain.push_back(name);
  if (circle)
    return diagnostics.add(location, "variants extend each other in a circle: {}",
                           join(chain, " -> "));
  if (chain.size() > kMostExtended)
    return diagnostics.add(location, "more than {} variants extend one another", kMostExtended);
  if (variant->is_null()) return;
  if (!variant->map())
    return diagnostics.add(variant->location,
                           "variant '{}' must be a map from parameters to values, got {}", name,
                           variant->describe());
  if (const Value* base = variant->find("extends")) {
    if (base->text()) {
      add_variant(variants, *base->text(), base->location, chain, changes, diagnostics);
    } else {
      diagnostics.add(base->location, "'extends' expects a variant's name, got {}",
                      base->describe());
    }
  }
  for (const MapEntry& entry : *variant->map()) {
    if (entry.key == "extends") continue;
    const bool adds = entry.key.starts_with('+');
    changes.push_back(
        {adds ? entry.key.substr(1) : entry.key, entry.value, entry.key_location, adds});
  }
}

}  // namespace

Override parse_set(const std::string& argument, Diagnostics& diagnostics) {
  Override change;
  change.location = {SourceLocation::intern(std::string(kSetOption) + printable(argument))};
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.add(change.location, "expected NAME=VALUE");
    return change;
  }
  change.path = argument.substr(0, equals);
  if (change.path.starts_with('+')) {
    change.adds = true;
    change.path.erase(0, 1);
  }
  Diagnostics inner;
  std::optional<Value> value;
  try {
    value = parse_yaml(argument.substr(equals + 1), change.location.source, inner);
  } catch (const PipelineError&) {  // there is no value
  }
  if (!value || !inner.empty() || !is_utf8(change.path)) {
    diagnostics.add(change.location,
                    is_utf8(change.path) ? "the value is not YAML" : "the name is not UTF-8 text");
    return change;
  }
  change.value = *value;
  change.value.location = change.location;  // line and column of an argument say nothing
  return change;
}

void apply_change(Value& params, const Value& stages, StageChanges& stage_changes,
                  const Override& change, Diagnostics& diagnostics) {
  const std::size_t dot = change.path.find('.');
  const bool names_stage = dot != std::string::npos && dot + 1 < change.path.size() &&
                           stages.find(change.path.substr(0, dot)) != nullptr;
  if (!change.adds && stages.find(change.path) && !params.find(change.path))
    return diagnostics.add(change.location,
                           "'{0}' is a stage; name one of its parameters, such as {0}.seed "
                           "(`headway stages` lists them)",
                           change.path);
  if (change.adds || !names_stage || find_path(params, change.path))
    return apply_override(params, change, diagnostics);
  Override inside = change;
  inside.path = change.path.substr(dot + 1);
  stage_changes[change.path.substr(0, dot)].push_back(std::move(inside));
}

void apply_to_stage(Value& with, const Override& change, const std::string& subject,
                    Diagnostics& diagnostics) {
  Value* target = &with;
  std::string above;
  const std::vector<std::string> parts = split(change.path, '.');
  if (parts.size() > kMostParts)
    return diagnostics.add(change.location, "the parameter's name has too many parts");
  for (const std::string& part : parts) {
    if (target->is_null()) *target = {ValueMap(), change.location};
    if (!target->map() || part.empty())
      return diagnostics.add(
          change.location,
          part.empty() ? fmt::format("{}: '{}' is not a parameter's name", subject, change.path)
                       : fmt::format("{}: parameter '{}' is {}; it has no '{}'", subject, above,
                                     target->describe(), part));
    Value* next = target->find(part);
    if (!next) {
      target->map()->push_back({part, change.location, {{}, change.location}});
      next = &target->map()->back().value;
    }
    above += (above.empty() ? "" : ".") + part;
    target = next;
  }
  merge_value(*target, change.value);
}

std::vector<Override> variant_overrides(const Value& variants, const std::string& name,
                                        const SourceLocation& asked_from,
                                        Diagnostics& diagnostics) {
  std::vector<Override> changes;
  std::vector<std::string> chain;
  add_variant(variants, name, asked_from, chain, changes, diagnostics);
  return changes;
}

bool is_replicate(std::string_view path) {
  return path == "seed" || path.ends_with(".seed");
}

void merge_params(Value& params, const Value& base) {
  if (!base.map()) return;
  if (!params.map()) params.data = ValueMap();
  for (const MapEntry& entry : *base.map()) {
    Value* mine = params.find(entry.key);
    if (!mine) {
      params.map()->push_back(entry);
    } else if (mine->map() && entry.value.map()) {
      merge_params(*mine, entry.value);
    }
  }
}

}  // namespace headway
