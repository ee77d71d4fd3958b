#include "lib/run/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "lib/base/error.h"
#include "lib/run/provenance.h"

namespace headway {
namespace {

// The name by which the reading stage knows a member of a list: its item or, without a matrix, the
// stage's name. The result may show this name, so it is a fact.
const std::string& name_in_list(const StageSpec& stage) {
  return stage.item.empty() ? stage.family : stage.item;
}

std::string name_in_fan_in(const StageSpec& stage, const FanIn& fan_in) {
  return fan_in.over_variations ? stage.name_over_variations() : name_in_list(stage);
}

const RecordedOutput& output_of(const StageSpec& stage, int output, const Record& record) {
  const std::string& name = stage.outputs[static_cast<std::size_t>(output)].name;
  const RecordedOutput* found = record.find(name);
  if (!found) throw Error(fmt::format("stage '{}' has no recorded output '{}'", stage.name, name));
  return *found;
}

// Contents and extension: the reading program sees both.
std::string identity(const ObjectRef& object) {
  return object.digest.hex() + object.extension + (object.is_executable ? " executable" : "");
}

// Records and keys contain these names: never change one. If a name ends in a space, the subject
// follows.
constexpr std::pair<FactKind, std::string_view> kFactNames[] = {
    {FactKind::kStageType, "stage type"},  {FactKind::kTypeVersion, "version of the stage type"},
    {FactKind::kParam, "param "},          {FactKind::kFile, "file "},
    {FactKind::kVariable, "variable "},    {FactKind::kOutput, "output "},
    {FactKind::kInput, "input "},          {FactKind::kInputItem, "item of input "},
    {FactKind::kProvenance, "provenance"},
};

std::string_view fact_prefix(FactKind kind) {
  return std::ranges::find(kFactNames, kind, [](const auto& entry) { return entry.first; })->second;
}

SourcedFact make_fact(FactKind kind, std::string_view subject, std::string value,
                      const SourceLocation& location, std::string upstream = "") {
  return {kind, {fact_name(kind, subject), std::move(value)}, location, std::move(upstream)};
}

constexpr std::string_view kNotSet = "(not set)";
constexpr std::string_view kSet = "(set) ";

// An environment variable as a fact. A value that starts with a reserved word gets a prefix.
std::string variable_fact(const char* value) {
  if (!value) return std::string(kNotSet);
  const std::string_view text = value;
  const bool is_word = text.starts_with(kNotSet) || text.starts_with(kSet);
  return std::string(is_word ? kSet : "").append(text);
}

// Resolves all links; returns the path unchanged if that fails.
Path resolved(const Path& path) {
  std::error_code error;
  const Path end = std::filesystem::weakly_canonical(path, error);
  return error ? path : end;
}

std::string file_fact(const ContentInfo& content) {
  return content.digest.hex() + (content.is_executable ? " executable" : "");
}

// Whether the stage sees the item name of a single input. Stages that read provenance do.
bool sees_item_name(const StageSpec& stage, const std::string& port) {
  const StageType& type = *stage.type;
  return type.provenance || (type.uses_item_name && type.uses_item_name(stage.params, port));
}

}  // namespace

std::string fact_name(FactKind kind, std::string_view subject) {
  return std::string(fact_prefix(kind)).append(subject);
}

FactKind fact_kind(std::string_view name) {
  for (const auto& [kind, prefix] : kFactNames) {
    if (prefix.ends_with(' ') ? name.starts_with(prefix) : name == prefix) return kind;
  }
  return FactKind::kUnknown;
}

Digest key_of(const std::vector<SourcedFact>& facts) {
  std::string text = "headway key 1\n";
  for (const SourcedFact& sourced : facts) {
    append_field(text, sourced.fact.name);
    append_field(text, sourced.fact.value);
  }
  return digest_of(text);
}

Digest list_digest(const Fact& fact) {
  const std::optional<Digest> digest =
      fact.value.starts_with(kListPrefix)
          ? Digest::from_hex(fact.value.substr(std::strlen(kListPrefix)))
          : std::nullopt;
  if (!digest) throw Error("fact '" + fact.name + "' names no text of the store");
  return *digest;
}

std::vector<SourcedFact> FactMaker::facts_of(const StageSpec& stage, const Finished& finished) {
  std::vector<SourcedFact> facts;
  facts.push_back(make_fact(FactKind::kStageType, "", stage.type->name, stage.location));
  facts.push_back(
      make_fact(FactKind::kTypeVersion, "", std::to_string(stage.type->version), stage.location));
  add_params(*stage.type->params, stage.params, "", facts);
  if (stage.type->free_outputs) {  // a declared type's version covers its outputs
    for (const Output& output : stage.outputs)
      facts.push_back(make_fact(FactKind::kOutput, output.name, output.file, output.location));
  }
  for (const InputSpec& input : stage.inputs) add_input(stage, input, finished, facts);
  if (stage.type->provenance) {
    const Digest text =
        keep(stage.type->provenance->write(provenance_of(pipeline_, stage, finished, store_)));
    facts.push_back(make_fact(FactKind::kProvenance, "", kListPrefix + text.hex(), stage.location));
  }
  // The order of declarations in the file must not matter.
  std::sort(facts.begin(), facts.end(),
            [](const SourcedFact& a, const SourcedFact& b) { return a.fact.name < b.fact.name; });
  return facts;
}

void FactMaker::add_params(const Schema& schema, const Value& params, const std::string& prefix,
                           std::vector<SourcedFact>& facts) {
  for (const Field& field : schema.fields()) {
    const Value* value = params.find(field.name);
    if (!value) continue;
    if (field.group && !field.is_list) {
      add_params(*field.group, *value, prefix + field.name + ".", facts);
      continue;
    }
    facts.push_back(make_fact(FactKind::kParam, prefix + field.name, to_line(to_json(*value)),
                              value->location));
    if (field.type == FieldType::kFile || field.type == FieldType::kVariable)
      add_files(field, *value, facts);
  }
}

// Adds the contents of a file, or the value of a variable, that a parameter names.
void FactMaker::add_files(const Field& field, const Value& value, std::vector<SourcedFact>& facts) {
  const ValueList single{value};
  for (const Value& item : value.list() ? *value.list() : single) {
    const std::string& name = *item.text();
    if (name.empty()) continue;
    if (field.type == FieldType::kVariable) {
      facts.push_back(make_fact(FactKind::kVariable, name, variable_fact(std::getenv(name.c_str())),
                                item.location));
      continue;
    }
    // Links are followed: the program reads the target.
    const Path path = resolved(pipeline_.folder / name);
    const std::optional<ContentInfo> content = store_.digests().digest_file(path, Links::kFollowed);
    if (!content) throw Error(fmt::format("{}: no such file: {}", item.location.text(), name));
    facts.push_back(make_fact(FactKind::kFile, name, file_fact(*content), item.location));
    facts.back().file = path;
    facts.back().stamp = content->stamp;
  }
}

std::string FactMaker::changed_file(const std::vector<SourcedFact>& facts) const {
  for (const SourcedFact& sourced : facts) {
    if (sourced.kind != FactKind::kFile) continue;
    const std::string name = sourced.fact.name.substr(fact_prefix(FactKind::kFile).size());
    const Path path = resolved(pipeline_.folder / name);
    const std::optional<ContentInfo> content = store_.digests().digest_file(path, Links::kFollowed);
    if (content && path == sourced.file && content->stamp == sourced.stamp &&
        file_fact(*content) == sourced.fact.value)
      continue;
    return fmt::format("{} was {} while the stage ran, so its result is not kept; run it again",
                       name, content ? "changed" : "removed");
  }
  return "";
}

void FactMaker::add_input(const StageSpec& reader, const InputSpec& input, const Finished& finished,
                          std::vector<SourcedFact>& facts) {
  std::string value;
  if (input.sources.size() == 1 && !input.sources[0].is_fan_in()) {
    const Source& source = input.sources[0];
    const StageSpec& stage = pipeline_.stages[source.stage];
    value = identity(output_of(stage, source.output, *finished[source.stage]).object);
    if (!stage.item.empty() && !reader.type->provenance && sees_item_name(reader, input.port))
      facts.push_back(make_fact(FactKind::kInputItem, input.port, stage.item, input.location));
  } else if (input.sources.size() == 1) {
    value = kListPrefix + fan_in_digest(input.sources[0], finished).hex();
  } else {
    std::string text;
    for (const Source& source : input.sources) text += list_text(source, finished);
    value = kListPrefix + keep(text).hex();
  }
  std::string from;
  for (std::size_t i = 0; i < input.sources.size() && i < 3; ++i)
    from += (i ? ", " : "") + describe(input.sources[i]);
  if (input.sources.size() > 3) from += ", …";
  facts.push_back(make_fact(FactKind::kInput, input.port, std::move(value), input.location, from));
}

std::string FactMaker::describe(const Source& source) const {
  if (source.is_fan_in()) return pipeline_.fan_ins[source.fan_in].family + "@*";
  const StageSpec& stage = pipeline_.stages[source.stage];
  return stage.name + "." + stage.outputs[static_cast<std::size_t>(source.output)].name;
}

// One line for each member: its contents, and its name for the reader.
std::string FactMaker::list_text(const Source& source, const Finished& finished) const {
  std::string text;
  const auto add = [&](StageId index, int output, const std::string& name) {
    const StageSpec& stage = pipeline_.stages[index];
    text +=
        fmt::format("{} {}\n", identity(output_of(stage, output, *finished[index]).object), name);
  };
  if (!source.is_fan_in()) {
    add(source.stage, source.output, name_in_list(pipeline_.stages[source.stage]));
  } else {
    const FanIn& fan_in = pipeline_.fan_ins[source.fan_in];
    for (const StageId member : members_of(fan_in, finished)) {
      add(member, fan_in.output, name_in_fan_in(pipeline_.stages[member], fan_in));
    }
  }
  return text;
}

// With several variations, failed members have no result and are left out.
std::vector<StageId> FactMaker::members_of(const FanIn& fan_in, const Finished& finished) const {
  std::vector<StageId> members = fan_in.members;
  if (fan_in.over_variations)
    std::erase_if(members, [&](StageId member) { return !finished[member]; });
  return members;
}

Digest FactMaker::fan_in_digest(const Source& source, const Finished& finished) {
  const std::lock_guard lock(mutex_);
  std::optional<Digest>& known = lists_[source.fan_in];
  if (!known) known = keep(list_text(source, finished));
  return *known;
}

Digest FactMaker::keep(const std::string& list) {
  return keep_lists_ ? store_.put_list(list) : digest_of(list);
}

std::vector<InputPaths> FactMaker::inputs_of(const StageSpec& stage, const Finished& finished,
                                             std::vector<InputObject>& objects) const {
  std::vector<InputPaths> inputs;
  for (const InputSpec& input : stage.inputs) {
    InputPaths paths;
    paths.port = input.port;
    const bool is_list = input.sources.size() > 1;
    const auto add = [&](StageId index, int output, const std::string& name) {
      const StageSpec& upstream = pipeline_.stages[index];
      const RecordedOutput& found = output_of(upstream, output, *finished[index]);
      paths.items.push_back(name);
      paths.paths.push_back(store_.path_of(found.object));
      objects.push_back({input.port, upstream.name + "." + found.name, found.object});
    };
    for (const Source& source : input.sources) {
      if (!source.is_fan_in()) {
        const StageSpec& upstream = pipeline_.stages[source.stage];
        add(source.stage, source.output,
            is_list                             ? name_in_list(upstream)
            : sees_item_name(stage, input.port) ? upstream.item
                                                : "");
        continue;
      }
      const FanIn& fan_in = pipeline_.fan_ins[source.fan_in];
      for (const StageId member : members_of(fan_in, finished)) {
        const StageSpec& upstream = pipeline_.stages[member];
        add(member, fan_in.output,
            is_list || fan_in.over_variations ? name_in_fan_in(upstream, fan_in) : upstream.item);
      }
    }
    inputs.push_back(std::move(paths));
  }
  return inputs;
}

}  // namespace headway
