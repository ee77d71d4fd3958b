// Remembers the digest of a file by (device, inode, size, mtime, ctime), so that an unchanged file
// is not read again. A folder's digest is that of the names and digests of its entries.
// Thread-safe.
//
// A digest is written to the journal only when the file's data is known to be on the disk. After a
// power cut a file may have its old size and times, but zeros for contents; since such a file is
// not in the journal, it is read again and the damage is found.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "lib/store/journal.h"

namespace headway {

struct ContentInfo {
  Digest digest;
  std::uint64_t size = 0;
  bool is_directory = false;
  bool is_executable = false;   // of a file; a folder's digest covers this bit of its files
  std::uint64_t stamp = 0;      // changes whenever the file, or anything in the folder, is touched
  bool is_as_known = true;      // no file was touched since it was last read
  bool has_hard_links = false;  // it is, or contains, a file with another hard link
  std::string link_out;         // a link in the folder that leads out of it; "" if none
};

// How links in a folder enter its digest. (A link as the path itself is never followed.)
enum class Links {
  kKept,      // by their target's name
  kFollowed,  // by the contents they lead to
};

class DigestCache {
 public:
  DigestCache(FileSystem& files, const Path& journal);

  // The digest of a file or folder; nothing if it does not exist. Reads only files that are not
  // remembered. Throws Error if one cannot be read, or is a device or pipe.
  std::optional<ContentInfo> digest_file(const Path& path, Links links = Links::kKept) {
    return digest_path(path, Trust::kMemory, links);
  }
  // The same, but reads every file. Links are kept.
  std::optional<ContentInfo> rehash_file(const Path& path) {
    return digest_path(path, Trust::kNothing, Links::kKept);
  }
  // Call it for a file or folder that was digested and then renamed or protected, which changes
  // only its ctime. Throws Error if it was written to in between. `durability` is that of its
  // contents.
  void remember_moved(const Path& path, Durability durability);
  // Call it for a file that we have just written.
  void remember_written(const Path& path, const Digest& digest, Durability durability);
  // Forgets a file or folder, also for later processes.
  void distrust(const Path& path);
  // Call it at the end of a run. Syncs the file systems of new files, then writes their digests to
  // the journal. If that fails, later processes read these files again.
  void keep();

  // What is wrong with the journal; "" if nothing is.
  std::string damage() const { return journal_.damage(); }

 private:
  struct Stamp {
    std::uint64_t size = 0;
    std::int64_t mtime_ns = 0;
    std::int64_t ctime_ns = 0;
    static Stamp of(const FileInfo& info) { return {info.size, info.mtime_ns, info.ctime_ns}; }
    bool operator==(const Stamp&) const = default;
  };
  struct Entry {
    Stamp stamp;
    Digest digest;
    // False if the file was so young when it was read that it may have been changed again within
    // the same tick of the clock.
    bool is_settled = true;
  };
  struct FileId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    static FileId of(const FileInfo& info) { return {info.device, info.inode}; }
    auto operator<=>(const FileId&) const = default;
  };
  struct FileIdHash {
    std::size_t operator()(const FileId& id) const {
      return std::hash<std::uint64_t>()(id.inode * 31 + id.device);
    }
  };
  enum class Trust { kMemory, kNothing };
  struct Walk;

  void load();
  std::optional<ContentInfo> digest_path(const Path& path, Trust trust, Links links);
  ContentInfo digest_path(const Path& path, const FileInfo& info, Walk& walk);
  void digest_entry(const Path& path, const std::string& name, Walk& walk, std::string& listing,
                    ContentInfo& folder);
  Digest digest_contents(const Path& path, const FileInfo& info, Trust trust, bool& is_as_known);
  void note(const Path& path, const FileInfo& info, const Entry& entry, Durability durability);
  bool note_folder(const FileInfo& info);
  static std::string line_of(const FileId& id, const Entry& entry);

  FileSystem& files_;
  const Path folder_;  // of the journal
  Journal journal_;
  std::mutex mutex_;
  std::unordered_map<FileId, Entry, FileIdHash> entries_;
  std::unordered_map<FileId, Stamp, FileIdHash> folders_;  // as this process last saw them
  std::set<FileId> pending_;                               // not yet in the journal
  std::map<std::uint64_t, Path> disks_;                    // a pending file on each device
};

}  // namespace headway
