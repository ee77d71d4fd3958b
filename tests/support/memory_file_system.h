// A file system in memory, for tests: inodes, links, locks, protection, what is on the disk and
// what only in the cache, and a clock that only tests move. Answers and fails as RealFileSystem
// does; thread safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "lib/base/file_system.h"
#include "tests/support/disk_state.h"

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
  // Everybody is root from now on, whom protection does not stop.
  void become_root();
  // A sync of the file, or with "/" of everything, fails: what was not on the disk never gets there
  // unless it is written again.
  void lose_unsynced(const Path& path);

  DiskState state();
  // As a machine that starts again with this on its disk: the locks are gone, the clock goes on.
  void restore(const DiskState& state);
  // From now on, every change is added to `moments`; null: no longer.
  void record(std::vector<Moment>* moments);

  // The files that digest() has read since the last call.
  std::vector<std::string> take_digested();

 private:
  friend class MemoryLock;
  using Number = std::uint64_t;  // of an inode; 0: none
  struct LockState {
    int sharers = 0;
    bool is_locked = false;  // exclusively
  };
  struct Place {  // where a path leads: the folder, the name in it, and what is there, if anything
    Number folder;
    std::string name;
    Number inode;
  };

  // All below are called with mutex_ held.
  std::int64_t tick();
  const Inode& at(Number number) const { return *disk_.inodes[number]; }
  bool is_closed(Number number) const { return at(number).is_protected && !is_root_; }
  Inode& change(Number number);
  void touch(Number number);  // mtime and ctime
  void note(std::string_view change, const Path& path);
  Number add(Number folder, const std::string& name, FileInfo::Kind kind, std::string bytes = "");
  void release(Number number);  // the inode
  void remove_tree(const Place& place, const Path& path);
  void set_bytes(Number number, std::string_view bytes, std::size_t durable);
  Number new_inode(FileInfo::Kind kind);
  Number find(const Path& path, bool follow_last);
  Place place_of(const Path& path, std::string_view doing);
  Number open_to_write(const Path& path, std::string_view doing);
  void collect(Number number, const std::string& name, const std::string& leave_out,
               std::map<std::string, std::string>& to);
  void protect_tree(Number number, const Path& path);

  std::mutex mutex_;
  DiskState disk_;
  std::set<Number> free_;  // inodes that were used before: the lowest is used again first
  std::map<Number, std::shared_ptr<LockState>> locks_;
  std::vector<Moment>* moments_ = nullptr;
  bool is_root_ = false;
  std::vector<std::string> digested_;
};

}  // namespace headway::testing
