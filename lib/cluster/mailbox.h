// Messages between two processes through a folder of a shared file system. One process writes, one
// reads. A message is a file that appears by rename, so a reader never sees half of one; the reader
// removes what it has read.
//
// A shared file system may show a message late, or two in the wrong order. Messages must not depend
// on their order, and nothing may depend on one arriving at all: the truth is in records
// (attempt_end.h).
#pragma once

#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "lib/base/json.h"

namespace headway {

class MailWriter {
 public:
  // The folder is created by the reader.
  MailWriter(FileSystem& files, Path folder) : files_(files), folder_(std::move(folder)) {}
  // Throws Error if it cannot be written.
  void send(const Json& message);

 private:
  FileSystem& files_;
  const Path folder_;
  std::uint64_t count_ = 0;
};

class MailReader {
 public:
  // Creates the folder; throws Error if it cannot.
  MailReader(FileSystem& files, Path folder);
  // All messages that are there now, oldest first, and removes them. What is not JSON is dropped.
  // A message that cannot be read or removed yet comes with a later call.
  std::vector<Json> receive();

 private:
  FileSystem& files_;
  const Path folder_;
};

}  // namespace headway
