#include "lib/run/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

// The name by which the reading stage knows a member of a list: its item or, without a matrix, the
// stage's name. The result may show this name, so it is a fact.
std::string name_in_list(const StageSpec& stage, bool over_variations) {
  if (over_variations) return stage.name_over_variations();
  return stage.item.empty() ? stage.family : stage.item;
}

const RecordedOutput& output_of(const StageSpec& stage, OutputId output, const Record& record) {
  const std::string& name = stage.output(output).name;
  const RecordedOutput* found = record.find(name);
  if (!found) throw Error("stage '{}' has no recorded output '{}'", stage.name, name);
  return *found;
}

// All that a program sees of a file.
std::string identity(const Digest& digest, bool is_executable, const std::string& extension = "") {
  return digest.hex() + extension + (is_executable ? " executable" : "");
}

std::string identity(const ObjectRef& object) {
  return identity(object.digest, object.is_executable, object.extension);
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

constexpr const char* kDeclaredType = "(declared)";

SourcedFact make_fact(FactKind kind, std::string_view subject, std::string value,
                      const SourceLocation& location) {
  return {kind, {fact_name(kind, subject), std::move(value)}, location, ""};
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

// Whether the stage sees the item name of a single input. Stages that read provenance do.
bool sees_item_name(const StageSpec& stage, const std::string& port) {
  const StageType& type = *stage.type;
  return type.provenance || (type.uses_item_name && type.uses_item_name(stage.params, port));
}

}  // namespace

std::string describe(const PipelineSpec& pipeline, const Source& source) {
  if (source.files) {
    const bool is_folder = source.files->files.front().is_folder;
    return fmt::format("the {} {}",
                       source.files->is_pattern ? "files"
                       : is_folder              ? "folder"
                                                : "file",
                       source.files->written);
  }
  if (source.is_fan_in()) return pipeline.fan_ins[source.fan_in].name();
  const StageSpec& stage = pipeline.stages[source.stage];
  return stage.name + "." + stage.output(source.output).name;
}

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

std::vector<std::string> subjects_of(const std::vector<SourcedFact>& facts, FactKind kind) {
  std::vector<std::string> subjects;
  for (const SourcedFact& sourced : facts) {
    if (sourced.kind == kind)
      subjects.push_back(sourced.fact.name.substr(fact_prefix(kind).size()));
  }
  return subjects;
}

std::vector<SourcedFact> FactMaker::facts_of(const StageSpec& stage, const Finished& finished) {
  std::vector<SourcedFact> facts;
  facts.reserve(8);  // enough for most
  // A declared type is known by what it says: its command, code and outputs.
  facts.push_back(make_fact(FactKind::kStageType, "",
                            stage.type->is_declared() ? kDeclaredType : stage.type->name,
                            stage.location));
  facts.push_back(
      make_fact(FactKind::kTypeVersion, "", std::to_string(stage.type->version), stage.location));
  add_params(*stage.type, *stage.type->params, stage.params, "", facts);
  add_code(stage, facts);
  if (stage.type->free_outputs || stage.type->is_declared()) {  // others have a version
    for (const Output& output : stage.outputs)
      facts.push_back(make_fact(FactKind::kOutput, output.name, output.file, output.location));
  }
  for (const InputSpec& input : stage.inputs) add_input(stage, input, finished, facts);
  if (stage.type->provenance) {
    const Text text =
        keep(stage.type->provenance->write(provenance_of(pipeline_, stage, finished, store_)));
    facts.push_back(make_fact(FactKind::kProvenance, "", list_value(text.digest), stage.location));
    facts.back().text = text.unkept;
  }
  // The order of declarations in the file must not matter.
  std::sort(facts.begin(), facts.end(), [](const SourcedFact& a, const SourcedFact& b) {
    return std::tie(a.fact.name, a.fact.value) < std::tie(b.fact.name, b.fact.value);
  });
  return facts;
}

void FactMaker::add_params(const StageType& type, const Schema& schema, const Value& params,
                           const std::string& prefix, std::vector<SourcedFact>& facts) {
  for (const Field& field : schema.fields()) {
    const Value* value = params.find(field.name);
    if (!value || !field.is_fact) continue;
    if (field.group && !field.is_list) {
      add_params(type, *field.group, *value, prefix + field.name + ".", facts);
      continue;
    }
    facts.push_back(make_fact(FactKind::kParam, prefix + field.name, to_line(to_json(*value)),
                              value->location));
    if (field.type == FieldType::kFile || field.type == FieldType::kVariable)
      add_files(field, *value, field.fixed ? type.folder : pipeline_.folder, facts);
  }
}

// Adds the contents of a file, or the value of a variable, that a parameter names.
void FactMaker::add_files(const Field& field, const Value& value, const Path& folder,
                          std::vector<SourcedFact>& facts) {
  const ValueList single{value};
  for (const Value& item : value.list() ? *value.list() : single) {
    const std::string& name = *item.text();
    if (name.empty()) continue;
    if (field.type == FieldType::kVariable) {
      facts.push_back(make_fact(FactKind::kVariable, name, variable_fact(std::getenv(name.c_str())),
                                item.location));
      continue;
    }
    std::optional<SeenFile> file = see(name, folder / name, FactKind::kFile);
    if (!file) throw Error("{}: no such file: {}", item.location.text(), name);
    facts.push_back(make_fact(FactKind::kFile, name, file->contents, item.location));
    facts.back().files = {std::move(*file)};
  }
}

// Files that the command names, unless they or a folder around them are listed.
void FactMaker::add_code(const StageSpec& stage, std::vector<SourcedFact>& facts) {
  const Path& folder = stage.type->is_declared() ? stage.type->folder : pipeline_.folder;
  for (const std::string& name : stage.code) {
    std::optional<SeenFile> file = see(name, folder / name, FactKind::kFile);
    if (!file) continue;  // gone since the pipeline was read
    file->is_found = true;
    const bool is_listed = std::ranges::any_of(facts, [&](const SourcedFact& fact) {
      return std::ranges::any_of(fact.files, [&](const SeenFile& other) {
        return file->path == other.path ||
               file->path.string().starts_with(other.path.string() + "/");
      });
    });
    if (is_listed) continue;
    facts.push_back(make_fact(FactKind::kFile, name, file->contents, stage.location));
    facts.back().files = {std::move(*file)};
  }
}

std::optional<SeenFile> FactMaker::see(const std::string& name, const Path& place,
                                       FactKind kind) const {
  // Links are followed: the program reads the target.
  const Path path = resolved(place);
  const std::optional<ContentInfo> content = store_.digests().digest_file(path, Links::kFollowed);
  if (!content) return std::nullopt;
  // An input's link has its extension (StageAttempt::link_inputs).
  const std::string extension = kind == FactKind::kInput ? plain_extension(name) : "";
  return SeenFile{.name = name,
                  .place = place,
                  .path = path,
                  .stamp = content->stamp,
                  .contents = identity(content->digest, content->is_executable, extension)};
}

SeenFile FactMaker::see_input(const Artifact& artifact) const {
  const InputFiles::File& file = *artifact.file;
  std::optional<SeenFile> seen = see(file.path, pipeline_.folder / file.path, FactKind::kInput);
  if (!seen) throw Error("{}: no such file: {}", artifact.source.location.text(), file.path);
  return std::move(*seen);
}

std::string FactMaker::changed_file(const std::vector<SourcedFact>& facts) const {
  for (const SourcedFact& sourced : facts) {
    for (const SeenFile& file : sourced.files) {
      const std::optional<SeenFile> now = see(file.name, file.place, sourced.kind);
      if (now && now->path == file.path && now->stamp == file.stamp &&
          now->contents == file.contents)
        continue;
      const bool is_input = sourced.kind == FactKind::kInput;
      return fmt::format(
          "{}{} was {} while the stage ran, so its result is not kept; run it again{}",
          is_input ? "the file " : "", file.name, now ? "changed" : "removed",
          is_input        ? " (a stage must not write to its inputs)"
          : file.is_found ? " (if its command writes it, list it under 'ignore')"
                          : "");
    }
  }
  return "";
}

void FactMaker::add_input(const StageSpec& reader, const InputSpec& input, const Finished& finished,
                          std::vector<SourcedFact>& facts) {
  SourcedFact fact = make_fact(FactKind::kInput, input.port, "", input.location);
  if (input.is_single() && input.sources[0].files) {
    const Source& source = input.sources[0];
    fact.files = {see_input({source, {}, {}, &source.files->files.front()})};
    fact.fact.value = fact.files[0].contents;
  } else if (input.is_single()) {
    const Source& source = input.sources[0];
    const StageSpec& stage = pipeline_.stages[source.stage];
    fact.fact.value = identity(output_of(stage, source.output, *finished[source.stage]).object);
    if (!stage.item.empty() && !reader.type->provenance && sees_item_name(reader, input.port))
      facts.push_back(make_fact(FactKind::kInputItem, input.port, stage.item, input.location));
  } else {
    const Text list = list_of(input, finished, fact.files);
    fact.fact.value = list_value(list.digest);
    fact.text = list.unkept;
  }
  for (std::size_t i = 0; i < input.sources.size() && i < 3; ++i)
    fact.upstream += (i ? ", " : "") + describe(pipeline_, input.sources[i]);
  if (input.sources.size() > 3) fact.upstream += ", …";
  facts.push_back(std::move(fact));
}

bool FactMaker::is_over_variations(const Source& source) const {
  return source.is_fan_in() && pipeline_.fan_ins[source.fan_in].over_variations;
}

void FactMaker::add_loss(StageId stage, const std::string& reason) {
  const std::lock_guard lock(losses_mutex_);
  losses_[stage] = printable(reason);
}

std::string FactMaker::loss_of(StageId stage) const {
  const std::lock_guard lock(losses_mutex_);
  const auto loss = losses_.find(stage);
  return loss == losses_.end() ? "it did not run" : loss->second;
}

std::vector<LostItem> FactMaker::lost_items(const InputSpec& input,
                                            const Finished& finished) const {
  std::vector<LostItem> lost;
  for (const Source& source : input.sources) {
    if (!is_over_variations(source)) continue;
    for (const StageId member : pipeline_.fan_ins[source.fan_in].members) {
      if (!finished[member])
        lost.push_back({name_in_list(pipeline_.stages[member], true), loss_of(member)});
    }
  }
  return lost;
}

// One line for each member: its contents, and its name for the reader.
FactMaker::Text FactMaker::list_of(const InputSpec& input, const Finished& finished,
                                   std::vector<SeenFile>& files) {
  const auto make = [&] {
    std::string text;
    for_each_artifact(pipeline_, input, finished, [&](const Artifact& artifact) {
      if (artifact.file) {
        files.push_back(see_input(artifact));
        // "executable" before a name says something else.
        const bool is_ambiguous = artifact.file->item.starts_with("executable ");
        text += fmt::format("{} {}{}\n", files.back().contents, is_ambiguous ? "\\" : "",
                            artifact.file->item);
        return;
      }
      const StageSpec& stage = pipeline_.stages[artifact.stage];
      const Record& record = *finished[artifact.stage];
      text += fmt::format("{} {}\n", identity(output_of(stage, artifact.output, record).object),
                          name_in_list(stage, is_over_variations(artifact.source)));
    });
    for (const LostItem& lost : lost_items(input, finished))
      text += fmt::format("lost {}: {}\n", lost.item, lost.reason);
    return keep(std::move(text));
  };
  if (input.sources.size() != 1 || input.sources[0].files) return make();
  const std::lock_guard lock(mutex_);
  std::optional<Text>& known = lists_[input.sources[0].fan_in];
  if (!known) known = make();
  return *known;
}

void FactMaker::forget_lists() {
  const std::lock_guard lock(mutex_);
  for (std::optional<Text>& list : lists_) list.reset();
}

FactMaker::Text FactMaker::keep(std::string text) {
  if (keep_lists_) return {store_.put_list(text), nullptr};
  return {digest_of(text), std::make_shared<const std::string>(std::move(text))};
}

std::vector<InputPaths> FactMaker::inputs_of(const StageSpec& stage, const Finished& finished,
                                             std::vector<InputObject>& objects) const {
  std::vector<InputPaths> inputs;
  for (const InputSpec& input : stage.inputs) {
    InputPaths paths;
    paths.port = input.port;
    const bool is_list = input.sources.size() > 1;
    const bool sees_item = sees_item_name(stage, input.port);
    for_each_artifact(pipeline_, input, finished, [&](const Artifact& artifact) {
      const Source& source = artifact.source;
      if (artifact.file) {
        paths.items.push_back(input.is_single() ? "" : artifact.file->item);
        paths.paths.push_back((pipeline_.folder / artifact.file->path).lexically_normal());
        return;
      }
      const StageSpec& upstream = pipeline_.stages[artifact.stage];
      const RecordedOutput& found = output_of(upstream, artifact.output, *finished[artifact.stage]);
      const bool over_variations = is_over_variations(source);
      paths.items.push_back(is_list || over_variations ? name_in_list(upstream, over_variations)
                            : sees_item || source.is_fan_in() ? upstream.item
                                                              : "");
      paths.paths.push_back(store_.path_of(found.object));
      objects.push_back({input.port, upstream.name + "." + found.name, found.object});
    });
    paths.lost = lost_items(input, finished);
    inputs.push_back(std::move(paths));
  }
  return inputs;
}

}  // namespace headway
