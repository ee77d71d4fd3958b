#include "tests/support/memory_file_system.h"

#include <fmt/format.h>

#include <cerrno>
#include <deque>
#include <utility>

#include "lib/base/error.h"

namespace headway::testing {
namespace {

constexpr std::int64_t kTickNs = 1000;  // the clock moves a little with every change
constexpr int kMostLinks = 40;

[[noreturn]] void fail(std::string_view doing, const Path& path, int error_number) {
  throw Error(fmt::format("cannot {} {}: {}", doing, path.string(), describe_errno(error_number)));
}

}  // namespace

struct MemoryFileSystem::Node {
  FileInfo info;
  std::string bytes;  // of a file; the target of a link
  std::map<std::string, NodePtr> entries;
  bool is_protected = false;
  int sharers = 0;
  bool is_locked = false;  // exclusively

  bool is_link() const { return info.kind == FileInfo::Kind::kSymlink; }
};

class MemoryLock final : public FileLock {
 public:
  MemoryLock(MemoryFileSystem& files, std::shared_ptr<MemoryFileSystem::Node> node, LockMode mode)
      : files_(files), node_(std::move(node)), mode_(mode) {}
  ~MemoryLock() override {
    const std::lock_guard lock(files_.mutex_);
    if (mode_ == LockMode::kShared) {
      --node_->sharers;
    } else {
      node_->is_locked = false;
    }
  }

 private:
  MemoryFileSystem& files_;
  std::shared_ptr<MemoryFileSystem::Node> node_;
  const LockMode mode_;
};

MemoryFileSystem::MemoryFileSystem() : root_(new_node(FileInfo::Kind::kDirectory)) {}

std::int64_t MemoryFileSystem::tick() {
  return clock_ns_ += kTickNs;
}

MemoryFileSystem::NodePtr MemoryFileSystem::new_node(FileInfo::Kind kind) {
  auto node = std::make_shared<Node>();
  node->info.kind = kind;
  node->info.device = 1;
  node->info.inode = next_inode_++;
  node->info.mtime_ns = node->info.ctime_ns = tick();
  return node;
}

// Null where the path leads nowhere.
MemoryFileSystem::NodePtr MemoryFileSystem::find(const Path& path, bool follow_last) {
  std::deque<std::string> parts;
  for (const Path& part : std::filesystem::absolute(path).relative_path())
    parts.push_back(part.string());
  std::vector<NodePtr> stack{root_};
  int links = 0;
  while (!parts.empty()) {
    const std::string part = parts.front();
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (stack.size() > 1) stack.pop_back();
      continue;
    }
    if (!stack.back()->info.is_directory()) return nullptr;
    const auto found = stack.back()->entries.find(part);
    if (found == stack.back()->entries.end()) return nullptr;
    const NodePtr node = found->second;
    if (!node->is_link() || (parts.empty() && !follow_last)) {
      stack.push_back(node);
      continue;
    }
    if (++links > kMostLinks) fail("look at", path, ELOOP);
    const Path target = node->bytes;
    if (target.is_absolute()) stack.resize(1);
    std::vector<std::string> more;
    for (const Path& target_part : target.relative_path()) more.push_back(target_part.string());
    parts.insert(parts.begin(), more.begin(), more.end());
  }
  return stack.back();
}

MemoryFileSystem::Place MemoryFileSystem::place_of(const Path& path, bool follow_last,
                                                   std::string_view doing) {
  Path at = std::filesystem::absolute(path);
  NodePtr node = find(at, false);
  for (int links = 0; follow_last && node && node->is_link(); ++links) {
    if (links > kMostLinks) fail(doing, path, ELOOP);
    at = at.parent_path() / node->bytes;
    node = find(at, false);
  }
  const NodePtr folder = find(at.parent_path(), true);
  if (!folder) fail(doing, path, ENOENT);
  if (!folder->info.is_directory()) fail(doing, path, ENOTDIR);
  return {folder, at.filename().string(), node};
}

MemoryFileSystem::NodePtr MemoryFileSystem::open_to_write(const Path& path,
                                                          std::string_view doing) {
  const Place place = place_of(path, false, doing);
  if (place.node) {
    if (place.node->is_link())
      throw Error(fmt::format("cannot {} {}: it is a symbolic link", doing, path.string()));
    if (place.node->info.is_directory()) fail(doing, path, EISDIR);
    if (place.node->is_protected) fail(doing, path, EACCES);
    return place.node;
  }
  if (place.folder->is_protected) fail(doing, path, EACCES);
  const NodePtr node = new_node(FileInfo::Kind::kFile);
  place.folder->entries[place.name] = node;
  place.folder->info.mtime_ns = place.folder->info.ctime_ns = tick();
  return node;
}

