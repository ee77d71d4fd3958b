#include "tests/support/memory_file_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lib/base/error.h"

namespace headway::testing {
namespace {

constexpr std::int64_t kTickNs = 1000;  // the clock advances with every change
constexpr int kMostLinks = 40;
constexpr std::uint64_t kRoot = 1;

[[noreturn]] void fail(std::string_view doing, const Path& path, int error_number) {
  throw Error(fmt::format("cannot {} {}: {}", doing, path.string(), describe_errno(error_number)));
}

std::string absolute_text(const Path& path) {
  return path.is_absolute() ? path.native() : std::filesystem::absolute(path).native();
}

bool is_link(const Inode& inode) {
  return inode.info.kind == FileInfo::Kind::kSymlink;
}

}  // namespace

class MemoryLock final : public FileLock {
 public:
  MemoryLock(MemoryFileSystem& files, std::shared_ptr<MemoryFileSystem::LockState> state,
             LockMode mode)
      : files_(files), state_(std::move(state)), mode_(mode) {}
  ~MemoryLock() override {
    const std::lock_guard lock(files_.mutex_);
    if (mode_ == LockMode::kShared) {
      --state_->sharers;
    } else {
      state_->is_locked = false;
    }
  }

 private:
  MemoryFileSystem& files_;
  std::shared_ptr<MemoryFileSystem::LockState> state_;
  const LockMode mode_;
};

MemoryFileSystem::MemoryFileSystem() {
  disk_.clock_ns = 1'700'000'000'000'000'000;
  disk_.inodes.resize(1);
  new_inode(FileInfo::Kind::kDirectory);
}

std::int64_t MemoryFileSystem::tick() {
  return disk_.clock_ns += kTickNs;
}

// Copies the inode if a state shares it.
Inode& MemoryFileSystem::change(Number number) {
  std::shared_ptr<Inode>& inode = disk_.inodes[number];
  if (inode.use_count() > 1) inode = std::make_shared<Inode>(*inode);
  return *inode;
}

void MemoryFileSystem::touch(Number number) {
  Inode& inode = change(number);
  inode.info.mtime_ns = inode.info.ctime_ns = tick();
}

void MemoryFileSystem::note(std::string_view change, const Path& path) {
  if (moments_) moments_->push_back({disk_, fmt::format("{} {}", change, path.string())});
}

MemoryFileSystem::Number MemoryFileSystem::new_inode(FileInfo::Kind kind) {
  Number number = disk_.inodes.size();
  if (free_.empty()) {
    disk_.inodes.emplace_back();
  } else {
    number = *free_.begin();
    free_.erase(free_.begin());
  }
  auto inode = std::make_shared<Inode>();
  inode->info.kind = kind;
  inode->info.device = 1;
  inode->info.inode = number;
  inode->info.mtime_ns = inode->info.ctime_ns = tick();
  disk_.inodes[number] = std::move(inode);
  return number;
}

MemoryFileSystem::Number MemoryFileSystem::add(Number folder, const std::string& name,
                                               FileInfo::Kind kind, std::string bytes) {
  const Number number = new_inode(kind);
  change(number).bytes = std::move(bytes);
  change(folder).entries[name] = number;
  touch(folder);
  return number;
}

// Sets the contents of a file. Links are complete or absent.
void MemoryFileSystem::set_bytes(Number number, std::string_view bytes, std::size_t durable) {
  Inode& inode = change(number);
  inode.bytes = bytes;
  inode.durable = durable;
  inode.is_lost = false;
  touch(number);
}

// 0 if the path does not exist. As text, because a run of a thousand stages that each read a
// thousand looks up millions of paths.
MemoryFileSystem::Number MemoryFileSystem::find(std::string path, bool follow_last) {
  std::vector<Number> stack{kRoot};
  int links = 0;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (stack.size() > 1) stack.pop_back();
      continue;
    }
    const Inode& folder = at(stack.back());
    if (!folder.info.is_directory()) return 0;
    const auto found = folder.entries.find(part);
    if (found == folder.entries.end()) return 0;
    const Number number = found->second;
    if (!is_link(at(number)) || (end == path.size() && !follow_last)) {
      stack.push_back(number);
      continue;
    }
    if (++links > kMostLinks) fail("look at", path, ELOOP);
    const std::string& target = at(number).bytes;
    if (target.starts_with('/')) stack.resize(1);
    path = end < path.size() ? target + path.substr(end) : target;
    begin = 0;
  }
  return stack.back();
}

