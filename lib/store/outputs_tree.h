// outputs/<pipeline>[/<variant>]/<stage>/<file>: links to the latest results. Results that are no
// longer current are in <stage>.stale, so that all other folders belong together. Only our own
// links are ever moved, replaced or removed; what a person put there stays.
#pragma once

#include <atomic>
#include <set>
#include <string>

#include "lib/store/store.h"

namespace headway {

// The folder beside a stage's own that has its results when they are no longer current.
std::string stale_name(const std::string& stage);

class OutputsTree {
 public:
  // Links are made in `work`, a folder of this run alone, and then moved into place.
  OutputsTree(Store& store, const std::string& pipeline, const std::string& variant, Path work);

  const Path& folder() const { return folder_; }
  // Links the outputs of a record into the stage's folder; `thorough` also removes the links of
  // earlier outputs. Throws Error if something that is not our link is in the way.
  void show(const std::string& stage, const Record& record, bool thorough);
  // Moves the stage's links to its stale folder.
  void set_aside(const std::string& stage);
  // Removes the stage's links, and its folders if they become empty.
  void hide(const std::string& stage);
  // Links a file beside the stages' folders. `name` must contain a dot, as no stage's name does.
  void show_file(const std::string& name, const Path& target) { link(target, name); }

 private:
  // Names are relative to folder_.
  void link(const Path& target, const std::string& name);
  std::string way_up(const std::string& name) const;  // from that link to outputs/: "../../"
  bool is_ours(const std::string& name, const std::string& target) const;
  bool remove_links(const std::string& name, const std::set<std::string>& wanted);
  void remove_stale(const std::string& stage);
  bool move_links(const std::string& from, const std::string& to);

  Store& store_;
  FileSystem& files_;
  Path folder_;
  const std::size_t depth_;  // folders between outputs/ and folder_'s entries
  const Path work_;
  std::atomic<int> links_{0};
};

}  // namespace headway
