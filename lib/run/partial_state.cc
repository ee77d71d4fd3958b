#include "lib/run/partial_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {
namespace {

constexpr const char* kUnfinished = ".copy";  // suffix of a folder that is being copied

}  // namespace

PartialState::PartialState(Store& store, const Digest& key, const std::string& attempt)
    : files_(store.files()),
      all_(store.layout().partials()),
      prefix_(key.hex() + "."),
      path_(store.layout().partial(key, attempt)) {}

bool PartialState::resume(Observer& observer) {
  try {
    return copy_last();
  } catch (const Error& error) {
    observer.warning(
        fmt::format("the state that an earlier attempt left cannot be used, so the "
                    "stage starts from nothing: {}",
                    error.what()));
    files_.remove(path_);
    return false;
  }
}

// Attempt names sort by time.
std::vector<Path> PartialState::folders() {
  std::vector<Path> found;
  for (const std::string& name : files_.list(all_)) {
    if (name.starts_with(prefix_)) found.push_back(all_ / name);
  }
  return found;
}

bool PartialState::copy_last() {
  const std::vector<Path> earlier = folders();
  Path last;
  for (const Path& folder : earlier) {
    if (folder.extension() != kUnfinished) last = folder;
  }
  if (!last.empty()) {
    const Path copy = path_.string() + kUnfinished;
    copy_tree(files_, last, copy);
    files_.rename(copy, path_);
  }
  for (const Path& folder : earlier) files_.remove(folder);
  return !last.empty();
}

bool has_partial_state(Store& store, const Digest& key) {
  const std::vector<std::string> names = store.files().list(store.layout().partials());
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return name.starts_with(key.hex()); });
}

void PartialState::remove() {
  for (const Path& folder : folders()) files_.remove(folder);
}

}  // namespace headway
