#include "lib/spec/document.h"

#include <algorithm>
#include <set>

#include "lib/base/text.h"
#include "lib/spec/declared_type.h"
#include "lib/spec/folder_name.h"
#include "lib/spec/group.h"
#include "lib/spec/named_files.h"
#include "lib/spec/overrides.h"
#include "lib/spec/yaml.h"
#include "lib/spec/yaml_file.h"

namespace headway {
namespace {

class Reader {
 public:
  Reader(const Path& pipeline, FileSystem& files, const std::vector<FileSection>& sections,
         FileDigests& digests, Diagnostics& diagnostics)
      : folder_(pipeline.parent_path().lexically_normal()),
        files_(files),
        digests_(digests),
        diagnostics_(diagnostics) {
    for (const FileSection& section : sections) sections_.push_back(section.key);
    keys_ = sections_;
    keys_.insert(keys_.end(), {"name", "include", "types"});
  }

  const std::vector<std::string>& keys() const { return keys_; }

  // The file's top-level map; an empty map if it cannot be read.
  Value read_file(const Path& file, const SourceLocation& asked_from) {
    const Value nothing{ValueMap(), {SourceLocation::intern(file.string())}};
    try {
      return read_map(file, asked_from, nothing);
    } catch (const PipelineError&) {  // has its place
      throw;
    } catch (const Error& error) {  // a name that is too long, a file we may not read
      diagnostics_.add(asked_from, error.what());
      return nothing;
    }
  }

  // Adds what `document` lacks and the files that it includes have.
  void include(Value& document, const Path& file, std::vector<Path> chain) {
    const Value* include = document.find("include");
    if (!include) return;
    const Value names = *include;  // `document` grows
    std::set<std::string> included_stages;
    chain.push_back(follow_links(file));
    for (const Value& name : items_of(names)) {
      if (!name.text()) {
        diagnostics_.add(name.location, "'include' expects a file's name, got {}", name.describe());
        continue;
      }
      const Path path = (file.parent_path() / *name.text()).lexically_normal();
      if (std::find(chain.begin(), chain.end(), follow_links(path)) != chain.end()) {
        diagnostics_.add(name.location, "{} includes itself", path.string());
        continue;
      }
      Value included = read_other_file(path, name.location);
      check_keys(included, keys_, "an included file", diagnostics_);
      add_types(included, path);
      this->include(included, path, chain);
      if (const Value* stages = included.find("stages")) {
        for (const std::string& stage : keys_of(*stages)) included_stages.insert(stage);
      }
      for (const std::string& key : sections_) add_missing(document, key, section(included, key));
    }
    // `plots:` without anything takes the stage away that an included file has.
    if (Value* stages = document.find("stages"); stages && stages->map())
      std::erase_if(*stages->map(), [&](const MapEntry& stage) {
        return stage.value.is_null() && included_stages.contains(stage.key);
      });
  }

  // Replaces each stage that uses a pipeline by the stages of that pipeline.
  void expand_groups(Value& document, const std::vector<Path>& chain) {
    Value* stages = document.find("stages");
    if (!stages || !stages->map()) return;
    ValueMap expanded;
    for (MapEntry& entry : *stages->map()) {
      const Value* uses = entry.value.find("uses");
      const bool is_file = uses && uses->text() && is_path(*uses->text());
      if (!is_file || !expand_group(entry, *uses, chain, document, expanded))
        expanded.push_back(std::move(entry));
    }
    std::set<std::string> names;
    for (const MapEntry& stage : expanded) {
      if (!names.insert(stage.key).second)
        diagnostics_.add(stage.key_location, "stage '{}' of a group has the name of another stage",
                         stage.key);
    }
    document.find("stages")->data = std::move(expanded);
  }

  // Adds the types under `types`.
  void add_types(const Value& document, const Path& file) {
    const Value types = section(document, "types");
    for (const MapEntry& entry : *types.map()) {
      if (is_stage_name(entry.key)) {
        add_type(entry.key, entry.key_location, entry.value, file);
      } else {
        diagnostics_.add(entry.key_location,
                         "'{}' is not a type's name: use letters, digits, '_' and '-'",
                         printable(entry.key));
      }
    }
  }

  // Adds the types that stages anywhere in the value use by the path of a file.
  void add_used_types(const Value& value, const Path& file) {
    for (const Value& item : value.list() ? *value.list() : ValueList()) add_used_types(item, file);
    for (const MapEntry& entry : entries_of(value)) {
      const std::string* used = entry.key == "uses" ? entry.value.text() : nullptr;
      if (!used || !is_path(*used)) {
        add_used_types(entry.value, file);
      } else if (!types_.find(*used) && unreadable_.insert(*used).second) {
        const Path path = (file.parent_path() / *used).lexically_normal();
        const std::size_t before = diagnostics_.count();
        const Value document = read_file(path, entry.value.location);
        if (diagnostics_.count() == before) add_type_file(*used, path, document);
      }
    }
  }

