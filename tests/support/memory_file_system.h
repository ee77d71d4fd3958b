// A file system in memory, for tests: inodes, links, locks, protection and a clock that only tests
// move. Answers and fails as RealFileSystem does; thread safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/file_system.h"

namespace headway::testing {

class MemoryFileSystem final : public FileSystem {
 public:
  MemoryFileSystem();

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

  // ---- what only tests do ----

  void advance(double seconds);
  // Creates the folders too.
  void put(const Path& path, std::string_view bytes);
  // Other contents under the same size, mtime and ctime: a disk that forgets.
  void rot(const Path& path, std::string_view bytes);
  // As `touch -r` after an edit: the old mtime, but a new ctime.
  void edit_keeping_mtime(const Path& path, std::string_view bytes);
  bool is_protected(const Path& path);
  void make_executable(const Path& path);
  // Every file, folder and link below, with its contents; names for which `leave_out` is a prefix
  // are left out.
  std::map<std::string, std::string> tree(const Path& folder, const std::string& leave_out = "");
  // The files that digest() has read since the last call.
  std::vector<std::string> take_digested();

 private:
  friend class MemoryLock;
  struct Node;
  using NodePtr = std::shared_ptr<Node>;
  struct Place {  // where a path leads: the folder, the name in it, and what is there, if anything
    NodePtr folder;
    std::string name;
    NodePtr node;
  };

  // All below are called with mutex_ held.
  std::int64_t tick();
  NodePtr new_node(FileInfo::Kind kind);
  NodePtr find(const Path& path, bool follow_last);
  Place place_of(const Path& path, bool follow_last, std::string_view doing);
  NodePtr open_to_write(const Path& path, std::string_view doing);
  void collect(const NodePtr& node, const std::string& name, const std::string& leave_out,
               std::map<std::string, std::string>& to);
  void protect_tree(const NodePtr& node);

  std::mutex mutex_;
  std::int64_t clock_ns_ = 1'700'000'000'000'000'000;
  std::uint64_t next_inode_ = 1;
  NodePtr root_;
  std::vector<std::string> digested_;
};

}  // namespace headway::testing
