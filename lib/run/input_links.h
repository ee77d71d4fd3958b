// The links through which the commands of a run read their inputs.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "lib/base/file_system.h"

namespace headway {

// Each input has one link in a folder of the run, and every command that reads it a copy of that
// link, which it may replace. With n stages that read n others, that is n links and n x n copies,
// and a copy needs no inode: to make one and remove it takes ext4 a tenth of the time, and much
// less when thousands of inodes were freed in the last minute, which it then searches for each new
// one. Thread-safe.
class InputLinks {
 public:
  // Creates the folder when it is first needed.
  InputLinks(FileSystem& files, Path folder) : files_(files), folder_(std::move(folder)) {}

  // Makes a link at `path` that leads to the target.
  void make(const Path& target, const Path& path);

 private:
  const Path& first_link_to(const Path& target);

  FileSystem& files_;
  const Path folder_;
  std::mutex mutex_;
  std::unordered_map<std::string, Path> first_;  // by target
};

}  // namespace headway
