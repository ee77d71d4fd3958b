#include "lib/spec/yaml_file.h"

#include "lib/base/text.h"
#include "lib/spec/yaml.h"

namespace headway {
namespace {

std::string similar_file(const Path& file, FileSystem& files) {
  std::vector<std::string> candidates;
  for (const std::string& name :
       files.list(file.has_parent_path() ? file.parent_path() : Path("."))) {
    const Path candidate = file.parent_path() / name;
    if (candidate == file) continue;  // a link to nowhere
    if (candidate.extension() == ".yaml" || candidate.extension() == ".yml")
      candidates.push_back(candidate.string());
  }
  return did_you_mean(file.string(), candidates);
}

}  // namespace

Path follow_links(const Path& file) {
  std::error_code error;
  const Path followed = std::filesystem::weakly_canonical(file, error);
  return error ? file : followed;
}

std::optional<std::string> read_yaml_text(const Path& file, FileSystem& files,
                                          const std::string* source, Diagnostics& diagnostics) {
  const auto info = files.info(follow_links(file));
  if (!info || info->kind == FileInfo::Kind::kSymlink)
    throw Error("{}: no such file{}", file.empty() ? "''" : file.string(),
                similar_file(file, files));
  if (!info->is_file())  // a pipe may block, a device may never end
    throw Error("{}: is {}, not a file", file.string(),
                info->is_directory() ? "a folder" : "a device or pipe");
  if (info->size > YamlLimits().bytes) {  // do not even read it
    diagnostics.add({source}, "the file is {}; at most {} are read", format_bytes(info->size),
                    format_bytes(YamlLimits().bytes));
    return std::nullopt;
  }
  return files.read(file).value_or("");
}

}  // namespace headway
