#include "lib/run/partial_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/worker/state_numerics.h"

namespace headway {
namespace {

constexpr const char* kUnfinished = ".copy";  // suffix of a folder that is being copied

// The folders of all attempts at the key, the latest last: the names of attempts sort by time. Of
// some there may be only the note, or a file that a killed process was writing as the note.
std::vector<Path> folders_of(Store& store, const Digest& key) {
  const Path all = store.layout().partials();
  std::vector<Path> found;
  for (std::string name : store.files().list(all)) {
    if (!name.starts_with(key.hex() + ".")) continue;
    if (name.ends_with(StateNumerics::kSuffix))
      name.resize(name.size() - std::string_view(StateNumerics::kSuffix).size());
    if (found.empty() || found.back() != all / name) found.push_back(all / name);
  }
  return found;
}

bool is_folder(FileSystem& files, const Path& path) {
  const std::optional<FileInfo> info = files.info(path);
  return info && info->is_directory();
}

// The note last: there is never a state without it.
void remove_state(FileSystem& files, const Path& folder) {
  files.remove(folder);
  files.remove(StateNumerics::note_of(folder));
}

void copy_state(FileSystem& files, const Path& from, const Path& to) {
  const Path copy = to.string() + kUnfinished;
  copy_tree(files, from, copy);
  if (const auto note = files.read(StateNumerics::note_of(from)))
    files.replace(StateNumerics::note_of(to), *note);
  files.rename(copy, to);
}

}  // namespace

bool resume_partial_state(Store& store, const Digest& key, const Path& folder, Observer& observer) {
  FileSystem& files = store.files();
  try {
    const std::vector<Path> earlier = folders_of(store, key);
    Path last;
    for (const Path& candidate : earlier) {
      if (candidate.extension() != kUnfinished && is_folder(files, candidate)) last = candidate;
    }
    if (!last.empty()) copy_state(files, last, folder);
    for (const Path& used : earlier) {
      try {
        remove_state(files, used);
      } catch (const Error&) {  // a lost attempt may still write there; the copy is complete
      }
    }
    return !last.empty();
  } catch (const Error& error) {
    observer.warning(
        fmt::format("the state that an earlier attempt left cannot be used, so the "
                    "stage starts from nothing: {}",
                    error.what()));
    remove_state(files, folder);
    return false;
  }
}

void remove_partial_states(Store& store, const Digest& key) {
  for (const Path& folder : folders_of(store, key)) remove_state(store.files(), folder);
}

bool has_partial_state(Store& store, const Digest& key) {
  return std::ranges::any_of(folders_of(store, key),
                             [&](const Path& folder) { return is_folder(store.files(), folder); });
}

}  // namespace headway