MemoryFileSystem::Number MemoryFileSystem::find(const Path& path, bool follow_last) {
  return find(absolute_text(path), follow_last);
}

MemoryFileSystem::Place MemoryFileSystem::place_of(const Path& path, std::string_view doing) {
  const std::string place = absolute_text(path);
  const std::size_t slash = place.rfind('/');
  const Number folder = find(place.substr(0, slash), true);
  if (!folder) fail(doing, path, ENOENT);
  if (!at(folder).info.is_directory()) fail(doing, path, ENOTDIR);
  return {folder, place.substr(slash + 1), find(place, false)};
}

MemoryFileSystem::Number MemoryFileSystem::open_to_write(const Path& path, std::string_view doing) {
  const Place place = place_of(path, doing);
  if (place.inode) {
    if (is_link(at(place.inode)))
      throw Error(fmt::format("cannot {} {}: it is a symbolic link", doing, path.string()));
    if (at(place.inode).info.is_directory()) fail(doing, path, EISDIR);
    if (is_closed(place.inode)) fail(doing, path, EACCES);
    return place.inode;
  }
  if (is_closed(place.folder)) fail(doing, path, EACCES);
  const Number number = add(place.folder, place.name, FileInfo::Kind::kFile);
  note("create", path);
  return number;
}

std::optional<FileInfo> MemoryFileSystem::info(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, false);
  if (!number) return std::nullopt;
  FileInfo info = at(number).info;
  info.size = at(number).bytes.size();
  return info;
}

std::optional<std::string> MemoryFileSystem::read(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, true);
  if (!number) return std::nullopt;
  if (at(number).info.is_directory()) fail("read", path, EISDIR);
  return at(number).bytes;
}

std::string MemoryFileSystem::read_end(const Path& path, std::size_t most) {
  const std::string bytes = read(path).value_or("");
  return bytes.substr(bytes.size() > most ? bytes.size() - most : 0);
}

std::vector<std::string> MemoryFileSystem::list(const Path& directory) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  const Number number = find(directory, true);
  if (!number) return names;
  for (const auto& [name, entry] : at(number).entries) names.push_back(name);
  return names;
}

std::optional<std::string> MemoryFileSystem::read_link(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, false);
  return number && is_link(at(number)) ? std::optional(at(number).bytes) : std::nullopt;
}

Digest MemoryFileSystem::digest(const Path& file) {
  const std::lock_guard lock(mutex_);
  const Number number = find(file, true);
  if (!number) fail("read", file, ENOENT);
  if (at(number).info.is_directory()) fail("read", file, EISDIR);
  digested_.push_back(file.string());
  return digest_of(at(number).bytes);
}

void MemoryFileSystem::write(const Path& path, std::string_view bytes, Durability durability) {
  const std::lock_guard lock(mutex_);
  set_bytes(open_to_write(path, "write"), bytes,
            durability == Durability::kSynced ? bytes.size() : 0);
  note("write", path);
}

void MemoryFileSystem::append(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const Number number = open_to_write(path, "write");
  change(number).bytes += bytes;
  touch(number);
  note("append to", path);
}

void MemoryFileSystem::copy(const Path& from, const Path& to) {
  const std::lock_guard lock(mutex_);
  const Number source = find(from, true);
  if (!source) fail("read", from, ENOENT);
  if (at(source).info.is_directory()) fail("read", from, EISDIR);
  const std::string bytes = at(source).bytes;
  const Number target = open_to_write(to, "write");
  set_bytes(target, bytes, 0);
  change(target).info.is_executable = at(source).info.is_executable;
  note("copy to", to);
}

