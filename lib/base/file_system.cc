#include "lib/base/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/fs.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "lib/base/descriptor.h"
#include "lib/base/error.h"

namespace headway {
namespace {

[[noreturn]] void fail(std::string_view doing, const Path& path, int error_number = errno) {
  const std::string owner = error_number == EACCES ? owner_of(path) : "";
  throw Error("cannot {} {}: {}{}", doing, path.string(), describe_errno(error_number),
              owner.empty() ? "" : " (it belongs to " + owner + ")");
}

bool not_there(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR;
}

void write_all(int fd, std::string_view bytes, const Path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

Descriptor open_to_write(const Path& path, int how, mode_t mode = 0666) {
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | how, mode));
  if (!fd && errno == ELOOP) throw Error("cannot write {}: it is a symbolic link", path.string());
  if (!fd) fail("write", path);
  return fd;
}

template <class Sink>
void read_all(int fd, const Path& path, std::size_t chunk, Sink sink) {
  std::string buffer(chunk, '\0');
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      fail("read", path);
    }
    if (count == 0) return;
    sink(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
  }
}

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

class HeldFlock final : public FileLock {
 public:
  explicit HeldFlock(Descriptor fd) : fd_(std::move(fd)) {}

 private:
  Descriptor fd_;  // closing it releases the lock
};

}  // namespace

std::string full_disk(FileSystem& files, const Path& folder) {
  const char* set = std::getenv("TMPDIR");
  for (const Path& used : {folder, Path(set && *set ? set : "/tmp")}) {
    if (files.is_full(used)) return "no space left on the disk of " + used.string();
  }
  return "";
}

bool is_temporary_name(std::string_view name) {
  const auto drop_number = [&] {
    const std::size_t end = name.find_last_not_of("0123456789") + 1;
    const bool has_one = end < name.size();
    name = name.substr(0, end);
    return has_one;
  };
  if (!drop_number() || !name.ends_with('-')) return false;
  name.remove_suffix(1);
  return drop_number() && name.ends_with(".tmp-");
}

void FileSystem::replace(const Path& path, std::string_view bytes, Durability durability) {
  static std::atomic<unsigned> counter{0};
  Path temporary = path;
  temporary += fmt::format(".tmp-{}-{}", ::getpid(), counter++);
  try {
    write(temporary, bytes, durability);
    rename(temporary, path);
  } catch (const Error&) {
    try {
      remove(temporary);
    } catch (const Error&) {  // the first failure is the one to report
    }
    throw;
  }
  if (durability == Durability::kSynced)
    sync(path.has_parent_path() ? path.parent_path() : Path("."));
}

void FileSystem::copy_link(const Path& from, const Path& to) {
  const std::optional<std::string> target = read_link(from);
  if (!target) throw Error("{} is not a link", from.string());
  make_link(*target, to);
}

std::optional<FileInfo> RealFileSystem::info(const Path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    if (not_there(errno)) return std::nullopt;
    fail("look at", path);
  }
  FileInfo info;
  info.kind = S_ISREG(status.st_mode)   ? FileInfo::Kind::kFile
              : S_ISDIR(status.st_mode) ? FileInfo::Kind::kDirectory
              : S_ISLNK(status.st_mode) ? FileInfo::Kind::kSymlink
                                        : FileInfo::Kind::kOther;
  info.device = status.st_dev;
  info.inode = status.st_ino;
  info.size = static_cast<std::uint64_t>(status.st_size);
  info.mtime_ns = nanoseconds(status.st_mtim);
  info.ctime_ns = nanoseconds(status.st_ctim);
  info.is_executable = info.is_file() && (status.st_mode & S_IXUSR) != 0;
  info.links = info.is_file() ? status.st_nlink : 1;
  return info;
}

std::optional<std::string> RealFileSystem::read(const Path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    if (not_there(errno)) return std::nullopt;
    fail("read", path);
  }
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) fail("read", path);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(status.st_size));
  const std::size_t chunk =
      std::clamp<std::size_t>(static_cast<std::size_t>(status.st_size) + 1, 512, 1 << 20);
  read_all(fd.get(), path, chunk, [&](std::string_view part) { bytes += part; });
  return bytes;
}

std::string RealFileSystem::read_end(const Path& path, std::size_t most) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    if (not_there(errno)) return "";
    fail("read", path);
  }
  const off_t size = ::lseek(fd.get(), 0, SEEK_END);
  ::lseek(fd.get(), std::max<off_t>(0, size - static_cast<off_t>(most)), SEEK_SET);
  std::string bytes;
  read_all(fd.get(), path, 1 << 14, [&](std::string_view part) { bytes += part; });
  return bytes;
}

std::vector<std::string> RealFileSystem::list(const Path& directory) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entries(directory, error);
  if (error) {
    if (not_there(error.value())) return names;
    fail("list", directory, error.value());
  }
  for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (error) fail("list", directory, error.value());
    names.push_back(entries->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> RealFileSystem::read_link(const Path& path) {
  char target[4096];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length >= 0) return std::string(target, static_cast<std::size_t>(length));
  if (not_there(errno) || errno == EINVAL) return std::nullopt;
  fail("read the link", path);
}

Digest RealFileSystem::digest(const Path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fail("read", file);
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) fail("read", file);
  const std::size_t chunk =
      std::clamp<std::size_t>(static_cast<std::size_t>(status.st_size) + 1, 512, 1 << 18);
  Sha256 hash;
  read_all(fd.get(), file, chunk, [&](std::string_view part) { hash.update(part); });
  return hash.finish();
}

void RealFileSystem::write(const Path& path, std::string_view bytes, Durability durability) {
  const Descriptor fd = open_to_write(path, O_TRUNC);
  write_all(fd.get(), bytes, path);
  if (durability == Durability::kSynced && ::fsync(fd.get()) != 0) fail("sync", path);
}