std::optional<FileInfo> MemoryFileSystem::info(const Path& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path, false);
  if (!node) return std::nullopt;
  FileInfo info = node->info;
  info.size = node->bytes.size();
  return info;
}

std::optional<std::string> MemoryFileSystem::read(const Path& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path, true);
  if (!node) return std::nullopt;
  if (node->info.is_directory()) fail("read", path, EISDIR);
  return node->bytes;
}

std::string MemoryFileSystem::read_end(const Path& path, std::size_t most) {
  const std::string bytes = read(path).value_or("");
  return bytes.substr(bytes.size() > most ? bytes.size() - most : 0);
}

std::vector<std::string> MemoryFileSystem::list(const Path& directory) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  const NodePtr node = find(directory, true);
  if (!node) return names;
  for (const auto& [name, entry] : node->entries) names.push_back(name);
  return names;
}

std::optional<std::string> MemoryFileSystem::read_link(const Path& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path, false);
  return node && node->is_link() ? std::optional(node->bytes) : std::nullopt;
}

Digest MemoryFileSystem::digest(const Path& file) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(file, true);
  if (!node) fail("read", file, ENOENT);
  if (node->info.is_directory()) fail("read", file, EISDIR);
  digested_.push_back(file.string());
  return digest_of(node->bytes);
}

void MemoryFileSystem::write(const Path& path, std::string_view bytes, Durability) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = open_to_write(path, "write");
  node->bytes = bytes;
  node->info.mtime_ns = node->info.ctime_ns = tick();
}

void MemoryFileSystem::append(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = open_to_write(path, "write");
  node->bytes += bytes;
  node->info.mtime_ns = node->info.ctime_ns = tick();
}

void MemoryFileSystem::copy(const Path& from, const Path& to) {
  const std::lock_guard lock(mutex_);
  const NodePtr source = find(from, true);
  if (!source) fail("read", from, ENOENT);
  if (source->info.is_directory()) fail("read", from, EISDIR);
  const NodePtr node = open_to_write(to, "write");
  node->bytes = source->bytes;
  node->info.is_executable = source->info.is_executable;
  node->info.mtime_ns = node->info.ctime_ns = tick();
}

void MemoryFileSystem::make_directories(const Path& directory) {
  const std::lock_guard lock(mutex_);
  Path at = "/";
  for (const Path& part : std::filesystem::absolute(directory).lexically_normal().relative_path()) {
    if (part.empty()) continue;
    const NodePtr parent = find(at, true);
    at /= part;
    if (const NodePtr there = find(at, true)) {
      if (!there->info.is_directory())
        fail("make the folder", directory, at == directory ? EEXIST : ENOTDIR);
      continue;
    }
    if (parent->entries.contains(part.string()))
      fail("make the folder", directory, EEXIST);  // a link to nowhere
    if (parent->is_protected) fail("make the folder", directory, EACCES);
    parent->entries[part.string()] = new_node(FileInfo::Kind::kDirectory);
    parent->info.mtime_ns = parent->info.ctime_ns = tick();
  }
}

void MemoryFileSystem::make_link(const Path& target, const Path& path) {
  const std::lock_guard lock(mutex_);
  const Place place = place_of(path, false, "make the link");
  if (place.node) fail("make the link", path, EEXIST);
  if (place.folder->is_protected) fail("make the link", path, EACCES);
  const NodePtr node = new_node(FileInfo::Kind::kSymlink);
  node->bytes = target.string();
  place.folder->entries[place.name] = node;
  place.folder->info.mtime_ns = place.folder->info.ctime_ns = tick();
}

