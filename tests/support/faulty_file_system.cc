#include "tests/support/faulty_file_system.h"

#include <fmt/format.h>

#include <cerrno>

namespace headway::testing {

void FaultyFileSystem::fill_disk_at(std::size_t n, bool stays) {
  const std::lock_guard lock(mutex_);
  full_at_ = n;
  stays_full_ = stays;
}

void FaultyFileSystem::make_read_only(const Path& path) {
  const std::lock_guard lock(mutex_);
  read_only_ = path;
}

void FaultyFileSystem::crash_at(std::size_t n, bool torn) {
  const std::lock_guard lock(mutex_);
  crash_at_ = n;
  crash_torn_ = torn;
}

void FaultyFileSystem::break_at(std::size_t n, bool stays) {
  const std::lock_guard lock(mutex_);
  broken_at_ = n;
  stays_broken_ = stays;
}

void FaultyFileSystem::break_path(const Path& path) {
  const std::lock_guard lock(mutex_);
  broken_path_ = path;
}

void FaultyFileSystem::heal() {
  const std::lock_guard lock(mutex_);
  full_at_ = crash_at_ = broken_at_ = kNever;
  stays_full_ = crash_torn_ = crashed_ = stays_broken_ = has_failed_ = false;
  read_only_.clear();
  broken_path_.clear();
  failed_path_.clear();
  operations_ = writes_ = 0;
}

bool FaultyFileSystem::has_failed() {
  const std::lock_guard lock(mutex_);
  return has_failed_;
}

Path FaultyFileSystem::failed_path() {
  const std::lock_guard lock(mutex_);
  return failed_path_;
}

std::size_t FaultyFileSystem::operations() {
  const std::lock_guard lock(mutex_);
  return operations_;
}

std::size_t FaultyFileSystem::writes() {
  const std::lock_guard lock(mutex_);
  return writes_;
}

void FaultyFileSystem::throw_fault(const char* doing, const Path& path, int error_number) {
  throw Error(fmt::format("cannot {} {}: {}", doing, path.string(), describe_errno(error_number)));
}

void FaultyFileSystem::throw_torn(const char* doing, const Path& path) {
  const std::lock_guard lock(mutex_);
  throw_fault(doing, path, torn_because_);
}

bool FaultyFileSystem::is_broken(std::size_t operation, const Path& path) {
  if (operation == broken_at_ && stays_broken_) broken_path_ = path;
  if (operation != broken_at_ && path != broken_path_) return false;
  if (failed_path_.empty()) failed_path_ = path;
  return true;
}

FaultyFileSystem::Verdict FaultyFileSystem::judge(Kind kind, const char* doing, const Path& path) {
  std::unique_lock lock(mutex_);
  const std::size_t operation = operations_++;
  if (before) {
    lock.unlock();
    before(operation, doing);
    lock.lock();
  }
  const std::size_t write = kind == Kind::kNeedsSpace ? writes_++ : kNever - 1;
  if (crashed_) throw_fault(doing, path, EIO);
  const auto tear = [&](int error_number) {
    has_failed_ = true;
    torn_because_ = error_number;
    return Verdict::kTorn;
  };
  if (operation >= crash_at_) {
    crashed_ = has_failed_ = true;
    if (crash_torn_) return tear(EIO);
    throw_fault(doing, path, EIO);
  }
  if (is_broken(operation, path)) return tear(EIO);
  if (kind == Kind::kRead) return Verdict::kGo;
  if (!read_only_.empty() && (path.string() + "/").starts_with(read_only_.string() + "/")) {
    has_failed_ = true;
    throw_fault(doing, path, EROFS);
  }
  if (kind == Kind::kNeedsSpace && (write == full_at_ || (stays_full_ && write > full_at_)))
    return tear(ENOSPC);
  return Verdict::kGo;
}

std::optional<FileInfo> FaultyFileSystem::info(const Path& path) {
  if (judge(Kind::kRead, "look at", path) == Verdict::kTorn) throw_torn("look at", path);
  return files_.info(path);
}

std::optional<std::string> FaultyFileSystem::read(const Path& path) {
  if (judge(Kind::kRead, "read", path) == Verdict::kTorn) throw_torn("read", path);
  return files_.read(path);
}

std::string FaultyFileSystem::read_end(const Path& path, std::size_t most) {
  if (judge(Kind::kRead, "read", path) == Verdict::kTorn) throw_torn("read", path);
  return files_.read_end(path, most);
}

std::vector<std::string> FaultyFileSystem::list(const Path& directory) {
  if (judge(Kind::kRead, "list", directory) == Verdict::kTorn) throw_torn("list", directory);
  return files_.list(directory);
}

std::optional<std::string> FaultyFileSystem::read_link(const Path& path) {
  if (judge(Kind::kRead, "read the link", path) == Verdict::kTorn)
    throw_torn("read the link", path);
  return files_.read_link(path);
}

Digest FaultyFileSystem::digest(const Path& file) {
  if (judge(Kind::kRead, "read", file) == Verdict::kTorn) throw_torn("read", file);
  return files_.digest(file);
}

void FaultyFileSystem::write(const Path& path, std::string_view bytes, Durability durability) {
  const bool torn = judge(Kind::kNeedsSpace, "write", path) == Verdict::kTorn;
  files_.write(path, torn ? bytes.substr(0, bytes.size() / 2) : bytes,
               torn ? Durability::kCached : durability);
  if (torn) throw_torn("write", path);
}

void FaultyFileSystem::append(const Path& path, std::string_view bytes) {
  const bool torn = judge(Kind::kNeedsSpace, "write", path) == Verdict::kTorn;
  files_.append(path, torn ? bytes.substr(0, bytes.size() / 2) : bytes);
  if (torn) throw_torn("write", path);
}

void FaultyFileSystem::copy(const Path& from, const Path& to) {
  const bool torn = judge(Kind::kNeedsSpace, "write", to) == Verdict::kTorn;
  files_.copy(from, to);
  if (!torn) return;
  const std::string bytes = files_.read(to).value_or("");
  files_.write(to, bytes.substr(0, bytes.size() / 2), Durability::kCached);
  throw_torn("write", to);
}

void FaultyFileSystem::make_directories(const Path& directory) {
  if (judge(Kind::kNeedsSpace, "make the folder", directory) == Verdict::kTorn)
    throw_torn("make the folder", directory);
  files_.make_directories(directory);
}

void FaultyFileSystem::make_link(const Path& target, const Path& path) {
  if (judge(Kind::kNeedsSpace, "make the link", path) == Verdict::kTorn)
    throw_torn("make the link", path);
  files_.make_link(target, path);
}

void FaultyFileSystem::rename(const Path& from, const Path& to) {
  if (judge(Kind::kNeedsSpace, "rename to", to) == Verdict::kTorn) throw_torn("rename to", to);
  files_.rename(from, to);
}

void FaultyFileSystem::remove(const Path& path) {
  if (judge(Kind::kChange, "remove", path) == Verdict::kTorn) throw_torn("remove", path);
  files_.remove(path);
}

void FaultyFileSystem::protect(const Path& path) {
  if (judge(Kind::kChange, "protect", path) == Verdict::kTorn) throw_torn("protect", path);
  files_.protect(path);
}

void FaultyFileSystem::sync(const Path& path) {
  if (judge(Kind::kRead, "sync", path) == Verdict::kTorn) {
    if (sync_failed) sync_failed(path);
    throw_torn("sync", path);
  }
  files_.sync(path);
}

void FaultyFileSystem::sync_all(const Path& path) {
  if (judge(Kind::kRead, "sync", path) == Verdict::kTorn) {
    if (sync_failed) sync_failed("/");
    throw_torn("sync", path);
  }
  files_.sync_all(path);
}

std::unique_ptr<FileLock> FaultyFileSystem::try_lock(const Path& path, LockMode mode) {
  if (judge(Kind::kNeedsSpace, "lock", path) == Verdict::kTorn) throw_torn("lock", path);
  std::unique_ptr<FileLock> held = files_.try_lock(path, mode);
  if (!held && lock_refused) lock_refused(path);
  return held;
}

bool FaultyFileSystem::is_locked(const Path& path) {
  if (judge(Kind::kRead, "look at", path) == Verdict::kTorn) throw_torn("look at", path);
  return files_.is_locked(path);
}

// Not a file operation, so it neither fails nor counts.
std::int64_t FaultyFileSystem::now_ns() {
  return files_.now_ns();
}

}  // namespace headway::testing
