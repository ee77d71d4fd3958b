// An append-only file of lines with checksums. read() drops lines that are torn (kill -9, power
// cut) or changed, and counts them. Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "lib/base/file_system.h"

namespace headway {

class Journal {
 public:
  Journal(FileSystem& files, Path path) : files_(files), path_(std::move(path)) {}

  // The undamaged lines, oldest first, without their checksums. None if the file does not exist or
  // cannot be read.
  std::vector<std::string> read();
  // What was wrong in the last read(), for a person; "" if nothing.
  std::string damage() const;

  // Appends lines, which must not contain line ends, with one write. Throws Error if they cannot be
  // written.
  void append(const std::vector<std::string>& lines);
  void append(const std::string& line) { append(std::vector<std::string>{line}); }
  // Replaces all lines. A line that another process appends meanwhile may be lost, so a journal
  // must only hold what can be found out again.
  void rewrite(const std::vector<std::string>& lines);

 private:
  FileSystem& files_;
  const Path path_;
  std::mutex mutex_;
  bool torn_ = false;  // the file ends inside a line: the next append closes it first
  std::size_t dropped_ = 0;
  std::string unreadable_;  // why the file could not be read
};

}  // namespace headway
