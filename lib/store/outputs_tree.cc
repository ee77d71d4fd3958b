#include "lib/store/outputs_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "lib/base/error.h"

namespace headway {

OutputsTree::OutputsTree(Store& store, const std::string& pipeline, const std::string& variant)
    : store_(store), files_(store.files()), folder_(store.layout().results(pipeline, variant)), depth_(variant.empty() ? 1 : 2) {}

void OutputsTree::show(const std::string& stage, const Record& record, bool thorough) {
  for (const RecordedOutput& output : record.outputs) link(store_.path_of(output.object), stage + "/" + output.file);
  if (!thorough) return;
  const Path folder = folder_ / stage;
  std::set<std::string> wanted;
  for (const RecordedOutput& output : record.outputs) wanted.insert(Path(output.file).begin()->string());
  for (const std::string& name : files_.list(folder)) {
    if (!wanted.contains(name)) remove_links(folder / name);
  }
}

void OutputsTree::show_file(const std::string& name, const Path& target) {
  link(target, name);
}

// Relative, so that outputs/ can be moved as a whole; put in place by a rename, so that a reader never finds nothing.
void OutputsTree::link(const Path& target, const std::string& name) {
  // Both lie below outputs/, so the way is as many steps up as the name has folders, then down: taken as text, because
  // this is asked for every output of every run.
  const std::size_t folders = depth_ + static_cast<std::size_t>(std::count(name.begin(), name.end(), '/'));
  std::string relative;
  for (std::size_t i = 0; i < folders; ++i) relative += "../";
  relative += target.native().substr(store_.layout().outputs().native().size() + 1);
  const Path place = folder_.native() + "/" + name;
  if (files_.read_link(place) == relative) return;
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
