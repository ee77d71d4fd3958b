// outputs/<pipeline>[/<variant>]/<stage>/<file>: links that always show the latest results under
// friendly names. Only links of ours are ever replaced or removed; what a person put there stays.
#pragma once

#include <atomic>
#include <set>
#include <string>

#include "lib/store/store.h"

namespace headway {

class OutputsTree {
 public:
  // `work` is a folder of this run alone, where links are made before they are moved into place.
  OutputsTree(Store& store, const std::string& pipeline, const std::string& variant, Path work);

  const Path& folder() const { return folder_; }
  // Makes the stage's folder show this record; `thorough` also takes away what an earlier one
  // showed.
  void show(const std::string& stage, const Record& record, bool thorough);
  // Takes away the links of a stage that the pipeline no longer has, and its folder where nothing
  // else is in it.
  void hide(const std::string& stage) { remove_links(stage, {}); }
  // A link beside the stages' folders (the trace); stage names have no dots, so they cannot meet.
  void show_file(const std::string& name, const Path& target);

 private:
  // All names are below folder_.
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
