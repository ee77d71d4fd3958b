// Wraps a file system and fails on demand: a full, read-only or bad disk, or a killed process. Also
// calls back, for tests that act in between.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "lib/base/error.h"
#include "lib/base/file_system.h"

namespace headway::testing {

class FaultyFileSystem final : public FileSystem {
 public:
  explicit FaultyFileSystem(FileSystem& files) : files_(files) {}

  // The n-th operation (from 0) that needs space fails, with half of its bytes written; with
  // `stays`, all later ones too.
  void fill_disk_at(std::size_t n, bool stays);
  // Every change below the path fails: "read-only file system".
  void make_read_only(const Path& path);
  // From the n-th operation of any kind (from 0) on, nothing happens any more; with `torn`, half of
  // that write does.
  void crash_at(std::size_t n, bool torn);
  // The n-th operation of any kind (from 0) fails: "input/output error"; half of a write is done.
  // With `stays`, all later ones on the same path fail too.
  void break_at(std::size_t n, bool stays);
  void break_path(const Path& path);
  void heal();  // also restarts the count at 0

  bool has_failed();
  Path failed_path();        // the first one; empty if none
  std::size_t operations();  // since the last heal()
  std::size_t writes();

  // Set these before starting threads. They are called without a lock: before each operation; when
  // a sync fails; when a lock is held elsewhere.
  std::function<void(std::size_t operation, std::string_view doing)> before;
  std::function<void(const Path& path)> sync_failed;
  std::function<void(const Path& path)> lock_refused;

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

 private:
  enum class Kind { kRead, kNeedsSpace, kChange };
  enum class Verdict { kGo, kTorn };
  // Throws if the operation fails; kTorn: do half of it, then call throw_fault().
  Verdict judge(Kind kind, const char* doing, const Path& path);
  bool is_broken(std::size_t operation, const Path& path);
  [[noreturn]] static void throw_fault(const char* doing, const Path& path, int error_number);
  [[noreturn]] void throw_torn(const char* doing, const Path& path);

  FileSystem& files_;
  std::mutex mutex_;
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  std::size_t full_at_ = kNever;
  bool stays_full_ = false;
  std::size_t crash_at_ = kNever;
  bool crash_torn_ = false;
  bool crashed_ = false;
  std::size_t broken_at_ = kNever;
  bool stays_broken_ = false;
  Path broken_path_;
  bool has_failed_ = false;
  Path failed_path_;
  int torn_because_ = 0;  // errno of the last kTorn
  Path read_only_;
  std::size_t operations_ = 0;
  std::size_t writes_ = 0;
};

}  // namespace headway::testing
