// Files that a pipeline names: parameters that are files, and inputs such as `./data/rows.csv` and
// `./data/*.csv`. Relative paths start from the pipeline file's folder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/file_system.h"
#include "lib/spec/pipeline_spec.h"

namespace headway {

// Whether an entry of `in` is a path, not a stage: a path has a '/'.
bool is_path(std::string_view reference);

class NamedFiles {
 public:
  // `shown`: the folder as the user wrote it, for messages.
  NamedFiles(Path folder, Path shown, FileSystem& files)
      : folder_(std::move(folder)), shown_(std::move(shown)), files_(files) {}

  // Why a file or folder cannot be read, as far as that shows without opening it; "" if it seems
  // readable.
  std::string problem(const std::string& name) const;

  // Whether it is a file beside the pipeline, or in a folder there; links are followed. Quick for
  // words that are none.
  bool is_file_nearby(const std::string& word);

  // The files that an input names. In the last part of a path, and in folders on the way, `*`
  // stands for any characters and `?` for one; names that begin with a dot do not match. Throws
  // Error if there is no such file. Each text is looked up once.
  std::shared_ptr<const InputFiles> find(const std::string& written);

 private:
  std::optional<FileInfo> info_behind_links(Path path) const;
  InputFiles::File read(const Path& path, std::string item) const;
  // Adds all that match `rest` in the folder `found`, sorted by name.
  void match(const Path& found, std::span<const std::string> rest, const std::string& item,
             InputFiles& result) const;

  const Path folder_;
  const Path shown_;
  FileSystem& files_;
  std::map<std::string, std::shared_ptr<const InputFiles>> found_;
  std::optional<std::set<std::string>> nearby_;  // names in the folder
};

}  // namespace headway