void MemoryFileSystem::make_directories(const Path& directory) {
  const std::lock_guard lock(mutex_);
  Path here = "/";
  for (const Path& part : std::filesystem::absolute(directory).lexically_normal().relative_path()) {
    if (part.empty()) continue;
    const Number parent = find(here, true);
    here /= part;
    if (const Number there = find(here, true)) {
      if (!at(there).info.is_directory())
        fail("make the folder", directory, here == directory ? EEXIST : ENOTDIR);
      continue;
    }
    if (at(parent).entries.contains(part.string()))
      fail("make the folder", directory, EEXIST);  // a dangling link
    if (is_closed(parent)) fail("make the folder", directory, EACCES);
    add(parent, part.string(), FileInfo::Kind::kDirectory);
    note("make the folder", here);
  }
}

void MemoryFileSystem::make_link(const Path& target, const Path& path) {
  const std::lock_guard lock(mutex_);
  const Place place = place_of(path, "make the link");
  if (place.inode) fail("make the link", path, EEXIST);
  if (is_closed(place.folder)) fail("make the link", path, EACCES);
  add(place.folder, place.name, FileInfo::Kind::kSymlink, target.string());
  note("make the link", path);
}

void MemoryFileSystem::rename(const Path& from, const Path& to) {
  const std::lock_guard lock(mutex_);
  const Place source = place_of(from, "rename to");
  const Place target = place_of(to, "rename to");
  if (!source.inode) fail("rename to", to, ENOENT);
  if (source.inode == target.inode) return;
  const bool moves_folder = at(source.inode).info.is_directory();
  if (is_closed(source.folder) || is_closed(target.folder)) fail("rename to", to, EACCES);
  if (moves_folder && is_closed(source.inode) && source.folder != target.folder)
    fail("rename to", to, EACCES);
  if (target.inode && at(target.inode).info.is_directory()) {
    if (!moves_folder) fail("rename to", to, EISDIR);
    if (!at(target.inode).entries.empty()) fail("rename to", to, ENOTEMPTY);
  } else if (target.inode && moves_folder) {
    fail("rename to", to, ENOTDIR);
  }
  if (target.inode) release(target.inode);
  change(source.folder).entries.erase(source.name);
  change(target.folder).entries[target.name] = source.inode;
  const std::int64_t now = tick();
  change(source.inode).info.ctime_ns = now;
  change(source.folder).info.mtime_ns = change(target.folder).info.mtime_ns = now;
  note("rename to", to);
}

void MemoryFileSystem::release(Number number) {
  disk_.inodes[number].reset();
  locks_.erase(number);  // its holder keeps a lock that cannot be found
  free_.insert(number);
}

void MemoryFileSystem::remove(const Path& path) {
  const std::lock_guard lock(mutex_);
  if (!find(path, false)) return;
  const Place place = place_of(path, "remove");
  if (is_closed(place.folder)) fail("remove", path, EACCES);
  remove_tree(place, path);
}

// Removes entries one by one, leaves first.
void MemoryFileSystem::remove_tree(const Place& place, const Path& path) {
  const std::map<std::string, Number> entries = at(place.inode).entries;
  for (const auto& [name, inode] : entries) remove_tree({place.inode, name, inode}, path / name);
  change(place.folder).entries.erase(place.name);
  touch(place.folder);
  release(place.inode);
  note("remove", path);
}

void MemoryFileSystem::protect_tree(Number number, const Path& path) {
  if (is_link(at(number))) return;
  const std::map<std::string, Number> entries = at(number).entries;
  for (const auto& [name, entry] : entries) protect_tree(entry, path / name);
  Inode& inode = change(number);
  inode.is_protected = true;
  inode.info.ctime_ns = tick();
  note("protect", path);
}

void MemoryFileSystem::protect(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, false);
  if (!number) fail("protect", path, ENOENT);
  protect_tree(number, path);
}

void MemoryFileSystem::sync(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, true);
  if (!number) fail("sync", path, ENOENT);
  if (!at(number).is_lost) change(number).durable = at(number).bytes.size();
  note("sync", path);
}

void MemoryFileSystem::sync_all(const Path& path) {
  const std::lock_guard lock(mutex_);
  if (!find(path, true)) fail("sync", path, ENOENT);
  for (Number number = kRoot; number < disk_.inodes.size(); ++number) {
    if (!disk_.inodes[number] || at(number).is_lost) continue;
    if (at(number).durable < at(number).bytes.size())
      change(number).durable = at(number).bytes.size();
  }
  note("sync all of", path);
}

