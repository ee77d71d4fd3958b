#include "lib/run/partial_state.h"

#include <fmt/format.h>

#include "lib/base/error.h"

namespace headway {
namespace {

constexpr const char* kUnfinished = ".copy";  // suffix of a folder that is being copied

// The folders of all attempts at the key, the latest last: the names of attempts sort by time.
std::vector<Path> folders_of(Store& store, const Digest& key) {
  const Path all = store.layout().partials();
  std::vector<Path> found;
  for (const std::string& name : store.files().list(all)) {
    if (name.starts_with(key.hex() + ".")) found.push_back(all / name);
  }
  return found;
}

}  // namespace

bool resume_partial_state(Store& store, const Digest& key, const Path& folder, Observer& observer) {
  FileSystem& files = store.files();
  try {
    const std::vector<Path> earlier = folders_of(store, key);
    Path last;
    for (const Path& candidate : earlier) {
      if (candidate.extension() != kUnfinished) last = candidate;
    }
    if (!last.empty()) {
      const Path copy = folder.string() + kUnfinished;
      copy_tree(files, last, copy);
      files.rename(copy, folder);
    }
    for (const Path& used : earlier) files.remove(used);
    return !last.empty();
  } catch (const Error& error) {
    observer.warning(
        fmt::format("the state that an earlier attempt left cannot be used, so the "
                    "stage starts from nothing: {}",
                    error.what()));
    files.remove(folder);
    return false;
  }
}

void remove_partial_states(Store& store, const Digest& key) {
  for (const Path& folder : folders_of(store, key)) store.files().remove(folder);
}

bool has_partial_state(Store& store, const Digest& key) {
  return !folders_of(store, key).empty();
}

}  // namespace headway
