// A file system in memory: inodes, links, locks, permissions, durable and cached contents, and a
// clock that only tests move. Behaves and fails like RealFileSystem; thread-safe.
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
  bool is_locked(const Path& path) override;
  std::int64_t now_ns() override;

  // ---- for tests ----

  void advance(double seconds);
  // Also creates the folders.
  void put(const Path& path, std::string_view bytes);
  // Changes contents but not size, mtime and ctime: silent corruption.
  void rot(const Path& path, std::string_view bytes);
  // Like `touch -r` after an edit: the old mtime, but a new ctime.
  void edit_keeping_mtime(const Path& path, std::string_view bytes);
  bool is_protected(const Path& path);
  void make_executable(const Path& path);
  // Every file, folder and link below, with its contents, except names that start with `leave_out`.
  std::map<std::string, std::string> tree(const Path& folder, const std::string& leave_out = "");
  // From now on everybody is root, for whom permissions do not count.
  void become_root();
  // A sync of the file ("/": of all files) fails: what was not on disk is lost unless it is written
  // again.
  void lose_unsynced(const Path& path);

  DiskState state();
  // Like a reboot with this on disk: locks are gone, the clock goes on.
  void restore(const DiskState& state);
  // Adds every further change to `moments`; null: stops.
  void record(std::vector<Moment>* moments);

  // The files that digest() has read since the last call.
  std::vector<std::string> take_digested();

 private:
  friend class MemoryLock;
  using Number = std::uint64_t;  // inode number; 0: none
  struct LockState {
    int sharers = 0;
    bool is_locked = false;  // exclusively
  };
  struct Place {  // a path's folder, name and inode, if it exists
    Number folder;
    std::string name;
    Number inode;
  };

  // All below expect mutex_ to be held.
  std::int64_t tick();
  const Inode& at(Number number) const { return *disk_.inodes[number]; }
  bool is_closed(Number number) const { return at(number).is_protected && !is_root_; }
  Inode& change(Number number);
  void touch(Number number);  // sets mtime and ctime
  void note(std::string_view change, const Path& path);
  Number add(Number folder, const std::string& name, FileInfo::Kind kind, std::string bytes = "");
  void release(Number number);  // frees the inode
  void remove_tree(const Place& place, const Path& path);
  void set_bytes(Number number, std::string_view bytes, std::size_t durable);
  Number new_inode(FileInfo::Kind kind);
  Number find(const Path& path, bool follow_last);
  Number find(std::string path, bool follow_last);  // an absolute path
  Place place_of(const Path& path, std::string_view doing);
  Number open_to_write(const Path& path, std::string_view doing);
  void collect(Number number, const std::string& name, const std::string& leave_out,
               std::map<std::string, std::string>& to);
  void protect_tree(Number number, const Path& path);

  std::mutex mutex_;
  DiskState disk_;
  std::set<Number> free_;  // freed inode numbers; the lowest is reused first
  std::map<Number, std::shared_ptr<LockState>> locks_;
  std::vector<Moment>* moments_ = nullptr;
  bool is_root_ = false;
  std::vector<std::string> digested_;
};

}  // namespace headway::testing
