// Passes everything on; tests override what should be different.
#pragma once

#include "lib/base/file_system.h"

namespace headway::testing {

class ForwardingFileSystem : public FileSystem {
 public:
  explicit ForwardingFileSystem(FileSystem& files) : files_(files) {}

  std::optional<FileInfo> info(const Path& path) override { return files_.info(path); }
  std::optional<std::string> read(const Path& path) override { return files_.read(path); }
  std::string read_end(const Path& path, std::size_t most) override {
    return files_.read_end(path, most);
  }
  std::vector<std::string> list(const Path& path) override { return files_.list(path); }
  std::optional<std::string> read_link(const Path& path) override { return files_.read_link(path); }
  Digest digest(const Path& path) override { return files_.digest(path); }
  void write(const Path& path, std::string_view bytes, Durability durability) override {
    files_.write(path, bytes, durability);
  }
  void append(const Path& path, std::string_view bytes) override { files_.append(path, bytes); }
  void copy(const Path& from, const Path& to) override { files_.copy(from, to); }
  void make_directories(const Path& path) override { files_.make_directories(path); }
  void make_link(const Path& target, const Path& path) override { files_.make_link(target, path); }
  void rename(const Path& from, const Path& to) override { files_.rename(from, to); }
  void remove(const Path& path) override { files_.remove(path); }
  void protect(const Path& path) override { files_.protect(path); }
  void sync(const Path& path) override { files_.sync(path); }
  void sync_all(const Path& path) override { files_.sync_all(path); }
  std::unique_ptr<FileLock> try_lock(const Path& path, LockMode mode) override {
    return files_.try_lock(path, mode);
  }
  bool is_locked(const Path& path) override { return files_.is_locked(path); }
  std::int64_t now_ns() override { return files_.now_ns(); }

 private:
  FileSystem& files_;
};

}  // namespace headway::testing
