#include "lib/run/input_links.h"

#include <utility>

namespace headway {

void InputLinks::make(const Path& target, const Path& path) {
  files_.copy_link(first_link_to(target), path);
}

const Path& InputLinks::first_link_to(const Path& target) {
  const std::lock_guard lock(mutex_);
  const auto found = first_.find(target.native());
  if (found != first_.end()) return found->second;
  if (first_.empty()) files_.make_directories(folder_);
  Path link = folder_ / std::to_string(first_.size());
  files_.make_link(target, link);
  return first_.emplace(target.native(), std::move(link)).first->second;
}

}  // namespace headway
