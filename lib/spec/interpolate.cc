#include "lib/spec/interpolate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::string_view kMatrixPrefix = "matrix.";
constexpr int kDeepest = 100;  // levels, of values and of references inside references
constexpr std::size_t kLongestPath = 1'000;  // bytes

// Replaces the references in a value. A derived class knows what they mean.
class Replacer {
 public:
  Replacer(InterpolationBudget& budget, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), budget_(budget) {}
  virtual ~Replacer() = default;

  Value replace(const Value& value, int depth = 0) {
    if (depth > kDeepest) throw PipelineError(value.location.text() + ": nested too deeply");
    if (const std::string* text = value.text()) return replace_text(*text, value.location);
    spend(1, 0, value.location);
    if (const ValueList* list = value.list()) {
      ValueList result;
      result.reserve(list->size());
      for (const Value& item : *list) result.push_back(replace(item, depth + 1));
      return {std::move(result), value.location};
    }
    if (const ValueMap* map = value.map()) {
      ValueMap result;
      result.reserve(map->size());
      for (const MapEntry& entry : *map)
        result.push_back({entry.key, entry.key_location, replace(entry.value, depth + 1)});
      return {std::move(result), value.location};
    }
    return value;
  }

 protected:
  // The value of a reference, or null after adding a mistake.
  virtual const Value* look_up(const std::string& path, const SourceLocation& location) = 0;

  void complain_unknown(const Value& root, const std::string& path,
                        const SourceLocation& location) {
    const bool like_a_variable =
        path.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos;
    diagnostics_.add(
        location, "{}{}", unknown_path(root, path),
        like_a_variable ? fmt::format("; for the shell's own, write $${{{}}}", path) : "");
  }

  Diagnostics& diagnostics_;

 private:
  Value replace_text(const std::string& text, const SourceLocation& location) {
    if (text.find("${") == std::string::npos) {
      spend(1, text.size(), location);
      return {text, location};
    }
    std::size_t at = 2;
    if (text.starts_with("${")) {
      const std::size_t mistakes = diagnostics_.count();
      const std::string path = expand(text, at, location, /*nested=*/true);
      if (diagnostics_.count() > mistakes) return {std::string(), location};
      if (at == text.size()) return value_of(path, location);
    }
    at = 0;
    std::string result = expand(text, at, location, /*nested=*/false);
    spend(1, result.size(), location);
    return {std::move(result), location};
  }

  // Of a text that is one reference: the value itself, with its type and location.
  Value value_of(const std::string& path, const SourceLocation& location) {
    const Value* found = look_up(path, location);
    if (!found) return {std::string(), location};
    charge(*found, location);
    return *found;
  }

  // Expands the text from `at` on, to its end or, if nested, past the closing brace.
  std::string expand(const std::string& text, std::size_t& at, const SourceLocation& location,
                     bool nested, int depth = 0) {
    if (depth > kDeepest) throw PipelineError(location.text() + ": references nest too deeply");
    std::string result;
    while (at < text.size()) {
      if (nested && text[at] == '}') return ++at, result;
      if (text.compare(at, 3, "$${") == 0) {
        result += "${";
        at += 3;
      } else if (text.compare(at, 2, "${") == 0) {
        at += 2;
        const std::string path = expand(text, at, location, /*nested=*/true, depth + 1);
        result += written_out(path, location);
        spend(0, result.size(), location);
      } else {
        result += text[at++];
      }
    }
    if (nested)
      diagnostics_.add(location, "'${{' without its '}}' in '{}'", fit(printable(text), 60));
    return result;
  }

  std::string written_out(const std::string& path, const SourceLocation& location) {
    const Value* found = look_up(path, location);
    if (!found) return "";
    if (!found->is_scalar()) {
      diagnostics_.add(location, "'${{{}}}' is {} and cannot be part of a text", path,
                       found->describe());
      return "";
    }
    return found->is_null() ? "" : found->plain();
  }

  void charge(const Value& value, const SourceLocation& location, int depth = 0) {
    if (depth > kDeepest)
      throw PipelineError(location.text() + ": interpolation nests values too deeply");
    spend(1, value.text() ? value.text()->size() : 0, location);
    if (const ValueList* list = value.list()) {
      for (const Value& item : *list) charge(item, location, depth + 1);
    } else if (const ValueMap* map = value.map()) {
      for (const MapEntry& entry : *map) charge(entry.value, location, depth + 1);
    }
  }

  void spend(std::size_t nodes, std::size_t bytes, const SourceLocation& location) {
    if (nodes > budget_.nodes || bytes > budget_.bytes)
      throw PipelineError(location.text() + ": interpolation makes the pipeline too large");
    budget_.nodes -= nodes;
    budget_.bytes -= bytes;
  }

  InterpolationBudget& budget_;
};

