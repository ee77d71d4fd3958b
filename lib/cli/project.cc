#include "lib/cli/project.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/store/layout.h"

namespace headway {
namespace {

constexpr const char* kMarker = ".headway-project";
constexpr const char* kOutputs = "outputs";

bool is_project(const Path& folder) {
  std::error_code ignored;  // a folder that may not be read is nobody's project
  return std::filesystem::exists(folder / kMarker, ignored) ||
         std::filesystem::is_directory(folder / kOutputs / Layout::kStore, ignored);
}

Path project_of(const Path& start, const Path& otherwise) {
  for (Path folder = start;; folder = folder.parent_path()) {
    if (is_project(folder)) return folder;
    if (folder == folder.root_path()) return otherwise;
  }
}

// The store, or what would have to be written to create it.
Path nearest_existing(const Path& outputs) {
  std::error_code ignored;
  Path folder = Layout(outputs).root();
  while (!std::filesystem::exists(folder, ignored) && folder != folder.root_path())
    folder = folder.parent_path();
  return folder;
}

}  // namespace

Path absolute_path(const Path& path) {
  std::error_code error;
  const Path absolute = std::filesystem::absolute(path, error);
  if (error) throw Error("the folder that headway was called in is gone");
  return absolute.lexically_normal();
}

Path project_root(const std::string& pipeline_file) {
  const Path here = absolute_path(".").parent_path();
  const Path start = pipeline_file.empty() ? here : absolute_path(pipeline_file).parent_path();
  return project_of(start, here);
}

Path project_outputs(const std::string& pipeline_file) {
  const Path here = absolute_path(".").parent_path();
  const Path outputs = project_root(pipeline_file) / kOutputs;
  static std::once_flag said;
  if (outputs != here / kOutputs)
    std::call_once(said, [&] { complain("outputs: {}\n", outputs.string()); });
  return outputs;
}

bool may_write(const Path& outputs) {
  return ::access(nearest_existing(outputs).c_str(), W_OK | X_OK) == 0;
}

void require_writable(const Path& outputs) {
  if (may_write(outputs)) return;
  const bool is_read_only_disk = errno == EROFS;
  const Path folder = nearest_existing(outputs);
  const std::string name = display_path(folder) == "." ? folder.string() : display_path(folder);
  const std::string why = is_read_only_disk ? name + " is on a read-only file system"
                                            : name + " belongs to " + owner_of(folder) +
                                                  ", and you may not write to it";
  if (folder != Layout(outputs).root())
    throw Error("{}; --outputs names another folder for results", why);
  const std::string quoted = quote_for_shell(display_path(outputs));
  throw Error(
      "{}. `status`, `show`, `logs`, `why`, `diff`, `compare` and `export` only read, and so does "
      "`report` where the page is current; --outputs names another folder for results of your "
      "own.{}",
      why,
      is_read_only_disk
          ? ""
          : fmt::format(" To share it with a group, its owner calls: chgrp -R GROUP {0} && chmod "
                        "-R g+rwX {0} && find {0} -type d -exec chmod g+s {{}} +",
                        quoted));
}

void share_with_group(const Path& outputs) {
  struct stat status;
  if (::stat(outputs.c_str(), &status) != 0 || !(status.st_mode & S_ISGID) ||
      !(status.st_mode & S_IWGRP))
    return;
  const mode_t mask = ::umask(077);
  ::umask(mask & ~mode_t{S_IRWXG});
}

}  // namespace headway
