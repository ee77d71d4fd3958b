#include "lib/spec/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/text.h"
#include "lib/spec/overrides.h"
#include "lib/spec/yaml.h"

namespace headway {
namespace {

// Follows links; a link that leads to itself stays as it is.
Path follow_links(const Path& file) {
  std::error_code error;
  const Path followed = std::filesystem::weakly_canonical(file, error);
  return error ? file : followed;
}

class Reader {
 public:
  Reader(FileSystem& files, Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

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

  // Adds the params of included files that `params` lacks.
  void include(Value& params, const Value* include, const Path& file, std::vector<Path> chain) {
    if (!include) return;
    chain.push_back(follow_links(file));
    const ValueList single{*include};
    for (const Value& name : include->list() ? *include->list() : single) {
      if (!name.text()) {
        diagnostics_.add(name.location,
                         fmt::format("'include' expects a file's name, got {}", name.describe()));
        continue;
      }
      const Path path = (file.parent_path() / *name.text()).lexically_normal();
      if (std::find(chain.begin(), chain.end(), follow_links(path)) != chain.end()) {
        diagnostics_.add(name.location, fmt::format("{} includes itself", path.string()));
        continue;
      }
      const Value document = read_file(path, name.location);
      check_keys(document, {"include", "params"}, "an included file", diagnostics_);
      Value included = section(document, "params");
      this->include(included, document.find("include"), path, chain);
      merge_params(params, included);
    }
  }

  // A section of the file; an empty map if it is missing or not a map.
  Value section(const Value& document, const std::string& key) {
    const Value* value = document.find(key);
    if (!value || value->is_null()) return {ValueMap(), document.location};
    if (value->map()) return *value;
    diagnostics_.add(value->location,
                     fmt::format("'{}' must be a map, got {}", key, value->describe()));
    return {ValueMap(), value->location};
  }

  // Each name is a folder beside those of the stages, so no two may be the same.
  void check_names(const Value& named, const std::string& what, const PipelineFile& file) {
    for (const MapEntry& entry : *named.map()) {
      const bool is_variant = &named != &file.variants && file.variants.find(entry.key);
      const char* other = file.stages.find(entry.key) ? "stage" : is_variant ? "variant" : nullptr;
      if (!is_pipeline_name(entry.key)) {
        diagnostics_.add(entry.key_location, fmt::format("'{}' is not a {}'s name: use letters, "
                                                         "digits, '_', '-' and '.'",
                                                         printable(entry.key), what));
      } else if (other) {
        diagnostics_.add(entry.key_location,
                         fmt::format("{} '{}' has the name of a {}; their folders would collide",
                                     what, entry.key, other));
      }
    }
  }

  std::string read_name(const Value& document, const Path& file) {
    const Value* name = document.find("name");
    if (!name && is_pipeline_name(file.stem().string())) return file.stem().string();
    if (!name) {
      diagnostics_.add(
          document.location,
          fmt::format("the file's name, '{}', is no name for a pipeline: give it a 'name'",
                      printable(file.stem().string())));
      return "unnamed";
    }
    if (name->text() && is_pipeline_name(*name->text())) return *name->text();
    diagnostics_.add(
        name->location,
        fmt::format("'name' must be letters, digits, '_', '-' and '.', got {}", name->describe()));
    return "unnamed";
  }

 private:
  Value read_map(const Path& file, const SourceLocation& asked_from, const Value& nothing) {
    const auto info = files_.info(follow_links(file));
    if (!info || info->kind == FileInfo::Kind::kSymlink) {
      diagnostics_.add(asked_from,
                       fmt::format("{}: no such file{}", file.empty() ? "''" : file.string(),
                                   similar_file(file)));
      return nothing;
    }
    if (!info->is_file()) {  // a pipe may block, a device may never end
      diagnostics_.add(asked_from,
                       fmt::format("{}: is {}, not a file", file.string(),
                                   info->is_directory() ? "a folder" : "a device or pipe"));
      return nothing;
    }
    constexpr int kMostFiles =
        100;  // if each file includes the next twice, reads double every time
    if (++files_read_ > kMostFiles)
      throw PipelineError(
          fmt::format("{}: more than {} files are included", asked_from.text(), kMostFiles));
    if (info->size > YamlLimits().bytes) {  // do not even read it
      diagnostics_.add(nothing.location,
                       fmt::format("the file is {}; a pipeline may have at most {}",
                                   format_bytes(info->size), format_bytes(YamlLimits().bytes)));
      return nothing;
    }
    const std::string text = files_.read(file).value_or("");
    std::optional<Value> parsed = parse_yaml(text, nothing.location.source, diagnostics_);
    if (!parsed) return nothing;
    if (!parsed->map()) {
      diagnostics_.add(parsed->location, fmt::format("a pipeline is a map with 'stages', got {}",
                                                     parsed->describe()));
      return nothing;
    }
    return std::move(*parsed);
  }

  std::string similar_file(const Path& file) {
    std::vector<std::string> candidates;
    for (const std::string& name :
         files_.list(file.has_parent_path() ? file.parent_path() : Path("."))) {
      const Path candidate = file.parent_path() / name;
      if (candidate.extension() == ".yaml" || candidate.extension() == ".yml")
        candidates.push_back(candidate.string());
    }
    return did_you_mean(file.string(), candidates);
  }

  FileSystem& files_;
  Diagnostics& diagnostics_;
  int files_read_ = 0;
};

}  // namespace

Path folder_of(const Path& pipeline_file) {
  std::error_code ignored;  // no name or no current folder: that the file is not there is told
  return std::filesystem::absolute(pipeline_file, ignored).parent_path().lexically_normal();
}

bool is_pipeline_name(const std::string& name) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), plain);
}