void MemoryFileSystem::rename(const Path& from, const Path& to) {
  const std::lock_guard lock(mutex_);
  const Place source = place_of(from, false, "rename to");
  const Place target = place_of(to, false, "rename to");
  if (!source.node) fail("rename to", to, ENOENT);
  if (source.node == target.node) return;
  const bool moves_folder = source.node->info.is_directory();
  if (source.folder->is_protected || target.folder->is_protected) fail("rename to", to, EACCES);
  if (moves_folder && source.node->is_protected && source.folder != target.folder)
    fail("rename to", to, EACCES);
  if (target.node && target.node->info.is_directory()) {
    if (!moves_folder) fail("rename to", to, EISDIR);
    if (!target.node->entries.empty()) fail("rename to", to, ENOTEMPTY);
  } else if (target.node && moves_folder) {
    fail("rename to", to, ENOTDIR);
  }
  source.folder->entries.erase(source.name);
  target.folder->entries[target.name] = source.node;
  source.node->info.ctime_ns = source.folder->info.mtime_ns = target.folder->info.mtime_ns = tick();
}

void MemoryFileSystem::remove(const Path& path) {
  const std::lock_guard lock(mutex_);
  if (!find(path, false)) return;
  const Place place = place_of(path, false, "remove");
  if (place.folder->is_protected) fail("remove", path, EACCES);
  place.folder->entries.erase(place.name);
  place.folder->info.mtime_ns = place.folder->info.ctime_ns = tick();
}

void MemoryFileSystem::protect_tree(const NodePtr& node) {
  if (node->is_link()) return;
  for (const auto& [name, entry] : node->entries) protect_tree(entry);
  node->is_protected = true;
  node->info.ctime_ns = tick();
}

void MemoryFileSystem::protect(const Path& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path, false);
  if (!node) fail("protect", path, ENOENT);
  protect_tree(node);
}

void MemoryFileSystem::sync(const Path& path) {
  const std::lock_guard lock(mutex_);
  if (!find(path, true)) fail("sync", path, ENOENT);
}

void MemoryFileSystem::sync_all(const Path& path) {
  sync(path);
}

std::unique_ptr<FileLock> MemoryFileSystem::try_lock(const Path& path, LockMode mode) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = open_to_write(path, "lock");
  if (node->is_locked || (mode == LockMode::kExclusive && node->sharers > 0)) return nullptr;
  if (mode == LockMode::kShared) {
    ++node->sharers;
  } else {
    node->is_locked = true;
  }
  return std::make_unique<MemoryLock>(*this, node, mode);
}

std::int64_t MemoryFileSystem::now_ns() {
  const std::lock_guard lock(mutex_);
  return clock_ns_;
}

void MemoryFileSystem::advance(double seconds) {
  const std::lock_guard lock(mutex_);
  clock_ns_ += static_cast<std::int64_t>(seconds * 1e9);
}

void MemoryFileSystem::put(const Path& path, std::string_view bytes) {
  make_directories(path.parent_path());
  write(path, bytes, Durability::kCached);
}

void MemoryFileSystem::rot(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path, true);
  if (!node || node->bytes.size() != bytes.size())
    throw Error("rot() needs a file and as many bytes as it has");
  node->bytes = bytes;
}

void MemoryFileSystem::edit_keeping_mtime(const Path& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path, true);
  if (!node) fail("write", path, ENOENT);
  node->bytes = bytes;
  node->info.ctime_ns = tick();
}

void MemoryFileSystem::make_executable(const Path& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path, true);
  if (!node) fail("chmod", path, ENOENT);
  node->info.is_executable = true;
  node->info.ctime_ns = tick();
}

bool MemoryFileSystem::is_protected(const Path& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = find(path, false);
  return node && node->is_protected;
}

void MemoryFileSystem::collect(const NodePtr& node, const std::string& name,
                               const std::string& leave_out,
                               std::map<std::string, std::string>& to) {
  if (!leave_out.empty() && name.starts_with(leave_out)) return;
  if (node->info.is_directory()) {
    if (!name.empty()) to[name + "/"] = "";
    for (const auto& [entry_name, entry] : node->entries) {
      collect(entry, name.empty() ? entry_name : name + "/" + entry_name, leave_out, to);
    }
  } else {
    to[name] = (node->is_link() ? "-> " : "") + node->bytes;
  }
}

std::map<std::string, std::string> MemoryFileSystem::tree(const Path& folder,
                                                          const std::string& leave_out) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> found;
  if (const NodePtr node = find(folder, true)) collect(node, "", leave_out, found);
  return found;
}

std::vector<std::string> MemoryFileSystem::take_digested() {
  const std::lock_guard lock(mutex_);
  return std::exchange(digested_, {});
}

}  // namespace headway::testing