  // A file that declares one type. `name`: as `uses` has it.
  void add_type_file(const std::string& name, const Path& path, const Value& document) {
    if (!is_type_file(document))
      diagnostics_.add(document.location,
                       "a stage type needs 'run', the command that does the work");
    else
      add_type(name, document.location, document, path);
  }

  StageRegistry take_types() { return std::move(types_); }

  // A section of the file; an empty map if it is missing or not a map.
  Value section(const Value& document, const std::string& key) {
    const Value* value = document.find(key);
    if (!value || value->is_null()) return {ValueMap(), document.location};
    if (value->map()) return *value;
    diagnostics_.add(value->location, "'{}' must be a map, got {}", key, value->describe());
    return {ValueMap(), value->location};
  }

  // Each name is a folder beside those of the stages, so no two may be the same.
  void check_names(const Value& named, const std::string& what, const PipelineFile& file) {
    for (const MapEntry& entry : *named.map()) {
      const bool is_variant = &named != &file.variants && file.variants.find(entry.key);
      const char* other = file.stages.find(entry.key) ? "stage" : is_variant ? "variant" : nullptr;
      if (entry.key.ends_with(kStaleSuffix)) {
        diagnostics_.add(entry.key_location,
                         "a {}'s name cannot end in '{}': folders of results that are no longer "
                         "current do",
                         what, kStaleSuffix);
      } else if (!is_pipeline_name(entry.key)) {
        diagnostics_.add(entry.key_location,
                         "'{}' is not a {}'s name: use letters, digits, '_', '-' and '.'",
                         printable(entry.key), what);
      } else if (other) {
        diagnostics_.add(entry.key_location,
                         "{} '{}' has the name of a {}; their folders would collide", what,
                         entry.key, other);
      }
    }
  }

  std::string read_name(const Value& document, const Path& file) {
    const Value* name = document.find("name");
    const std::string stem = file.stem().string();
    if (!name && is_pipeline_name(stem)) return stem;
    if (name && name->text() && is_pipeline_name(*name->text())) return *name->text();
    if (name) {
      diagnostics_.add(name->location, "'name' must be letters, digits, '_', '-' and '.', got {}",
                       name->describe());
    } else {
      diagnostics_.add(document.location,
                       "the file's name, '{}', is no name for a pipeline: give it a 'name'",
                       printable(stem));
    }
    return "unnamed";
  }

 private:
  // A path in `uses` starts from the folder of its file; here, from that of the pipeline.
  Value read_other_file(const Path& file, const SourceLocation& asked_from) {
    Value document = read_file(file, asked_from);
    Value* stages = document.find("stages");
    if (!stages || !stages->map() || file.parent_path() == folder_) return document;
    for (MapEntry& stage : *stages->map()) {
      Value* uses = stage.value.find("uses");
      if (!uses || !uses->text() || !is_path(*uses->text())) continue;
      const Path path = (file.parent_path() / *uses->text()).lexically_normal();
      const Path from_pipeline = path.lexically_relative(folder_.empty() ? "." : folder_);
      uses->data = from_pipeline.empty() ? path.string() : "./" + from_pipeline.string();
    }
    return document;
  }

  void add_missing(Value& document, const std::string& key, Value base) {
    if (base.map()->empty()) return;
    Value* own = document.find(key);
    if (!own) document.map()->push_back({key, base.location, {ValueMap(), base.location}});
    own = document.find(key);
    if (own->is_null()) own->data = ValueMap();
    if (own->map()) merge_params(*own, base);
  }

  // False if the file that the stage uses can be read, but is not a pipeline.
  bool expand_group(const MapEntry& entry, const Value& uses, std::vector<Path> chain,
                    Value& document, ValueMap& stages) {
    const Path path = (folder_ / *uses.text()).lexically_normal();
    if (std::find(chain.begin(), chain.end(), follow_links(path)) != chain.end()) {
      diagnostics_.add(uses.location, "{} uses itself", path.string());
      return true;
    }
    const std::size_t before = diagnostics_.count();
    Value used = read_other_file(path, uses.location);
    if (!used.find("stages")) return diagnostics_.count() > before;
    chain.push_back(follow_links(path));
    check_keys(used, keys_, "a pipeline that is used as a group", diagnostics_);
    add_types(used, path);
    include(used, path, {});
    expand_groups(used, chain);
    Group group = make_group(
        entry, {section(used, "params"), section(used, "stages"), section(used, "variants")},
        diagnostics_);
    for (MapEntry& stage : group.stages) stages.push_back(std::move(stage));
    if (!group.params.map()->empty())
      add_group_params({entry.key, entry.key_location, std::move(group.params)}, document);
    return true;
  }

  void add_group_params(MapEntry params, Value& document) {
    Value* all = document.find("params");
    if (!all) {
      document.map()->push_back({"params", params.key_location, {ValueMap(), params.key_location}});
      all = document.find("params");
    }
    if (all->is_null()) all->data = ValueMap();
    if (all->find(params.key))
      return diagnostics_.add(params.key_location,
                              "group '{0}' keeps its parameters in '{0}', but there is a parameter "
                              "of that name; rename one of them",
                              params.key);
    if (all->map()) all->map()->push_back(std::move(params));
  }

