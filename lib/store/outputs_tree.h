// outputs/<pipeline>[/<variant>]/<stage>/<file>: links to the latest results. Only our own links
// are ever replaced or removed; what a person put there stays.
#pragma once

#include <atomic>
#include <set>
#include <string>

#include "lib/store/store.h"

namespace headway {

class OutputsTree {
 public:
  // Links are made in `work`, a folder of this run alone, and then moved into place.
  OutputsTree(Store& store, const std::string& pipeline, const std::string& variant, Path work);

  const Path& folder() const { return folder_; }
  // Links the outputs of a record into the stage's folder; `thorough` also removes the links of
  // earlier outputs. Throws Error if something that is not our link is in the way.
  void show(const std::string& stage, const Record& record, bool thorough);
  // Removes the stage's links, and its folder if that becomes empty.
  void hide(const std::string& stage) { remove_links(stage, {}); }
  // Links a file beside the stages' folders. `name` must contain a dot, as no stage's name does.
  void show_file(const std::string& name, const Path& target);

 private:
  // Names are relative to folder_.
  void link(const Path& target, const std::string& name);
  void place_link(const std::string& target, const Path& place);
  std::string way_up(const std::string& name) const;  // from that link to outputs/: "../../"
  bool is_ours(const std::string& name, const std::string& target) const;
  bool remove_links(const std::string& name, const std::set<std::string>& wanted);

  Store& store_;
  FileSystem& files_;
  Path folder_;
  const std::size_t depth_;  // folders between outputs/ and folder_'s entries
  const Path work_;
  std::atomic<int> links_{0};
};

}  // namespace headway
