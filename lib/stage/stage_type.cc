#include "lib/stage/stage_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "lib/base/text.h"

namespace headway {
namespace {

std::string default_text(const Field& field) {
  if (field.is_required) return "required";
  if (field.type == FieldType::kGroup) return "";
  return "default " + field.default_value.dump();
}

std::string parameters_text(const Schema& schema, const std::string& prefix) {
  std::string text;
  for (const Field& field : schema.fields()) {
    if (field.fixed) continue;
    std::vector<std::string> facts{field.type_name()};
    if (!field.choices.empty()) facts.push_back("one of " + join(field.choices, " | "));
    for (const std::string& fact : {field.range_text(), default_text(field)}) {
      if (!fact.empty()) facts.push_back(fact);
    }
    text += fmt::format("  {}{}: {}\n", prefix, field.name, join(facts, ", "));
    if (field.help.empty()) continue;
    for (const std::string& line : split(field.help, '\n')) text += wrapped(line, 100, "      ");
    if (field.group) text += parameters_text(*field.group, prefix + field.name + ".");
  }
  return text;
}

// What a declared type fixes: its command, and the files and variables that this reads.
std::string fixed_text(const Schema& schema) {
  std::string text;
  for (const Field& field : schema.fields()) {
    if (!field.fixed || items_of(*field.fixed).empty()) continue;
    text += fmt::format("\n{}:\n", field.name);
    for (const Value& value : items_of(*field.fixed)) {
      for (const std::string& line : split(trim(value.plain()), '\n')) text += "  " + line + "\n";
    }
  }
  return text;
}

std::string prefix_text(const PrefixParams& params) {
  return wrapped(fmt::format("A run goes on from the state of the longest one with fewer {0} that "
                             "is equal in all else, {1} included (0 there means: as many as {0}).",
                             params.amount, params.whole),
                 100, "");
}

// "accuracy.*" for the path "acuracy.swaps.256": "accuracy.swaps.256", with as many parts of the
// path as the pattern leaves open.
std::string completed(const std::string& pattern, std::string_view path) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return pattern;
  const std::string known = pattern.substr(0, star);
  for (auto dots = std::ranges::count(known, '.'); dots > 0; --dots) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return pattern;
    path.remove_prefix(dot + 1);
  }
  return known + std::string(path);
}

}  // namespace

const Port* StageType::find_input(std::string_view port) const {
  const auto found = std::ranges::find(inputs, port, &Port::name);
  return found == inputs.end() ? nullptr : &*found;
}

bool StageType::declares_metric(std::string_view path, bool may_be_group) const {
  const std::string group = std::string(path) + ".";
  return metrics.empty() || std::ranges::any_of(metrics, [&](const std::string& pattern) {
           return matches_pattern(path, pattern) || (may_be_group && pattern.starts_with(group));
         });
}

std::string StageType::no_metric_text(std::string_view path) const {
  const std::vector<std::string> close =
      texts_of(metrics, [&](const std::string& pattern) { return completed(pattern, path); });
  const std::string hint = did_you_mean(path, close);
  return fmt::format("no metric '{}'{}", printable(path),
                     hint.empty() ? fmt::format(" (it has {})", first_of(metrics)) : hint);
}

void StageRegistry::add(StageType type) {
  [[maybe_unused]] const bool added = types_.emplace(type.name, type).second;
  assert(added && "two stage types of one name");
}

const StageType* StageRegistry::find(std::string_view name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : &found->second;
}

std::vector<std::string> StageRegistry::names() const {
  return texts_of(types_, [](const auto& entry) { return entry.first; });
}

std::string help_text(const StageType& type) {
  std::string text =
      type.is_declared()
          ? fmt::format("{} ({}): {}\n", type.name, type.declared.text(), type.summary)
          : fmt::format("{} (version {}): {}\n", type.name, type.version, type.summary);
  if (type.prefix_params) text += "\n" + prefix_text(*type.prefix_params);
  const std::string parameters = parameters_text(*type.params, "");
  if (!parameters.empty()) text += "\nparameters (`with`):\n" + parameters;

  std::vector<std::vector<std::string>> rows;
  for (const Port& port : type.inputs)
    rows.push_back({"  " + port.name, port.is_required ? "required" : "optional",
                    port.takes_many ? "one or many" : "one", port.help});
  text += "\ninputs (`in`):\n";
  text += type.free_inputs ? "  any names; one artifact, a list, or a fan-in each\n"
          : rows.empty()   ? "  none\n"
                           : format_table(rows);

  rows.clear();
  for (const Output& output : type.outputs)
    rows.push_back({"  " + output.name, output.file, output.help});
  text += "\noutputs:\n";
  text += type.free_outputs ? "  named by the pipeline under `outs`\n"
          : rows.empty()    ? "  none\n"
                            : format_table(rows);
  if (!type.metrics.empty())
    text += "\nmetrics (in `expect`; elsewhere as STAGE.METRIC):\n" +
            wrapped(join(type.metrics, ", "), 100, "  ");
  text += fixed_text(*type.params);
  if (!type.example.empty()) text += "\nexample:\n" + type.example;
  return text;
}

}  // namespace headway
