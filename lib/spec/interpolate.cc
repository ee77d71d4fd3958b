#include "lib/spec/interpolate.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>

#include "lib/base/text.h"

namespace headway {
namespace {

constexpr std::string_view kMatrixPrefix = "matrix.";
constexpr int kDeepest = 100;  // levels, of values and of references inside references
constexpr std::size_t kLongestPath = 1'000;  // bytes

// Looks up a reference: the value, or null after adding a mistake.
using LookUp = std::function<const Value*(const std::string& path, const SourceLocation& location)>;

// Replaces the references in a value.
class Replacer {
 public:
  Replacer(LookUp look_up, InterpolationBudget& budget, Diagnostics& diagnostics)
      : look_up_(std::move(look_up)), budget_(budget), diagnostics_(diagnostics) {}

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

 private:
  Value replace_text(const std::string& text, const SourceLocation& location) {
    if (text.find("${") == std::string::npos) {
      spend(1, text.size(), location);
      return {text, location};
    }
    std::size_t at = 0;
    if (const std::optional<Value> whole = whole_reference(text, location)) return *whole;
    std::string result = expand(text, at, location, /*nested=*/false);
    spend(1, result.size(), location);
    return {std::move(result), location};
  }

  // If the text is "${path}" and nothing else: the value itself, with its type and location.
  std::optional<Value> whole_reference(const std::string& text, const SourceLocation& location) {
    if (!text.starts_with("${")) return std::nullopt;
    std::size_t at = 2;
    const std::size_t mistakes = diagnostics_.count();
    const std::string path = expand(text, at, location, /*nested=*/true);
    if (diagnostics_.count() > mistakes) return Value{std::string(), location};
    if (at != text.size()) return std::nullopt;
    const Value* found = look_up_(path, location);
    if (!found) return Value{std::string(), location};
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
      diagnostics_.add(location,
                       fmt::format("'${{' without its '}}' in '{}'", fit(printable(text), 60)));
    return result;
  }

  std::string written_out(const std::string& path, const SourceLocation& location) {
    const Value* found = look_up_(path, location);
    if (!found) return "";
    if (!found->is_scalar()) {
      diagnostics_.add(location, fmt::format("'${{{}}}' is {} and cannot be part of a text", path,
                                             found->describe()));
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
    if (nodes > budget_.nodes || bytes > budget_.bytes) {
      throw PipelineError(location.text() + ": interpolation makes the pipeline too large");
    }
    budget_.nodes -= nodes;
    budget_.bytes -= bytes;
  }

  LookUp look_up_;
  InterpolationBudget& budget_;
  Diagnostics& diagnostics_;
};

void note_use(const std::string& path, const Value& value, std::vector<ParamReference>& used) {
  for (const ParamReference& reference : used) {
    if (reference.name == path) return;
  }
  used.push_back({path, to_line(to_json(value)), value.location});
}

void complain_unknown(const Value& root, const std::string& path, const SourceLocation& location,
                      Diagnostics& diagnostics) {
  const bool like_a_variable =
      path.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos;
  diagnostics.add(
      location,
      unknown_path(root, path) +
          (like_a_variable ? fmt::format("; for the shell's own, write $${{{}}}", path) : ""));
}

// Resolves each referenced path of params once, depth first, which finds cycles.
class ParamsResolver {
 public:
  ParamsResolver(const Value& params, InterpolationBudget& budget, Diagnostics& diagnostics)
      : params_(params),
        diagnostics_(diagnostics),
        replacer_([this](const std::string& path,
                         const SourceLocation& location) { return look_up(path, location); },
                  budget, diagnostics) {}

  Value resolve() { return replacer_.replace(params_); }

 private:
  const Value* look_up(const std::string& path, const SourceLocation& location) {
    if (path.size() > kLongestPath)
      throw PipelineError(location.text() + ": a reference is too long");
    if (const auto known = resolved_.find(path); known != resolved_.end()) return &known->second;
    for (std::size_t i = 0; i < under_way_.size(); ++i) {
      if (!overlaps(under_way_[i], path)) continue;
      std::vector<std::string> cycle(under_way_.begin() + static_cast<std::ptrdiff_t>(i),
                                     under_way_.end());
      cycle.push_back(path);
      diagnostics_.add(
          location, fmt::format("params refer to each other in a circle: {}", join(cycle, " -> ")));
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
      const Value* parent = dot == std::string::npos || !find_first_reference(path)
                                ? nullptr
                                : look_up(path.substr(0, dot), location);
      const Value* child = parent ? parent->find(std::string_view(path).substr(dot + 1)) : nullptr;
      if (!child) complain_unknown(params_, path, location, diagnostics_);
      return child;
    }
    under_way_.push_back(path);
    Value value = replacer_.replace(*raw);
    under_way_.pop_back();
    return &(resolved_[path] = std::move(value));
  }

  // Whether a beginning of the path is a text with a reference in it.
  bool find_first_reference(const std::string& path) const {
    for (std::size_t dot = path.find('.'); dot != std::string::npos;
         dot = path.find('.', dot + 1)) {
      const Value* value = find_path(params_, std::string_view(path).substr(0, dot));
      if (value && value->text() && value->text()->find("${") != std::string::npos) return true;
    }
    return false;
  }

  static bool overlaps(const std::string& a, const std::string& b) {
    return a == b || a.starts_with(b + ".");  // `a.b` is being resolved and needs all of `a`
  }

  const Value& params_;
  Diagnostics& diagnostics_;
  Replacer replacer_;
  std::map<std::string, Value> resolved_;
  std::vector<std::string> under_way_;
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
  std::string_view rest = dotted;
  std::string prefix;
  while (true) {
    const std::size_t dot = rest.find('.');
    const Value* next = value->find(rest.substr(0, dot));
    if (!next || dot == std::string_view::npos) break;
    prefix += std::string(rest.substr(0, dot)) + ".";
    rest.remove_prefix(dot + 1);
    value = next;
  }
  std::vector<std::string> candidates;
  for (const std::string& key : keys_of(*value)) candidates.push_back(prefix + key);
  const std::size_t dot = rest.find('.');
  const std::string wrong = prefix + std::string(rest.substr(0, dot));
  return fmt::format("unknown parameter '{}'{}", printable(dotted),
                     did_you_mean(wrong, candidates));
}

Value resolve_params(const Value& params, InterpolationBudget& budget, Diagnostics& diagnostics) {
  return ParamsResolver(params, budget, diagnostics).resolve();
}

Value Interpolator::apply(const Value& value) const {
  const LookUp look_up = [this](const std::string& path,
                                const SourceLocation& location) -> const Value* {
    const Value* found = nullptr;
    if (path.starts_with(kMatrixPrefix)) {
      const std::string name = path.substr(kMatrixPrefix.size());
      found = matrix_ ? find_path(*matrix_, name) : nullptr;
      if (!found) {
        diagnostics_.add(
            location, matrix_
                          ? fmt::format("unknown matrix axis '{}'{}", printable(name),
                                        did_you_mean(name, keys_of(*matrix_)))
                          : fmt::format("'${{{}}}' needs a stage with a matrix", printable(path)));
      }
      return found;
    }
    found = find_path(params_, path);
    if (!found) complain_unknown(params_, path, location, diagnostics_);
    if (found && used_) note_use(path, *found, *used_);
    return found;
  };
  return Replacer(look_up, budget_, diagnostics_).replace(value);
}

}  // namespace headway
