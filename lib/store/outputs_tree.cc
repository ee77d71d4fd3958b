#include "lib/store/outputs_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/spec/folder_name.h"

namespace headway {

std::string stale_name(const std::string& stage) {
  return stage + kStaleSuffix;
}

OutputsTree::OutputsTree(Store& store, const std::string& pipeline, const std::string& variant,
                         Path work)
    : store_(store),
      files_(store.files()),
      folder_(store.layout().results(pipeline, variant)),
      depth_(variant.empty() ? 1 : 2),
      work_(std::move(work)) {}

void OutputsTree::show(const std::string& stage, const Record& record, bool thorough) {
  // Remove old links first: an output may now be a folder where a file was, and an old link there
  // would lead into the store.
  if (thorough) {
    std::set<std::string> wanted;
    for (const RecordedOutput& output : record.outputs) wanted.insert(stage + "/" + output.file);
    remove_links(stage, wanted);
  }
  remove_stale(stage);
  for (const RecordedOutput& output : record.outputs)
    link(store_.path_of(output.object), stage + "/" + output.file);
}

void OutputsTree::set_aside(const std::string& stage) {
  constexpr int kTries = 5;
  for (int i = 1; files_.exists(folder_ / stage); ++i) {
    try {
      remove_stale(stage);
      move_links(stage, stale_name(stage));
      return;
    } catch (const Error&) {  // another run may be at work in the same folder
      if (i == kTries) throw;
    }
  }
}

void OutputsTree::hide(const std::string& stage) {
  remove_links(stage, {});
  remove_stale(stage);
}

// Also its empty folders: if we are killed, they stay behind.
void OutputsTree::remove_stale(const std::string& stage) {
  // As text, because every stage of every run needs it.
  if (!files_.exists(folder_.native() + "/" + stale_name(stage))) return;
  remove_links(stale_name(stage), {});
  const auto remove_if_empty = [&](const auto& self, const Path& folder) -> void {
    for (const std::string& inner : files_.list(folder)) {
      const std::optional<FileInfo> info = files_.info(folder / inner);
      if (info && info->is_directory()) self(self, folder / inner);
    }
    if (files_.exists(folder) && files_.list(folder).empty()) files_.remove(folder);
  };
  remove_if_empty(remove_if_empty, folder_ / stale_name(stage));
}

// Relative, so that outputs/ can be moved as a whole.
void OutputsTree::link(const Path& target, const std::string& name) {
  const std::string relative =
      way_up(name) + target.native().substr(store_.layout().outputs().native().size() + 1);
  const Path place = folder_.native() + "/" + name;
  if (files_.read_link(place) == relative) return;
  const std::optional<FileInfo> there = files_.info(place);
  if (there && there->kind != FileInfo::Kind::kSymlink)
    throw Error("{} is in the way: it is not a link of ours; move it elsewhere", place.string());
  constexpr int kTries = 5;  // another run of the pipeline may remove the empty folder in between
  for (int i = 1;; ++i) {
    try {
      files_.make_directories(place.parent_path());
      if (i == 1 && !there) return files_.make_link(relative, place);
      // By a rename, so that a reader always finds a link.
      const Path temporary = work_ / fmt::format("link-{}", ++links_);
      files_.make_link(relative, temporary);
      return files_.rename(temporary, place);
    } catch (const Error&) {
      if (i == kTries) throw;
    }
  }
}

// One step for each folder of the name. As text, because every output of every run needs it.
std::string OutputsTree::way_up(const std::string& name) const {
  const std::size_t folders = depth_ + static_cast<std::size_t>(std::ranges::count(name, '/'));
  std::string way;
  for (std::size_t i = 0; i < folders; ++i) way += "../";
  return way;
}

// Whether a link leads straight into this store, as ours do. A person may have made others.
bool OutputsTree::is_ours(const std::string& name, const std::string& target) const {
  const std::string start = way_up(name) + Layout::kStore + "/";
  return target.starts_with(start) && target.find("..", start.size()) == std::string::npos;
}

// Links lead to the same object from both places, which are equally deep. Removes folders that
// become empty by that. Whether anything was moved.
bool OutputsTree::move_links(const std::string& from, const std::string& to) {
  bool moved = false;
  for (const std::string& inner : files_.list(folder_ / from)) {
    const std::string old_name = from + "/" + inner, new_name = to + "/" + inner;
    const Path path = folder_ / old_name;
    const std::optional<FileInfo> info = files_.info(path);
    if (info && info->is_directory()) moved = move_links(old_name, new_name) || moved;
    if (!info || info->kind != FileInfo::Kind::kSymlink ||
        !is_ours(old_name, files_.read_link(path).value_or("")))
      continue;
    files_.make_directories((folder_ / new_name).parent_path());
    files_.rename(path, folder_ / new_name);
    moved = true;
  }
  if (moved && files_.list(folder_ / from).empty()) files_.remove(folder_ / from);
  return moved;
}

// Removes our links at or below `name`, except those in `wanted`, and folders that become empty by
// that. Whether `name` itself was removed.
bool OutputsTree::remove_links(const std::string& name, const std::set<std::string>& wanted) {
  const Path path = folder_ / name;
  const std::optional<FileInfo> info = files_.info(path);
  if (!info) return false;
  if (info->kind == FileInfo::Kind::kSymlink) {
    if (wanted.contains(name) || !is_ours(name, files_.read_link(path).value_or(""))) return false;
    files_.remove(path);
    return true;
  }
  if (!info->is_directory()) return false;
  bool removed = false;
  for (const std::string& inner : files_.list(path))
    removed = remove_links(name + "/" + inner, wanted) || removed;
  // A folder for wanted links stays: another run may be about to put one there.
  const auto next = wanted.lower_bound(name + "/");
  const bool needed = next != wanted.end() && next->starts_with(name + "/");
  if (!removed || needed || !files_.list(path).empty()) return false;
  files_.remove(path);
  return true;
}

}  // namespace headway
