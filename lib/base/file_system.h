// The file system as the store and the runner see it: a seam, so that every cache rule is tested in
// memory and every failure (disk full, read-only) can be injected. RealFileSystem is the only code
// that touches the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/digest.h"

namespace headway {

using Path = std::filesystem::path;

struct FileInfo {
  enum class Kind { kFile, kDirectory, kSymlink, kOther };
  Kind kind = Kind::kFile;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  bool is_executable = false;  // by its owner; of files
  std::uint64_t links = 1;     // hard links: names that this file has

  bool is_file() const { return kind == Kind::kFile; }
  bool is_directory() const { return kind == Kind::kDirectory; }
};

// Held until destroyed; the kernel lets go of it when the process dies, however it dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class LockMode { kShared, kExclusive };
enum class Durability { kCached, kSynced };  // kSynced survives a power cut

// Every operation that fails throws Error naming the path and the reason. "Not there" is an answer,
// not a failure. What writes never goes through a symbolic link at the end of its path: a link that
// somebody put into the store must not change a file outside of it.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual std::optional<FileInfo> info(const Path& path) = 0;     // does not follow a link
  virtual std::optional<std::string> read(const Path& path) = 0;  // whole file
  virtual std::string read_end(const Path& path,
                               std::size_t most) = 0;  // the last bytes; "" if not there
  virtual std::vector<std::string> list(
      const Path& directory) = 0;  // sorted names; none if not there
  virtual std::optional<std::string> read_link(const Path& path) = 0;
  virtual Digest digest(const Path& file) = 0;

  virtual void write(const Path& path, std::string_view bytes,
                     Durability durability) = 0;  // create or replace
  virtual void append(const Path& path,
                      std::string_view bytes) = 0;  // create or extend, one write call
  // One file; the copy is writable, and executable where the file is.
  virtual void copy(const Path& from, const Path& to) = 0;
  virtual void make_directories(const Path& directory) = 0;
  virtual void make_link(const Path& target, const Path& path) = 0;  // symbolic
  virtual void rename(const Path& from, const Path& to) = 0;         // replaces a file, atomically
  virtual void remove(const Path& path) = 0;   // file or tree; not there is fine
  virtual void protect(const Path& path) = 0;  // file or tree: no longer writable
  virtual void sync(const Path& path) = 0;     // file or directory, to the disk
  // Everything that was written to the file system this path is on, to the disk.
  virtual void sync_all(const Path& path) = 0;

  // Nothing while somebody else holds it. The file is created where it is missing.
  virtual std::unique_ptr<FileLock> try_lock(const Path& path, LockMode mode) = 0;

  virtual std::int64_t now_ns() = 0;  // the clock that stamps files
  // Room left on the disk of a folder.
  virtual std::uint64_t free_bytes(const Path&) { return ~std::uint64_t{0}; }

  bool exists(const Path& path) { return info(path).has_value(); }
  // All of the new contents or all of the old, never a mixture: written beside, then renamed.
  void replace(const Path& path, std::string_view bytes,
               Durability durability = Durability::kCached);
};

class RealFileSystem final : public FileSystem {
 public:
  std::optional<FileInfo> info(const Path& path) override;
  std::optional<std::string> read(const Path& path) override;
  std::string read_end(const Path& path, std::size_t most) override;
  std::vector<std::string> list(const Path& directory) override;
  std::optional<std::string> read_link(const Path& path) override;
  Digest digest(const Path& file) override;
  void write(const Path& path, std::string_view bytes, Durability durability) override;
  void append(const Path& path, std::string_view bytes) override;
  void copy(const Path& from, const Path& to) override;
  void make_directories(const Path& directory) override;
  void make_link(const Path& target, const Path& path) override;
  void rename(const Path& from, const Path& to) override;
  void remove(const Path& path) override;
  void protect(const Path& path) override;
  void sync(const Path& path) override;
  void sync_all(const Path& path) override;
  std::unique_ptr<FileLock> try_lock(const Path& path, LockMode mode) override;
  std::int64_t now_ns() override;
  std::uint64_t free_bytes(const Path& folder) override;
};

}  // namespace headway
