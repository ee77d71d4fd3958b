#include "lib/store/digest_memory.h"

#include <fmt/format.h>

#include <charconv>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

// A file changed this recently may change again within the same clock tick and look the same.
constexpr std::int64_t kSettledNs = 100'000'000;

template <class Number>
bool take(std::string_view& line, Number& number) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

}  // namespace

DigestMemory::DigestMemory(FileSystem& files, const Path& journal)
    : files_(files), journal_(files, journal) {
  load();
}

void DigestMemory::load() {
  const std::vector<std::string> lines = journal_.read();
  entries_.reserve(lines.size());
  for (const std::string& text : lines) {
    std::string_view line = text;
    FileId id{};
    Stamp stamp{};
    if (!take(line, id.device) || !take(line, id.inode) || !take(line, stamp.size) ||
        !take(line, stamp.mtime_ns) || !take(line, stamp.ctime_ns))
      continue;
    if (const auto digest = Digest::from_hex(line)) entries_[id] = {stamp, *digest};
  }
  if (lines.size() < 1000 || lines.size() < 4 * entries_.size()) return;
  std::vector<std::string> fewer;
  for (const auto& [id, entry] : entries_) {
    fewer.push_back(fmt::format("{} {} {} {} {} {}", id.device, id.inode, entry.stamp.size,
                                entry.stamp.mtime_ns, entry.stamp.ctime_ns, entry.digest.hex()));
  }
  try {
    journal_.rewrite(fewer);
  } catch (const Error&) {  // a longer journal is no harm
  }
}

std::optional<ContentInfo> DigestMemory::look(const Path& path) {
  const std::optional<FileInfo> info = files_.info(path);
  if (!info) return std::nullopt;
  return look_at(path, *info, Trust::kMemory);
}

std::optional<ContentInfo> DigestMemory::look_again(const Path& path) {
  const std::optional<FileInfo> info = files_.info(path);
  if (!info) return std::nullopt;
  return look_at(path, *info, Trust::kNothing);
}

ContentInfo DigestMemory::look_at(const Path& path, const FileInfo& info, Trust trust) {
  if (!info.is_directory()) return {file_digest(path, info, trust), info.size, false};
  ContentInfo content{{}, 0, true};
  std::string listing;
  const auto add = [&](const char* kind, const std::string& name, const std::string& contents) {
    append_field(listing, kind);
    append_field(listing, name);
    append_field(listing, contents);
  };
  for (const std::string& name : files_.list(path)) {
    const Path entry = path / name;
    const std::optional<FileInfo> entry_info = files_.info(entry);
    if (!entry_info) continue;  // removed while we looked
    if (entry_info->kind == FileInfo::Kind::kSymlink) {
      add("link", name, files_.read_link(entry).value_or(""));
      continue;
    }
    const ContentInfo inner = look_at(entry, *entry_info, trust);
    add(inner.is_directory ? "folder" : "file", name, inner.digest.hex());
    content.size += inner.size;
  }
  content.digest = digest_of(listing);
  return content;
}

Digest DigestMemory::file_digest(const Path& path, const FileInfo& info, Trust trust) {
  if (info.kind == FileInfo::Kind::kOther)
    throw Error(fmt::format("{} is neither a file nor a folder", path.string()));
  if (trust == Trust::kMemory) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find({info.device, info.inode});
    if (found != entries_.end() &&
        found->second.stamp == Stamp{info.size, info.mtime_ns, info.ctime_ns})
      return found->second.digest;
  }
  const Digest digest = files_.digest(path);
  const std::int64_t age = files_.now_ns() - std::max(info.mtime_ns, info.ctime_ns);
  if (age > kSettledNs && info.is_file()) note(info, digest);
  return digest;
}

void DigestMemory::remember(const Path& path, const Digest& digest) {
  if (const std::optional<FileInfo> info = files_.info(path); info && info->is_file())
    note(*info, digest);
}

void DigestMemory::note(const FileInfo& info, const Digest& digest) {
  const std::lock_guard lock(mutex_);
  entries_[{info.device, info.inode}] = {{info.size, info.mtime_ns, info.ctime_ns}, digest};
  try {
    journal_.append(fmt::format("{} {} {} {} {} {}", info.device, info.inode, info.size,
                                info.mtime_ns, info.ctime_ns, digest.hex()));
  } catch (const Error&) {  // forgetting costs a second reading, nothing else
  }
}

}  // namespace headway
