#include "lib/spec/group.h"

#include "lib/base/text.h"
#include "lib/spec/document.h"
#include "lib/spec/named_files.h"
#include "lib/spec/overrides.h"

namespace headway {
namespace {

constexpr std::string_view kOpen = "${";
constexpr std::string_view kEscaped = "$${";
constexpr std::string_view kMatrix = "matrix.";

class GroupMaker {
 public:
  GroupMaker(const MapEntry& declaration, GroupFile file, Diagnostics& diagnostics)
      : name_(declaration.key),
        subject_("group '" + declaration.key + "'"),
        declaration_(declaration.value),
        file_(std::move(file)),
        diagnostics_(diagnostics) {}

  Group make() {
    check_keys(declaration_, {"uses", "with", "in", "variant"}, subject_, diagnostics_);
    choose_variant();
    scope(file_.params);
    scope(file_.stages);
    for (MapEntry& stage : *file_.stages.map()) {
      for (const char* key : {"in", "needs"}) rename_references(stage.value.find(key));
    }
    for (const MapEntry& entry : section("with"))
      change({entry.key, entry.value, entry.key_location, false});
    for (const MapEntry& entry : section("in")) connect(entry);
    Group group{std::move(file_.params), {}};
    for (MapEntry& stage : *file_.stages.map()) {
      stage.key = name_ + "-" + stage.key;
      group.stages.push_back(std::move(stage));
    }
    return group;
  }

 private:
  std::span<const MapEntry> section(const char* key) {
    const Value* value = declaration_.find(key);
    if (!value) return {};
    if (!value->map() && !value->is_null())
      diagnostics_.add(value->location, "{}: '{}' must be a map, got {}", subject_, key,
                       value->describe());
    return entries_of(*value);
  }

  void choose_variant() {
    const Value* variant = declaration_.find("variant");
    if (!variant) return;
    if (!variant->text())
      return diagnostics_.add(variant->location, "{}: 'variant' expects a variant's name, got {}",
                              subject_, variant->describe());
    for (const Override& wanted :
         variant_overrides(file_.variants, *variant->text(), variant->location, diagnostics_))
      change(wanted);
  }

  void change(const Override& wanted) {
    StageChanges changes;
    apply_change(file_.params, file_.stages, changes, wanted, diagnostics_);
    for (const auto& [stage, of_stage] : changes) {
      Value& declaration = *file_.stages.find(stage);
      if (!declaration.map()) continue;  // reported when the stage is read
      if (!declaration.find("with"))
        declaration.map()->push_back({"with", wanted.location, {{}, wanted.location}});
      for (const Override& inside : of_stage)
        apply_to_stage(*declaration.find("with"), inside, subject_, diagnostics_);
    }
  }

  // Makes ${width} to ${small.width}, everywhere in the value.
  void scope(Value& value) {
    if (const std::string* text = value.text()) value.data = scoped(*text);
    if (value.list()) {
      for (Value& item : *value.list()) scope(item);
    }
    if (value.map()) {
      for (MapEntry& entry : *value.map()) scope(entry.value);
    }
  }

  std::string scoped(std::string_view text) const {
    std::string result;
    while (!text.empty()) {
      const std::string_view token = text.starts_with(kEscaped) ? kEscaped
                                     : text.starts_with(kOpen)  ? kOpen
                                                                : text.substr(0, 1);
      result += token;
      text.remove_prefix(token.size());
      if (token == kOpen && !text.starts_with(kMatrix)) result += name_ + ".";
    }
    return result;
  }

  // A reference names a stage of the group; a path, a file.
  void rename_references(Value* value) {
    if (!value) return;
    if (const std::string* text = value->text()) {
      if (text->starts_with(kOpen))
        return diagnostics_.add(value->location,
                                "{}: '{}' stands for a stage; in a group, name the stage itself",
                                subject_, printable(*text));
      if (!is_path(*text)) value->data = name_ + "-" + *text;
    }
    if (value->list()) {
      for (Value& item : *value->list()) rename_references(&item);
    }
    if (value->map()) {
      for (MapEntry& entry : *value->map()) rename_references(&entry.value);
    }
  }

  // `train.data: corpus`
  void connect(const MapEntry& entry) {
    const std::size_t dot = entry.key.find('.');
    const std::string stage = entry.key.substr(0, dot);
    Value* declaration = file_.stages.find(stage);
    if (!declaration)
      return diagnostics_.add(entry.key_location, "{}: unknown stage '{}'{}", subject_,
                              printable(stage), did_you_mean(stage, keys_of(file_.stages)));
    if (dot == std::string::npos)
      return diagnostics_.add(entry.key_location, "{}: write {}.INPUT, the input to connect",
                              subject_, stage);
    if (!declaration->map()) return;  // reported when the stage is read
    Value inputs{ValueMap{{entry.key.substr(dot + 1), entry.key_location, entry.value}},
                 entry.value.location};
    Value* in = declaration->find("in");
    if (!in) {
      declaration->map()->push_back({"in", entry.key_location, std::move(inputs)});
    } else {
      merge_params(inputs, *in);
      *in = std::move(inputs);
    }
  }

  const std::string name_;
  const std::string subject_;
  const Value& declaration_;
  GroupFile file_;
  Diagnostics& diagnostics_;
};

}  // namespace

Group make_group(const MapEntry& declaration, GroupFile file, Diagnostics& diagnostics) {
  return GroupMaker(declaration, std::move(file), diagnostics).make();
}

}  // namespace headway
