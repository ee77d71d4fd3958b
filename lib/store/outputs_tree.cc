#include "lib/store/outputs_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "lib/base/error.h"

namespace headway {

OutputsTree::OutputsTree(Store& store, const std::string& pipeline, const std::string& variant)
    : store_(store), files_(store.files()), folder_(store.layout().results(pipeline, variant)) {}

void OutputsTree::show(const std::string& stage, const Record& record) {
  const Path folder = folder_ / stage;
  std::set<std::string> wanted;
  for (const RecordedOutput& output : record.outputs) {
    wanted.insert(Path(output.file).begin()->string());
    link(store_.path_of(output.object), folder / output.file);
  }
  for (const std::string& name : files_.list(folder)) {
    if (!wanted.contains(name)) remove_links(folder / name);
  }
}

void OutputsTree::keep_only(const std::vector<std::string>& stages, const std::vector<std::string>& variants) {
  const std::set<std::string> kept(stages.begin(), stages.end());
  for (const std::string& name : files_.list(folder_)) {
    const bool is_variant = std::find(variants.begin(), variants.end(), name) != variants.end();
    if (!kept.contains(name) && !is_variant && name.find('.') == std::string::npos) remove_links(folder_ / name);
  }
}

void OutputsTree::show_file(const std::string& name, const Path& target) {
  link(target, folder_ / name);
}

// Relative, so that outputs/ can be moved as a whole; put in place by a rename, so that a reader never finds nothing.
void OutputsTree::link(const Path& target, const Path& place) {
  const Path relative = target.lexically_relative(place.parent_path());
  if (files_.read_link(place) == relative.string()) return;
  files_.make_directories(place.parent_path());
  const std::optional<FileInfo> there = files_.info(place);
  if (there && there->kind != FileInfo::Kind::kSymlink) {
    throw Error(fmt::format("{} is in the way: it is not a link of ours; move it elsewhere", place.string()));
  }
  Path temporary = place;
  temporary += fmt::format(".tmp-{}", ::getpid());
  files_.remove(temporary);
  files_.make_link(relative, temporary);
  files_.rename(temporary, place);
}

void OutputsTree::remove_links(const Path& path) {
  const std::optional<FileInfo> info = files_.info(path);
  if (!info) return;
  if (info->kind == FileInfo::Kind::kSymlink) {
    const std::string target = files_.read_link(path).value_or("");
    if (target.find(store_.layout().root().filename().string() + "/") != std::string::npos) files_.remove(path);
  } else if (info->is_directory()) {
    for (const std::string& name : files_.list(path)) remove_links(path / name);
    if (files_.list(path).empty()) files_.remove(path);
  }
}

}  // namespace headway
