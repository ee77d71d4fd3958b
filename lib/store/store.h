// The content-addressed store: contents by digest, records by key, locks, partial states. Nothing
// in it is ever trusted because of its name alone; whatever is missing, torn or changed is a miss.
// Knows nothing of pipelines.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/store/digest_cache.h"
#include "lib/store/layout.h"
#include "lib/store/record.h"

namespace headway {

// A file, or a folder with all that is in it; links are copied as links.
void copy_tree(FileSystem& files, const Path& from, const Path& to);
// The same, to the disk.
void sync_tree(FileSystem& files, const Path& path);

class Store {
 public:
  Store(FileSystem& files, const Path& outputs);

  const Layout& layout() const { return layout_; }
  FileSystem& files() { return files_; }
  DigestCache& digests() { return digests_; }

  // Makes the folders; needed before anything is written.
  void prepare();

  // The record of a key whose every object is there and whole. Nothing where one is not: `damage`
  // says what is wrong, and whoever makes the key again replaces it.
  std::optional<Record> find(const Digest& key, std::string* damage = nullptr);
  // The same from what somebody remembers of the record: quick, because it is not opened. Nothing
  // where its stamp differs.
  std::optional<Record> find_remembered(const Digest& key, const std::string& stamp,
                                        const std::vector<RecordedOutput>& outputs);
  // The digest of the record's text; empty where there is none.
  std::string record_stamp(const Digest& key);
  // The record alone, objects unchecked: for explanations.
  std::optional<Record> read_record(const Digest& key);

  // Moves a file or folder into the store. What is there already under its digest is read, and
  // replaced where it is damaged: a result that was made again never loses to a rotten one.
  ObjectRef put(const Path& path, Durability durability);
  Path path_of(const ObjectRef& object) const {
    return layout_.object(object.digest, object.extension, object.is_executable);
  }
  // What happened to an object since it was last found whole or put; "" for nothing, else "was
  // changed", "was removed" or "was changed and changed back". A damaged one is removed, so that
  // nobody reads it and the next run makes it again.
  std::string check_untouched(const ObjectRef& object);
  void save(const Record& record, Durability durability);

  // The digest of a text that the store keeps for a fact: a fan-in's list, provenance.
  Digest put_list(const std::string& text);

  // Nothing while another process (or another stage of ours) makes this key.
  std::unique_ptr<FileLock> try_lock(const Digest& key);
  // Called holding the lock: lets go and leaves no file behind.
  void unlock(const Digest& key, std::unique_ptr<FileLock> lock);

 private:
  bool is_whole(const ObjectRef& object, std::string& problem);
  ContentInfo digest_new_output(const Path& path);
  void make_folder(const Path& folder, Durability durability);
  bool has_whole(const ObjectRef& object);

  FileSystem& files_;
  Layout layout_;
  DigestCache digests_;
};

}  // namespace headway
