#include "lib/stage/stage_type.h"

#include <fmt/format.h>

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
    std::vector<std::string> facts{field.type_name()};
    if (!field.choices.empty()) facts.push_back("one of " + join(field.choices, " | "));
    for (const std::string& fact : {field.range_text(), default_text(field)}) {
      if (!fact.empty()) facts.push_back(fact);
    }
    text += fmt::format("  {}{}: {}\n", prefix, field.name, join(facts, ", ")) +
            wrapped(field.help, 100, "      ");
    if (field.group) text += parameters_text(*field.group, prefix + field.name + ".");
  }
  return text;
}

std::string prefix_text(const PrefixParams& params) {
  return wrapped(
      fmt::format(
          "A run goes on from the state of the longest one with fewer {0} that is equal in all "
          "else, {1} included (0 there means: as many as {0}).",
          params.amount, params.whole),
      100, "");
}

}  // namespace

const Port* StageType::find_input(std::string_view port) const {
  for (const Port& input : inputs) {
    if (input.name == port) return &input;
  }
  return nullptr;
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
  std::vector<std::string> names;
  for (const auto& [name, type] : types_) names.push_back(name);
  return names;
}

std::string help_text(const StageType& type) {
  std::string text = fmt::format("{} (version {}): {}\n", type.name, type.version, type.summary);
  if (type.prefix_params) text += "\n" + prefix_text(*type.prefix_params);
  if (!type.params->fields().empty())
    text += "\nparameters (`with`):\n" + parameters_text(*type.params, "");

  std::vector<std::vector<std::string>> rows;
  for (const Port& port : type.inputs) {
    rows.push_back({"  " + port.name, port.is_required ? "required" : "optional",
                    port.takes_many ? "one or many" : "one", port.help});
  }
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
  if (!type.example.empty()) text += "\nexample:\n" + type.example;
  return text;
}

}  // namespace headway
