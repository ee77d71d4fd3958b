#include "lib/spec/overrides.h"

#include <fmt/format.h>

#include "lib/base/text.h"
#include "lib/spec/interpolate.h"
#include "lib/spec/yaml.h"

namespace headway {
namespace {

bool is_reference(const Value& value) {
  return value.text() && value.text()->find("${") != std::string::npos;
}

// Whether a parameter of one kind may get a value of the other. References are typed once resolved.
bool same_kind(const Value& before, const Value& after) {
  const auto number = [](const Value& value) { return value.integer() || value.real(); };
  if (before.is_null() || is_reference(before) || is_reference(after)) return true;
  return before.data.index() == after.data.index() || (number(before) && number(after));
}

// Sets `target` (a parameter that is there) to the new value.
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
        diagnostics.add(entry.key_mark, fmt::format("unknown parameter '{}'{}", inner_path,
                                                    did_you_mean(entry.key, keys_of(target))));
      }
    }
    return;
  }
  if (!same_kind(target, value)) {
    diagnostics.add(change.mark, fmt::format("parameter '{}' is {}; it cannot become {}", path,
                                             target.describe(), value.describe()));
    return;
  }
  target = value;
}

}  // namespace

Override parse_set(const std::string& argument, Diagnostics& diagnostics) {
  Override change;
  change.mark = {Mark::intern("--set " + printable(argument))};
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.add(change.mark, "expected NAME=VALUE");
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
    value = parse_yaml(argument.substr(equals + 1), change.mark.source, inner);
  } catch (const PipelineError&) {
    value.reset();
  }
  if (!value || !inner.empty() || !is_utf8(change.path)) {
    diagnostics.add(change.mark,
                    is_utf8(change.path) ? "the value is not YAML" : "the name is not UTF-8 text");
    return change;
  }
  change.value = *value;
  change.value.mark = change.mark;  // line and column of an argument say nothing
  return change;
}

void apply_override(Value& params, const Override& change, Diagnostics& diagnostics) {
  if (!params.map()) params.data = ValueMap();
  Value* target = &params;
  const std::vector<std::string> parts = split(change.path, '.');
  constexpr std::size_t kDeepest = 32;
  if (parts.size() > kDeepest) {
    diagnostics.add(change.mark, "the parameter's name has too many parts");
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) {
      diagnostics.add(change.mark, fmt::format("'{}' is not a parameter's name", change.path));
      return;
    }
    Value* next = target->find(parts[i]);
    if (!next && !change.adds) {
      diagnostics.add(
          change.mark,
          unknown_path(params, change.path) +
              (change.mark.line == 0 ? fmt::format(" (+{}=… adds one)", change.path) : ""));
      return;
    }
    if (!next) {
      if (!target->map()) {
        diagnostics.add(change.mark, fmt::format("'{}' is not a map and cannot get '{}'",
                                                 printable(target->plain()), printable(parts[i])));
        return;
      }
      const bool last = i + 1 == parts.size();
      target->map()->push_back(
          {parts[i], change.mark, last ? change.value : Value{ValueMap(), change.mark}});
      if (last) return;
      next = &target->map()->back().value;
    }
    target = next;
  }
  assign(*target, change, change.path, change.value, diagnostics);
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
