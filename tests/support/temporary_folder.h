// A folder for one test, removed at its end.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/file_system.h"

namespace headway::testing {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const Path& path() const { return path_; }
  Path operator/(const Path& name) const { return path_ / name; }
  // Writes a file and creates its folders.
  Path write(const Path& name, std::string_view text) const;
  std::string read(const Path& name) const;  // "" if it does not exist

 private:
  Path path_;
};

// Changes the working directory while it exists.
class InFolder {
 public:
  explicit InFolder(const Path& folder);
  ~InFolder();
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  Path before_;
};

}  // namespace headway::testing
