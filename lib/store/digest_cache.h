// Remembers the digest of a file by (device, inode, size, mtime, ctime), so that what did not
// change is not read again. Knows files and folders; a folder's digest is taken over the names and
// digests of what is in it.
//
// What is remembered is written to the journal only once the file's data is known to be on the
// disk. After a power cut a file may have its old size and times, but zeros for contents: such a
// file is not in the journal, so it is read again and found out.
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
  bool is_executable = false;   // of a file; in a folder's digest, those of its files are included
  std::uint64_t stamp = 0;      // changes whenever the file, or anything in the folder, is touched
  bool is_as_known = true;      // every file was found as it was when it was last read
  bool has_hard_links = false;  // a file in it has another name somewhere
  std::string link_out;         // a link in a folder that leads out of it; "" for none
};

// What becomes of links inside a folder. (A link at the top is never followed.)
enum class Links {
  kKept,      // part of the contents, as links
  kFollowed,  // what they lead to is part of the contents
};

class DigestCache {
 public:
  DigestCache(FileSystem& files, const Path& journal);

  // Of a file or folder; nothing where it is not there.
  std::optional<ContentInfo> digest_file(const Path& path, Links links = Links::kKept);
  // The same, reading every byte whatever is remembered.
  std::optional<ContentInfo> rehash_file(const Path& path);
  // A file or folder that has been read since it was last written, and then moved or protected,
  // which changes its ctime alone: it is known as it is now. Throws Error where it was written to.
  // `durability`: of its contents.
  void remember_moved(const Path& path, Durability durability);
  // A file that we have just written, whole.
  void remember_written(const Path& path, const Digest& digest, Durability durability);
  // What was remembered is not true: it will be read again, by later processes too.
  void distrust(const Path& path);
  // At the end of a run: syncs the file systems that new files are on, then keeps what is known of
  // them for later processes. Where that fails, they read them again.
  void keep();

  // What was wrong with the journal; "" for nothing.
  std::string damage() const { return journal_.damage(); }

 private:
  struct Stamp {
    std::uint64_t size = 0;
    std::int64_t mtime_ns = 0;
    std::int64_t ctime_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Entry {
    Stamp stamp;
    Digest digest;
    // False where the file was so young when it was read that it may have been changed again
    // within the same tick of the clock.
    bool is_settled = true;
  };
  struct FileId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    auto operator<=>(const FileId&) const = default;
  };
  struct FileIdHash {
    std::size_t operator()(const FileId& id) const {
      return std::hash<std::uint64_t>()(id.inode * 31 + id.device);
    }
  };
  enum class Trust { kMemory, kNothing };
  struct Walk;  // over a folder

  void load();
  std::optional<ContentInfo> digest_path(const Path& path, Trust trust, Links links);
  ContentInfo digest_path(const Path& path, const FileInfo& info, Walk& walk);
  void digest_entry(const Path& path, const std::string& name, Walk& walk, std::string& listing,
                    ContentInfo& folder);
  Digest digest_contents(const Path& path, const FileInfo& info, Trust trust, bool& is_as_known);
  void note(const Path& path, const FileInfo& info, Entry entry);
  void note_durable(const FileId& id, const Entry& entry);
  bool note_folder(const FileInfo& info);
  static std::string line_of(const FileId& id, const Entry& entry);

  FileSystem& files_;
  const Path folder_;  // of the journal
  Journal journal_;
  std::mutex mutex_;
  std::unordered_map<FileId, Entry, FileIdHash> entries_;
  std::unordered_map<FileId, Stamp, FileIdHash> folders_;  // seen by this process
  std::set<FileId> pending_;                               // not yet in the journal
  std::map<std::uint64_t, Path> disks_;                    // of pending ones: a file on each device
};

}  // namespace headway