// Resolves each referenced path of params once, depth first, which finds cycles.
class ParamsResolver final : public Replacer {
 public:
  ParamsResolver(const Value& params, InterpolationBudget& budget, Diagnostics& diagnostics)
      : Replacer(budget, diagnostics), params_(params) {}

 private:
  const Value* look_up(const std::string& path, const SourceLocation& location) override {
    if (path.size() > kLongestPath)
      throw PipelineError(location.text() + ": a reference is too long");
    if (const auto known = resolved_.find(path); known != resolved_.end()) return &known->second;
    for (std::size_t i = 0; i < under_way_.size(); ++i) {
      // `a.b` is being resolved and needs all of `a`, or itself.
      if (!(under_way_[i] + ".").starts_with(path + ".")) continue;
      std::vector<std::string> cycle(under_way_.begin() + static_cast<std::ptrdiff_t>(i),
                                     under_way_.end());
      cycle.push_back(path);
      diagnostics_.add(location, "params refer to each other in a circle: {}", join(cycle, " -> "));
      return nullptr;
    }
    if (under_way_.size() > 200) {
      diagnostics_.add(location, "params refer to each other too deeply");
      return nullptr;
    }
    const Value* raw = find_path(params_, path);
    if (!raw) {
      // The path may lead through a reference: `${m.size}` with `m: ${models.small}`.
      const std::size_t dot = path.rfind('.');
      const Value* parent = dot == std::string::npos || !leads_through_reference(path)
                                ? nullptr
                                : look_up(path.substr(0, dot), location);
      const Value* child = parent ? parent->find(std::string_view(path).substr(dot + 1)) : nullptr;
      if (!child) complain_unknown(params_, path, location);
      return child;
    }
    under_way_.push_back(path);
    Value value = replace(*raw);
    under_way_.pop_back();
    return &(resolved_[path] = std::move(value));
  }

  // Whether a beginning of the path is a text with a reference in it.
  bool leads_through_reference(const std::string& path) const {
    for (std::size_t dot = path.find('.'); dot != std::string::npos;
         dot = path.find('.', dot + 1)) {
      const Value* value = find_path(params_, std::string_view(path).substr(0, dot));
      if (value && value->text() && value->text()->find("${") != std::string::npos) return true;
    }
    return false;
  }

  const Value& params_;
  std::map<std::string, Value> resolved_;
  std::vector<std::string> under_way_;
};

// Resolves the references of a stage, to resolved params or to its matrix.
class StageReplacer final : public Replacer {
 public:
  explicit StageReplacer(const InterpolationScope& scope)
      : Replacer(scope.budget, scope.diagnostics), scope_(scope) {}

 private:
  const Value* look_up(const std::string& path, const SourceLocation& location) override {
    if (path.starts_with(kMatrixPrefix))
      return look_up_axis(path.substr(kMatrixPrefix.size()), location);
    const Value* found = find_path(scope_.params, path);
    if (!found) complain_unknown(scope_.params, path, location);
    if (found && scope_.used && !std::ranges::count(*scope_.used, path, &ParamReference::name))
      scope_.used->push_back({path, to_line(to_json(*found)), found->location});
    return found;
  }

  const Value* look_up_axis(const std::string& axis, const SourceLocation& location) {
    const Value* found = scope_.matrix ? find_path(*scope_.matrix, axis) : nullptr;
    if (!scope_.matrix) {
      diagnostics_.add(location, "'${{{}{}}}' needs a stage with a matrix", kMatrixPrefix,
                       printable(axis));
    } else if (!found) {
      diagnostics_.add(location, "unknown matrix axis '{}'{}", printable(axis),
                       did_you_mean(axis, keys_of(*scope_.matrix)));
    }
    return found;
  }

  const InterpolationScope& scope_;
};

}  // namespace

const Value* find_path(const Value& root, std::string_view dotted) {
  const Value* value = &root;
  while (value) {
    const std::size_t dot = dotted.find('.');
    value = value->find(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return value;
    dotted.remove_prefix(dot + 1);
  }
  return nullptr;
}

std::string unknown_path(const Value& root, std::string_view dotted) {
  // The suggestion is for the first unknown part.
  const Value* value = &root;
  std::string prefix, wrong;
  std::vector<std::string> candidates;
  for (const std::string& part : split(dotted, '.')) {
    candidates.clear();
    for (const std::string& key : keys_of(*value)) candidates.push_back(prefix + key);
    wrong = prefix + part;
    prefix = wrong + ".";
    value = value->find(part);
    if (!value) break;
  }
  return fmt::format("unknown parameter '{}'{}", printable(dotted),
                     did_you_mean(wrong, candidates));
}

Value resolve_params(const Value& params, InterpolationBudget& budget, Diagnostics& diagnostics) {
  return ParamsResolver(params, budget, diagnostics).replace(params);
}

Value interpolate(const Value& value, const InterpolationScope& scope) {
  return StageReplacer(scope).replace(value);
}

}  // namespace headway
