#include "lib/store/digest_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "lib/base/error.h"

namespace headway {
namespace {

// A file that changed more recently may change again within the same tick of the clock, unnoticed.
constexpr std::int64_t kSettledNs = 100'000'000;

template <class Number>
bool take(std::string_view& line, Number& number) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

std::uint64_t mixed(std::uint64_t sum, std::uint64_t value) {
  sum = (sum ^ value) * 0x9E3779B97F4A7C15;
  return sum ^ (sum >> 32);
}

std::uint64_t stamp_of(const FileInfo& info) {
  std::uint64_t sum = 0;
  for (const std::uint64_t value :
       {info.device, info.inode, info.size, static_cast<std::uint64_t>(info.mtime_ns),
        static_cast<std::uint64_t>(info.ctime_ns)})
    sum = mixed(sum, value);
  return sum;
}

// Whether a link leads out of the folder `top`, judging by names alone.
bool leads_out(const Path& link, const std::string& target, const Path& top) {
  if (target.starts_with('/')) return true;
  const Path end =
      (link.parent_path() / target).lexically_normal().lexically_relative(top.lexically_normal());
  return end.empty() || *end.begin() == "..";
}

// What a link leads to, through further links; nothing if it dangles or goes round in a circle.
std::optional<Path> end_of_link(FileSystem& files, Path at) {
  constexpr int kMostLinks = 40;  // as the kernel
  for (int i = 0; i < kMostLinks; ++i) {
    const std::optional<std::string> target = files.read_link(at);
    if (!target) return files.exists(at) ? std::optional(at) : std::nullopt;
    at = at.parent_path() / *target;
  }
  return std::nullopt;
}

}  // namespace

struct DigestCache::Walk {
  Trust trust;
  Links links;
  Path top = {};
  std::vector<FileId> open = {};  // the folders we are in, to notice a link to one of them
};

DigestCache::DigestCache(FileSystem& files, const Path& journal)
    : files_(files), folder_(journal.parent_path()), journal_(files, journal) {
  load();
}

std::string DigestCache::line_of(const FileId& id, const Entry& entry) {
  return fmt::format("{} {} {} {} {} {}", id.device, id.inode, entry.stamp.size,
                     entry.stamp.mtime_ns, entry.stamp.ctime_ns, entry.digest.hex());
}

void DigestCache::load() {
  const std::vector<std::string> lines = journal_.read();
  entries_.reserve(lines.size());
  for (const std::string& text : lines) {
    std::string_view line = text;
    FileId id;
    Stamp stamp;
    if (!take(line, id.device) || !take(line, id.inode) || !take(line, stamp.size) ||
        !take(line, stamp.mtime_ns) || !take(line, stamp.ctime_ns))
      continue;
    if (const auto digest = Digest::from_hex(line)) entries_[id] = {stamp, *digest};
  }
  if (lines.size() < 1000 || lines.size() < 4 * entries_.size()) return;
  std::vector<std::string> fewer;
  for (const auto& [id, entry] : entries_) fewer.push_back(line_of(id, entry));
  try {
    journal_.rewrite(fewer);
  } catch (const Error&) {  // a long journal does no harm
  }
}

std::optional<ContentInfo> DigestCache::digest_path(const Path& path, Trust trust, Links links) {
  const std::optional<FileInfo> info = files_.info(path);
  if (!info) return std::nullopt;
  Walk walk{trust, links, path};
  return digest_path(path, *info, walk);
}

ContentInfo DigestCache::digest_path(const Path& path, const FileInfo& info, Walk& walk) {
  ContentInfo content;
  content.stamp = stamp_of(info);
  if (!info.is_directory()) {
    content.digest = digest_contents(path, info, walk.trust, content.is_as_known);
    content.size = info.size;
    content.is_executable = info.is_executable;
    content.has_hard_links = info.links > 1;
    return content;
  }
  content.is_directory = true;
  content.is_as_known = note_folder(info);
  std::string listing;
  walk.open.push_back(FileId::of(info));
  for (const std::string& name : files_.list(path))
    digest_entry(path / name, name, walk, listing, content);
  walk.open.pop_back();
  content.digest = digest_of(listing);
  return content;
}

void DigestCache::digest_entry(const Path& path, const std::string& name, Walk& walk,
                               std::string& listing, ContentInfo& folder) {
  const auto add = [&](const char* kind, const std::string& contents) {
    append_field(listing, kind);
    append_field(listing, name);
    append_field(listing, contents);
  };
  std::optional<FileInfo> info = files_.info(path);
  if (!info) return;  // removed since the folder was listed
  Path end = path;
  if (info->kind == FileInfo::Kind::kSymlink) {
    folder.stamp = mixed(folder.stamp, stamp_of(*info));
    const std::string target = files_.read_link(path).value_or("");
    if (folder.link_out.empty() && leads_out(path, target, walk.top))
      folder.link_out = fmt::format("{} -> {}", path.lexically_relative(walk.top).string(), target);
    const std::optional<Path> followed =
        walk.links == Links::kFollowed ? end_of_link(files_, path) : std::nullopt;
    info = followed ? files_.info(*followed) : std::nullopt;
    const bool is_circle =
        info && std::ranges::find(walk.open, FileId::of(*info)) != walk.open.end();
    if (!info || is_circle) return add("link", target);
    end = *followed;
  }
  const ContentInfo inner = digest_path(end, *info, walk);
  add(inner.is_directory    ? "folder"
      : inner.is_executable ? "executable"
                            : "file",
      inner.digest.hex());
  folder.size += inner.size;
  folder.stamp = mixed(folder.stamp, inner.stamp);
  folder.is_as_known = folder.is_as_known && inner.is_as_known;
  folder.has_hard_links = folder.has_hard_links || inner.has_hard_links;
  if (folder.link_out.empty()) folder.link_out = inner.link_out;
}

Digest DigestCache::digest_contents(const Path& path, const FileInfo& info, Trust trust,
                                    bool& is_as_known) {
  if (info.kind == FileInfo::Kind::kOther)
    throw Error("{} is neither a file nor a folder", path.string());
  const Stamp stamp = Stamp::of(info);
  std::optional<Entry> known;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(FileId::of(info));
    if (found != entries_.end()) known = found->second;
  }
  if (trust == Trust::kMemory && known && known->is_settled && known->stamp == stamp)
    return known->digest;
  const Digest digest = files_.digest(path);
  // The ctime counts: it is all that changes when a file is moved away and back.
  is_as_known = known && known->digest == digest && known->stamp == stamp;
  const std::int64_t age = files_.now_ns() - std::max(info.mtime_ns, info.ctime_ns);
  if (info.is_file()) note(path, info, {stamp, digest, age > kSettledNs}, Durability::kCached);
  return digest;
}