void check_keys(const Value& map, const std::vector<std::string>& known, const std::string& subject,
                Diagnostics& diagnostics) {
  if (!map.map()) return;
  for (const MapEntry& entry : *map.map()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    diagnostics.add(entry.key_location,
                    fmt::format("{}: unknown key '{}'{}", subject, printable(entry.key),
                                did_you_mean(entry.key, known)));
  }
}

PipelineFile read_pipeline_file(const Path& path, FileSystem& files,
                                const std::vector<FileSection>& sections) {
  PipelineFile file;
  file.file = path;
  Reader reader(files, file.diagnostics);
  const SourceLocation command_line{SourceLocation::intern("headway")};
  Value root = reader.read_file(path, command_line);
  file.diagnostics.throw_if_any();  // do not go on with what is not a pipeline
  std::vector<std::string> keys = {"name", "include", "params", "stages", "variants"};
  for (const FileSection& section : sections) keys.push_back(section.key);
  check_keys(root, keys, "pipeline", file.diagnostics);
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
  reader.include(file.params, root.find("include"), path, {});
  return file;
}

Document vary(const PipelineFile& file, const LoadOptions& options, InterpolationBudget& budget,
              Diagnostics& diagnostics) {
  Document document{{}, &file.stages, {}};
  Value params = file.params;
  const auto apply = [&](const Override& change) {
    apply_change(params, file.stages, document.changes, change, diagnostics);
  };
  if (!options.variant.empty()) {
    const SourceLocation location{
        SourceLocation::intern("--variant " + printable(options.variant))};
    for (const Override& change :
         variant_overrides(file.variants, options.variant, location, diagnostics)) {
      apply(change);
    }
  }
  for (const std::string& set : options.sets) {
    const std::size_t before = diagnostics.count();
    const Override change = parse_set(set, diagnostics);
    if (diagnostics.count() == before) apply(change);
  }
  for (const Override& change : options.overrides) apply(change);
  if (const Value* matrix = params.find("matrix"))
    diagnostics.add(matrix->location, "the parameter name 'matrix' is reserved");
  document.params = resolve_params(params, budget, diagnostics);
  return document;
}

}  // namespace headway