std::unique_ptr<FileLock> MemoryFileSystem::try_lock(const Path& path, LockMode mode) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<LockState>& held = locks_[open_to_write(path, "lock")];
  if (!held) held = std::make_shared<LockState>();
  if (held->is_locked || (mode == LockMode::kExclusive && held->sharers > 0)) return nullptr;
  if (mode == LockMode::kShared) {
    ++held->sharers;
  } else {
    held->is_locked = true;
  }
  return std::make_unique<MemoryLock>(*this, held, mode);
}

bool MemoryFileSystem::is_locked(const Path& path) {
  const std::lock_guard lock(mutex_);
  const auto held = locks_.find(find(path, /*follow_last=*/false));
  return held != locks_.end() && held->second->is_locked;
}

std::int64_t MemoryFileSystem::now_ns() {
  const std::lock_guard lock(mutex_);
  return disk_.clock_ns;
}

void MemoryFileSystem::advance(double seconds) {
  const std::lock_guard lock(mutex_);
  disk_.clock_ns += static_cast<std::int64_t>(seconds * 1e9);
}

void MemoryFileSystem::put(const Path& path, std::string_view bytes) {
  make_directories(path.parent_path());
  write(path, bytes, Durability::kCached);
}

void MemoryFileSystem::rot(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, true);
  if (!number || at(number).bytes.size() != bytes.size())
    throw Error("rot() needs a file and as many bytes as it has");
  change(number).bytes = bytes;
}

void MemoryFileSystem::edit_keeping_mtime(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, true);
  if (!number) fail("write", path, ENOENT);
  change(number).bytes = bytes;
  change(number).info.ctime_ns = tick();
}

void MemoryFileSystem::become_root() {
  const std::lock_guard lock(mutex_);
  is_root_ = true;
}

void MemoryFileSystem::lose_unsynced(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Number only = path == "/" ? 0 : find(path, true);
  for (Number number = kRoot; number < disk_.inodes.size(); ++number) {
    if (disk_.inodes[number] && (only == 0 || only == number) &&
        at(number).durable < at(number).bytes.size())
      change(number).is_lost = true;
  }
}

DiskState MemoryFileSystem::state() {
  const std::lock_guard lock(mutex_);
  return disk_;
}

void MemoryFileSystem::restore(const DiskState& state) {
  const std::lock_guard lock(mutex_);
  disk_ = {state.inodes, std::max(disk_.clock_ns, state.clock_ns)};
  locks_.clear();
  free_.clear();
  for (Number number = kRoot; number < disk_.inodes.size(); ++number) {
    if (!disk_.inodes[number]) free_.insert(number);
  }
}

void MemoryFileSystem::record(std::vector<Moment>* moments) {
  const std::lock_guard lock(mutex_);
  moments_ = moments;
}

void MemoryFileSystem::make_executable(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, true);
  if (!number) fail("chmod", path, ENOENT);
  change(number).info.is_executable = true;
  change(number).info.ctime_ns = tick();
}

bool MemoryFileSystem::is_protected(const Path& path) {
  const std::lock_guard lock(mutex_);
  const Number number = find(path, false);
  return number && at(number).is_protected;
}

void MemoryFileSystem::collect(Number number, const std::string& name, const std::string& leave_out,
                               std::map<std::string, std::string>& to) {
  if (!leave_out.empty() && name.starts_with(leave_out)) return;
  const Inode& inode = at(number);
  if (inode.info.is_directory()) {
    if (!name.empty()) to[name + "/"] = "";
    for (const auto& [entry_name, entry] : inode.entries) {
      collect(entry, name.empty() ? entry_name : name + "/" + entry_name, leave_out, to);
    }
  } else {
    to[name] = (is_link(inode) ? "-> " : "") + inode.bytes;
  }
}

std::map<std::string, std::string> MemoryFileSystem::tree(const Path& folder,
                                                          const std::string& leave_out) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> found;
  if (const Number number = find(folder, true)) collect(number, "", leave_out, found);
  return found;
}

std::vector<std::string> MemoryFileSystem::take_digested() {
  const std::lock_guard lock(mutex_);
  return std::exchange(digested_, {});
}

}  // namespace headway::testing
