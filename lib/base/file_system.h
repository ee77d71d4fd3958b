// The file system behind an interface, so that tests can run the cache rules in memory and inject
// failures such as a full disk. Code without such tests uses RealFileSystem directly.
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
  bool is_executable = false;  // a file that its owner may execute
  std::uint64_t links = 1;     // hard links to this file

  bool is_file() const { return kind == Kind::kFile; }
  bool is_directory() const { return kind == Kind::kDirectory; }
};

// A lock, held until this object is destroyed. The kernel releases it when the process dies,
// however it dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class LockMode { kShared, kExclusive };
enum class Durability { kCached, kSynced };  // kSynced survives a power cut

// Unless stated otherwise, an operation that fails throws an Error that names the path and the
// reason. Safe to call from several threads. Operations that write never follow a symbolic link at
// the end of the path: a link that somebody put into the store must not change a file outside it.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Nothing if there is no such file. Describes a link itself, not what it leads to.
  virtual std::optional<FileInfo> info(const Path& path) = 0;
  // The whole file; nothing if there is no such file.
  virtual std::optional<std::string> read(const Path& path) = 0;
  // The last `most` bytes; "" if there is no such file.
  virtual std::string read_end(const Path& path, std::size_t most) = 0;
  // The names in a folder, sorted; none if there is no such folder.
  virtual std::vector<std::string> list(const Path& directory) = 0;
  // The target of a symbolic link; nothing if the path is not a link.
  virtual std::optional<std::string> read_link(const Path& path) = 0;
  // Reads the file, following links; throws if there is no such file.
  virtual Digest digest(const Path& file) = 0;

  // Creates or overwrites a file. Not atomic: see replace().
  virtual void write(const Path& path, std::string_view bytes, Durability durability) = 0;
  // Creates or extends a file, with one write call if the disk is not full.
  virtual void append(const Path& path, std::string_view bytes) = 0;
  // Copies one file. The copy is writable, and executable if the original is.
  virtual void copy(const Path& from, const Path& to) = 0;
  // Creates a folder and its parents; does nothing if it exists.
  virtual void make_directories(const Path& directory) = 0;
  // Creates a symbolic link; throws if `path` exists.
  virtual void make_link(const Path& target, const Path& path) = 0;
  // Creates a symbolic link with the target of the link `from`; throws if `to` exists. The two may
  // share an inode, which costs less: what a link says never changes, and to replace one of them
  // leaves the other as it is.
  virtual void copy_link(const Path& from, const Path& to);
  // Atomic; replaces a file at `to`.
  virtual void rename(const Path& from, const Path& to) = 0;
  // Removes a file, or a folder with its contents; does nothing if it does not exist.
  virtual void remove(const Path& path) = 0;
  // Makes a file, or everything in a folder, read-only.
  virtual void protect(const Path& path) = 0;
  // Waits until a file, or the entries of a folder, are on the disk.
  virtual void sync(const Path& path) = 0;
  // Waits until everything written to the path's file system is on the disk.
  virtual void sync_all(const Path& path) = 0;

  // Creates the file if it does not exist. Null if another holder excludes this lock; does not
  // wait. A shared lock of a file that exists needs no right to write.
  virtual std::unique_ptr<FileLock> try_lock(const Path& path, LockMode mode) = 0;

  // Whether somebody holds the file's lock exclusively; false if there is no such file. Creates
  // nothing. For a moment it may keep others from an exclusive lock.
  virtual bool is_locked(const Path& path) = 0;

  // The clock that stamps files.
  virtual std::int64_t now_ns() = 0;
  // Free space on the disk of a folder; the largest number if unknown.
  virtual std::uint64_t free_bytes(const Path&) { return ~std::uint64_t{0}; }

  // Programs may have lost part of what they wrote to a disk with so little space.
  bool is_full(const Path& folder) { return free_bytes(folder) < (64 << 10); }
  bool exists(const Path& path) { return info(path).has_value(); }
  // Creates or replaces a file atomically: a reader finds all of the old contents or all of the
  // new.
  void replace(const Path& path, std::string_view bytes,
               Durability durability = Durability::kCached);
};

// After a program has run: whether the disk of its folder, or that of temporary files, is full. It
// may then have written half a file without noticing. "no space left on the disk of /tmp"; "": no.
std::string full_disk(FileSystem& files, const Path& folder);

// Whether replace() gives a file such a name while it writes it. A killed process leaves it behind.
bool is_temporary_name(std::string_view name);

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
  void copy_link(const Path& from, const Path& to) override;
  void rename(const Path& from, const Path& to) override;
  void remove(const Path& path) override;
  void protect(const Path& path) override;
  void sync(const Path& path) override;
  void sync_all(const Path& path) override;
  std::unique_ptr<FileLock> try_lock(const Path& path, LockMode mode) override;
  bool is_locked(const Path& path) override;
  std::int64_t now_ns() override;
  std::uint64_t free_bytes(const Path& folder) override;
};

// For messages: "user alice and group lab", of the path or, if it does not exist, of the nearest
// folder above it; "" if that is unknown.
std::string owner_of(Path path);

// A path as a person would type it: relative to the current folder where it lies below it.
std::string display_path(const Path& path);

}  // namespace headway
