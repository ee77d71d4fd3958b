// An append-only file of lines, each with a checksum. A line is there whole or not at all: one that
// is torn (kill -9, power cut) or changed is dropped, and counted.
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

  // All whole lines, oldest first, without their checksums. An unreadable file has none.
  std::vector<std::string> read();
  // What the last read() dropped, for a person; "" for nothing.
  std::string damage() const;

  // A line must not contain a line end.
  void append(std::string_view line);
  void append(const std::vector<std::string>& lines);  // all of them in one write
  // The same knowledge in fewer lines; what another process appends meanwhile may be lost, so only
  // hints live here.
  void rewrite(const std::vector<std::string>& lines);

 private:
  void append_bytes(std::string_view bytes);

  FileSystem& files_;
  const Path path_;
  std::mutex mutex_;
  bool torn_ = false;  // the file ends inside a line: the next append closes it first
  std::size_t dropped_ = 0;
  std::string unreadable_;  // why the file could not be read
};

}  // namespace headway
