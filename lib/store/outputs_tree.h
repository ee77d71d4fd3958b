// outputs/<pipeline>[/<variant>]/<stage>/<file>: links that always show the latest results under friendly names.
// Only links of ours are ever replaced or removed; what a person put there stays.
#pragma once

#include <string>
#include <vector>

#include "lib/store/store.h"

namespace headway {

class OutputsTree {
 public:
  OutputsTree(Store& store, const std::string& pipeline, const std::string& variant);

  const Path& folder() const { return folder_; }
  // Makes the stage's folder show exactly this record.
  void show(const std::string& stage, const Record& record);
  // Takes away the folders of stages that the pipeline no longer has.
  void keep_only(const std::vector<std::string>& stages, const std::vector<std::string>& variants);
  // A link beside the stages' folders (the trace); stage names have no dots, so they cannot meet.
  void show_file(const std::string& name, const Path& target);

 private:
  void link(const Path& target, const Path& place);
  void remove_links(const Path& folder);

  Store& store_;
  FileSystem& files_;
  Path folder_;
};

}  // namespace headway
