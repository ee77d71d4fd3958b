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

void add_parameter_rows(const Schema& schema, const std::string& prefix, std::vector<std::vector<std::string>>& rows) {
  for (const Field& field : schema.fields()) {
    std::string help = field.help;
    if (!field.choices.empty()) help += fmt::format(" (one of {})", join(field.choices, ", "));
    if (const std::string range = field.range_text(); !range.empty()) help += fmt::format(" ({})", range);
    rows.push_back({"  " + prefix + field.name, field.type_name(), default_text(field), help});
    if (field.group) add_parameter_rows(*field.group, prefix + field.name + ".", rows);
  }
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
  std::vector<std::vector<std::string>> rows;
  add_parameter_rows(*type.params, "", rows);
  if (!rows.empty()) text += "\nparameters (`with`):\n" + format_table(rows);

  rows.clear();
  for (const Port& port : type.inputs) {
    rows.push_back({"  " + port.name, port.is_required ? "required" : "optional", port.takes_many ? "one or many" : "one", port.help});
  }
  text += "\ninputs (`in`):\n";
  text += type.free_ports ? "  any names; one artifact, a list, or a fan-in each\n" : rows.empty() ? "  none\n" : format_table(rows);

  rows.clear();
  for (const Output& output : type.outputs) rows.push_back({"  " + output.name, output.file, output.help});
  text += "\noutputs:\n";
  text += type.free_ports ? "  named by the pipeline under `outs`\n" : rows.empty() ? "  none\n" : format_table(rows);
  if (!type.example.empty()) text += "\nexample:\n" + type.example;
  return text;
}

}  // namespace headway
