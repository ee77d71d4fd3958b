// An append-only file of lines. A line is there whole or not at all: a torn end (kill -9, power
// cut) is skipped.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/file_system.h"

namespace headway {

class Journal {
 public:
  Journal(FileSystem& files, Path path) : files_(files), path_(std::move(path)) {}

  // All whole lines, oldest first.
  std::vector<std::string> read();
  void append(std::string_view line);
  // The same knowledge in fewer lines; what another process appends meanwhile may be lost, so only
  // hints live here.
  void rewrite(const std::vector<std::string>& lines);

 private:
  FileSystem& files_;
  Path path_;
  std::mutex mutex_;
  bool torn_ = false;  // the file ends inside a line: the next append closes it first
};

}  // namespace headway