// If the contents are on the disk, the journal gets the digest at once, else in keep().
void DigestCache::note(const Path& path, const FileInfo& info, const Entry& entry,
                       Durability durability) {
  const FileId id = FileId::of(info);
  {
    const std::lock_guard lock(mutex_);
    entries_[id] = entry;
    if (durability == Durability::kCached) {
      if (entry.is_settled && pending_.insert(id).second) disks_.try_emplace(info.device, path);
      return;
    }
  }
  try {
    journal_.append(line_of(id, entry));
  } catch (const Error&) {  // forgetting only costs another read
  }
}

// Whether the folder's own stamp is unchanged: something may have been put into it and removed.
bool DigestCache::note_folder(const FileInfo& info) {
  const Stamp stamp = Stamp::of(info);
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = folders_.try_emplace(FileId::of(info), stamp);
  return !is_new && std::exchange(known->second, stamp) == stamp;
}

void DigestCache::remember_moved(const Path& path, Durability durability) {
  const std::optional<FileInfo> info = files_.info(path);
  if (!info) throw Error("{} is gone", path.string());
  if (info->is_directory()) {
    note_folder(*info);
    for (const std::string& name : files_.list(path)) remember_moved(path / name, durability);
    return;
  }
  if (!info->is_file()) return;
  Entry entry;
  {
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find(FileId::of(*info));
    if (known == entries_.end() || known->second.stamp.size != info->size ||
        known->second.stamp.mtime_ns != info->mtime_ns)
      throw Error("{} was written to while it was being stored", path.string());
    entry = {Stamp::of(*info), known->second.digest};
  }
  note(path, *info, entry, durability);
}

void DigestCache::remember_written(const Path& path, const Digest& digest, Durability durability) {
  const std::optional<FileInfo> info = files_.info(path);
  if (info) note(path, *info, {Stamp::of(*info), digest}, durability);
}

void DigestCache::distrust(const Path& path) {
  const std::optional<FileInfo> info = files_.info(path);
  if (!info) return;
  if (info->is_directory()) {
    for (const std::string& name : files_.list(path)) distrust(path / name);
    return;
  }
  const FileId id = FileId::of(*info);
  const Entry nothing{};  // no file has this stamp
  {
    const std::lock_guard lock(mutex_);
    entries_.erase(id);
    pending_.erase(id);
  }
  journal_.append(line_of(id, nothing));
}

void DigestCache::keep() {
  std::set<FileId> pending;
  std::map<std::uint64_t, Path> disks;
  {
    const std::lock_guard lock(mutex_);
    pending.swap(pending_);
    disks.swap(disks_);
  }
  if (pending.empty()) return;
  std::set<std::uint64_t> synced;
  for (const auto& [device, path] : disks) {
    try {
      // A file on the store's disk may have moved since; the store itself has not.
      const std::optional<FileInfo> store = files_.info(folder_);
      files_.sync_all(store && store->device == device ? folder_ : path);
      synced.insert(device);
    } catch (const Error&) {  // the next process reads its files again
    }
  }
  std::vector<std::string> lines;
  {
    const std::lock_guard lock(mutex_);
    for (const FileId& id : pending) {
      const auto known = entries_.find(id);
      if (known != entries_.end() && synced.contains(id.device))
        lines.push_back(line_of(id, known->second));
    }
  }
  try {
    journal_.append(lines);
  } catch (const Error&) {  // forgetting only costs another read
  }
}

}  // namespace headway