  void add_type(const std::string& name, const SourceLocation& location, const Value& declaration,
                const Path& file) {
    if (const StageType* other = types_.find(name)) {
      if (other->declared.text() != location.text())  // a file may be included twice
        diagnostics_.add(location, "type '{}' is declared twice; also at {}", name,
                         other->declared.text());
      return;
    }
    types_.add(read_declared_type(name, location, declaration, folder_of(file), file.parent_path(),
                                  files_, diagnostics_));
  }

  // Throws Error if the file cannot be read.
  Value read_map(const Path& file, const SourceLocation& asked_from, const Value& nothing) {
    // If each file includes the next twice, reads double every time.
    constexpr int kMostFiles = 100;
    if (++files_read_ > kMostFiles)
      throw PipelineError("{}: more than {} files are included", asked_from.text(), kMostFiles);
    const auto text = read_yaml_text(file, files_, nothing.location.source, diagnostics_);
    if (!text) return nothing;
    digests_[file.string()] = digest_of(*text);
    std::optional<Value> parsed = parse_yaml(*text, nothing.location.source, diagnostics_);
    if (!parsed) return nothing;
    if (!parsed->map()) {
      diagnostics_.add(parsed->location, "a pipeline is a map with 'stages', got {}",
                       parsed->describe());
      return nothing;
    }
    return std::move(*parsed);
  }

  const Path folder_;  // of the pipeline, as the user gave it
  FileSystem& files_;
  FileDigests& digests_;
  Diagnostics& diagnostics_;
  std::vector<std::string> sections_ = {"params", "stages", "variants"};
  std::vector<std::string> keys_;  // of a file
  int files_read_ = 0;
  StageRegistry types_;
  std::set<std::string> unreadable_;  // files of types that were tried
};

}  // namespace

Path folder_of(const Path& pipeline_file) {
  std::error_code ignored;  // without a current folder, the file is reported as missing
  return std::filesystem::absolute(pipeline_file, ignored).parent_path().lexically_normal();
}

bool is_stage_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name[0] != '-' && has_only(name, "_-");
}

bool is_pipeline_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
         has_only(name, "_-.");
}

void check_keys(const Value& map, const std::vector<std::string>& known, const std::string& subject,
                Diagnostics& diagnostics) {
  for (const MapEntry& entry : entries_of(map)) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    diagnostics.add(entry.key_location, "{}: unknown key '{}'{}", subject, printable(entry.key),
                    did_you_mean(entry.key, known));
  }
}

PipelineFile read_pipeline_file(const Path& path, FileSystem& files,
                                const std::vector<FileSection>& sections) {
  PipelineFile file;
  file.file = path;
  Reader reader(path, files, sections, file.digests, file.diagnostics);
  const SourceLocation command_line{SourceLocation::intern("headway")};
  Value root = reader.read_file(path, command_line);
  file.diagnostics.throw_if_any();  // do not go on with what is not a pipeline
  check_keys(root, reader.keys(), "pipeline", file.diagnostics);
  reader.add_types(root, path);
  reader.include(root, path, {});
  const std::size_t mistakes = file.diagnostics.count();
  reader.expand_groups(root, {follow_links(path)});
  if (file.diagnostics.count() > mistakes) file.diagnostics.throw_if_any();  // stages are missing
  file.name = reader.read_name(root, path);
  file.params = reader.section(root, "params");
  file.variants = reader.section(root, "variants");
  if (Value* stages = root.find("stages"); stages && stages->map() && !stages->map()->empty()) {
    file.stages = std::move(*stages);
  } else {
    file.diagnostics.add(stages ? stages->location : root.location,
                         "'stages' must be a map with at least one stage");
    file.stages = {ValueMap(), root.location};
  }
  reader.check_names(file.variants, "variant", file);
  file.extra = {ValueMap(), root.location};
  for (const FileSection& section : sections) {
    Value value = reader.section(root, section.key);
    reader.check_names(value, section.entry, file);
    file.extra.map()->push_back({section.key, value.location, std::move(value)});
  }
  reader.add_used_types(file.stages, path);
  reader.add_used_types(file.extra, path);
  file.types = std::make_shared<const StageRegistry>(reader.take_types());
  return file;
}

StageRegistry read_declared_types(const Path& path, FileSystem& files,
                                  const std::vector<FileSection>& sections) {
  FileDigests digests;
  Diagnostics diagnostics;
  Reader reader(path, files, sections, digests, diagnostics);
  Value root = reader.read_file(path, {SourceLocation::intern("headway")});
  if (is_type_file(root)) {
    reader.add_type_file(path.string(), path, root);
  } else {
    reader.add_types(root, path);
    reader.include(root, path, {});
    reader.expand_groups(root, {follow_links(path)});
    if (const Value* stages = root.find("stages")) reader.add_used_types(*stages, path);
  }
  diagnostics.throw_if_any();
  return reader.take_types();
}

}  // namespace headway
