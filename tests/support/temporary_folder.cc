#include "tests/support/temporary_folder.h"

#include <cstdlib>

#include "lib/base/error.h"

namespace headway::testing {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "headway-spec-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw Error("cannot make a temporary folder");
  path_ = std::filesystem::canonical(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  try {
    RealFileSystem().remove(path_);
  } catch (const std::exception&) {  // leftovers in /tmp must not fail a test
  }
}

Path TemporaryFolder::write(const Path& name, std::string_view text) const {
  RealFileSystem files;
  files.make_directories((path_ / name).parent_path());
  files.write(path_ / name, text, Durability::kCached);
  return path_ / name;
}

std::string TemporaryFolder::read(const Path& name) const {
  return RealFileSystem().read(path_ / name).value_or("");
}

InFolder::InFolder(const Path& folder) : before_(std::filesystem::current_path()) {
  std::filesystem::current_path(folder);
}

InFolder::~InFolder() {
  std::error_code ignored;
  std::filesystem::current_path(before_, ignored);
}

}  // namespace headway::testing
