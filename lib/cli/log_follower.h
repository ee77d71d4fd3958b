// Reads a log while it grows, through all attempts at its stage.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/descriptor.h"
#include "lib/base/file_system.h"

namespace headway {

class LogFollower {
 public:
  explicit LogFollower(Path log) : log_(std::move(log)) {}

  const Path& path() const { return log_; }
  // What was written since the last call; "" if there is nothing, or no file yet. Each attempt has
  // a new file that begins with what the one before printed (run/attempt_log.h); that is not
  // returned again.
  std::string take();

 private:
  std::string read_rest();
  std::string kept_by_next() const;

  const Path log_;
  Descriptor file_;
  std::uint64_t offset_ = 0;
};

}  // namespace headway
