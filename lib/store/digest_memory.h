// Remembers the digest of a file by (device, inode, size, mtime, ctime), so that what did not
// change is not read again. Knows files and folders; a folder's digest is taken over the names and
// digests of what is in it.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

#include "lib/store/journal.h"

namespace headway {

struct ContentInfo {
  Digest digest;
  std::uint64_t size = 0;
  bool is_directory = false;
};

class DigestMemory {
 public:
  DigestMemory(FileSystem& files, const Path& journal);

  // Of a file or folder (a link is followed only at the top); nothing where it is not there.
  std::optional<ContentInfo> look(const Path& path);
  // The same, reading every byte whatever is remembered.
  std::optional<ContentInfo> look_again(const Path& path);
  // A file of ours whose digest is known because it has just been taken; only its stamp may have
  // changed.
  void remember(const Path& path, const Digest& digest);

 private:
  struct Stamp {
    std::uint64_t size;
    std::int64_t mtime_ns;
    std::int64_t ctime_ns;
    bool operator==(const Stamp&) const = default;
  };
  struct Entry {
    Stamp stamp;
    Digest digest;
  };
  struct FileId {
    std::uint64_t device;
    std::uint64_t inode;
    bool operator==(const FileId&) const = default;
  };
  struct FileIdHash {
    std::size_t operator()(const FileId& id) const {
      return std::hash<std::uint64_t>()(id.inode * 31 + id.device);
    }
  };
  enum class Trust { kMemory, kNothing };

  void load();
  ContentInfo look_at(const Path& path, const FileInfo& info, Trust trust);
  Digest file_digest(const Path& path, const FileInfo& info, Trust trust);
  void note(const FileInfo& info, const Digest& digest);

  FileSystem& files_;
  Journal journal_;
  std::mutex mutex_;
  std::unordered_map<FileId, Entry, FileIdHash> entries_;
};

}  // namespace headway
