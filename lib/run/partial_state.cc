#include "lib/run/partial_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {
namespace {

constexpr const char* kUnfinished = ".copy";  // of a folder that is being copied

}  // namespace

PartialState::PartialState(Store& store, const Digest& key, const std::string& attempt)
    : files_(store.files()),
      all_(store.layout().partials()),
      saved_(store.layout().partial(key)),
      path_(saved_.string() + "." + attempt) {}

bool PartialState::resume(Observer& observer) {
  try {
    if (files_.exists(saved_)) {
      files_.rename(saved_, path_);
      return true;
    }
    return copy_abandoned();
  } catch (const Error& error) {
    observer.warning(
        fmt::format("the state that an earlier attempt left cannot be used, so the "
                    "stage starts from nothing: {}",
                    error.what()));
    files_.remove(path_);
    return false;
  }
}

// Of attempts that were killed: the last one's state. Their names sort by time.
bool PartialState::copy_abandoned() {
  const std::string prefix = saved_.filename().string() + ".";
  std::string last;
  std::vector<Path> abandoned;
  for (const std::string& name : files_.list(all_)) {
    if (!name.starts_with(prefix)) continue;
    abandoned.push_back(all_ / name);
    if (!name.ends_with(kUnfinished)) last = name;
  }
  if (!last.empty()) {
    const Path copy = path_.string() + kUnfinished;
    copy_tree(files_, all_ / last, copy);
    files_.rename(copy, path_);
  }
  for (const Path& path : abandoned) files_.remove(path);
  return !last.empty();
}

bool has_partial_state(Store& store, const Digest& key) {
  const std::vector<std::string> names = store.files().list(store.layout().partials());
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return name.starts_with(key.hex()); });
}

void PartialState::leave() {
  if (files_.exists(path_)) files_.rename(path_, saved_);
}

void PartialState::remove() {
  files_.remove(path_);
}

}  // namespace headway
