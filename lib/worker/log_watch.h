// Follows the log of a running command, for its progress. The command writes to the file itself, so
// nothing is lost and nothing waits if we are slow or die.
#pragma once

#include <sys/types.h>

#include <optional>

#include "lib/base/descriptor.h"
#include "lib/base/file_system.h"
#include "lib/worker/progress_reader.h"

namespace headway {

class LogWatch {
 public:
  // Watches what is written after the present end of the file. A file that cannot be read has no
  // progress, which is no failure.
  explicit LogWatch(const Path& log);

  // The progress, if it has changed since the last call. Reads only what is new, and of that only
  // the last 64 KiB; without anything new, one fstat.
  std::optional<CommandProgress> look();

 private:
  const Descriptor log_;
  off_t read_ = 0;  // up to here
  ProgressReader reader_;
  CommandProgress last_;
};

}  // namespace headway