void RealFileSystem::append(const Path& path, std::string_view bytes) {
  const Descriptor fd = open_to_write(path, O_APPEND);
  write_all(fd.get(), bytes, path);
}

void RealFileSystem::copy(const Path& from, const Path& to) {
  const Descriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in) fail("read", from);
  struct stat status;
  if (::fstat(in.get(), &status) != 0) fail("read", from);
  const Descriptor out = open_to_write(to, O_TRUNC, status.st_mode & S_IXUSR ? 0777 : 0666);
  // Share the blocks if the file system can: that copies nothing.
  if (::ioctl(out.get(), FICLONE, in.get()) == 0) return;
  read_all(in.get(), from, 1 << 18, [&](std::string_view part) { write_all(out.get(), part, to); });
}

void RealFileSystem::make_directories(const Path& directory) {
  if (::mkdir(directory.c_str(), 0777) == 0) return;
  if (errno == ENOENT && directory.has_parent_path()) {
    make_directories(directory.parent_path());
    if (::mkdir(directory.c_str(), 0777) == 0) return;
  }
  const int error_number = errno;
  if (error_number == EEXIST && std::filesystem::is_directory(directory)) return;
  fail("make the folder", directory, error_number);
}

void RealFileSystem::make_link(const Path& target, const Path& path) {
  if (::symlink(target.c_str(), path.c_str()) != 0) fail("make the link", path);
}

void RealFileSystem::copy_link(const Path& from, const Path& to) {
  if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0) == 0) return;
  if (errno == EEXIST) fail("make the link", to);
  FileSystem::copy_link(from, to);  // no hard links here, no more of this one, or another disk
}

void RealFileSystem::rename(const Path& from, const Path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail("rename to", to);
}

// Not std::filesystem::remove_all: it takes three times as many system calls, which every stage
// pays for its work folder, and it stops at read-only folders.
void RealFileSystem::remove(const Path& path) {
  if (::unlink(path.c_str()) == 0 || not_there(errno)) return;
  if (errno != EISDIR && errno != EPERM) fail("remove", path);
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(path.c_str()), ::closedir);
  if (!entries && errno == EACCES && ::chmod(path.c_str(), 0700) == 0)
    entries.reset(::opendir(path.c_str()));
  if (!entries && ::rmdir(path.c_str()) == 0) return;  // empty: it need not be readable
  if (!entries) fail("remove", path);
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const int folder = ::dirfd(entries.get());
    const int how = entry->d_type == DT_DIR ? AT_REMOVEDIR : 0;  // not every file system says it
    if (::unlinkat(folder, entry->d_name, how) == 0) continue;
    // A read-only folder must be made writable before its entries can be removed.
    if (errno == EACCES && ::fchmod(folder, 0700) == 0 &&
        ::unlinkat(folder, entry->d_name, how) == 0)
      continue;
    remove(path / name);
  }
  if (::rmdir(path.c_str()) != 0 && !not_there(errno)) fail("remove", path);
}

void RealFileSystem::protect(const Path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) fail("protect", path);
  if (S_ISLNK(status.st_mode)) return;
  if (S_ISDIR(status.st_mode)) {
    for (const std::string& name : list(path)) protect(path / name);
  }
  mode_t mode = status.st_mode & (07777 & ~0222);
  // The folders of a store that a group shares: its other members may remove them.
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISGID)) mode |= status.st_mode & S_IWGRP;
  if (::chmod(path.c_str(), mode) != 0) fail("protect", path);
}

void RealFileSystem::sync(const Path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) fail("sync", path);
}

void RealFileSystem::sync_all(const Path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || ::syncfs(fd.get()) != 0) fail("sync the file system of", path);
}

std::unique_ptr<FileLock> RealFileSystem::try_lock(const Path& path, LockMode mode) {
  for (;;) {
    Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    // Whoever may only read can still share a lock.
    if (!fd && mode == LockMode::kShared && (errno == EACCES || errno == EROFS))
      fd.reset(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) fail("lock", path);
    if (::flock(fd.get(), (mode == LockMode::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return nullptr;
      if (errno == EINTR) continue;
      fail("lock", path);
    }
    // The previous holder may have removed the file after we opened it. Then nobody else can find
    // the file that we locked: try again with the new one.
    struct stat held, named;
    if (::fstat(fd.get(), &held) != 0) fail("lock", path);
    if (::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev)
      return std::make_unique<HeldFlock>(std::move(fd));
  }
}

bool RealFileSystem::is_locked(const Path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && errno == ENOENT) return false;
  if (!fd) fail("look at the lock", path);
  while (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return true;
    if (errno != EINTR) fail("look at the lock", path);
  }
  return false;
}

std::uint64_t RealFileSystem::free_bytes(const Path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error ? ~std::uint64_t{0} : space.available;
}

std::int64_t RealFileSystem::now_ns() {
  timespec time;
  ::clock_gettime(CLOCK_REALTIME, &time);
  return nanoseconds(time);
}

std::string owner_of(Path path) {
  struct stat status;
  while (::stat(path.c_str(), &status) != 0) {
    if (!path.has_parent_path() || path == path.parent_path()) return "";
    path = path.parent_path();
  }
  const passwd* user = ::getpwuid(status.st_uid);
  const group* users = ::getgrgid(status.st_gid);
  return fmt::format("user {} and group {}", user ? user->pw_name : std::to_string(status.st_uid),
                     users ? users->gr_name : std::to_string(status.st_gid));
}

std::string display_path(const Path& path) {
  std::error_code error;
  const Path relative = path.lexically_relative(std::filesystem::current_path(error));
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace headway
