// The content-addressed store: objects by digest, records by key, locks. A file is never trusted
// because of its name: what is missing, torn or changed counts as missing. Knows nothing of
// pipelines. Functions throw Error if the disk fails, unless stated otherwise; all but prepare()
// may be called from several threads.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/store/digest_cache.h"
#include "lib/store/layout.h"
#include "lib/store/record.h"

namespace headway {

// Copies a file, or a folder with its contents; links are copied as links. Throws Error if `from`
// does not exist.
// The extension that an artifact keeps, because programs go by it; "" if it is unusual.
std::string plain_extension(const Path& path);

void copy_tree(FileSystem& files, const Path& from, const Path& to);
// Waits until a file, or a folder with its contents, is on the disk.
void sync_tree(FileSystem& files, const Path& path);

class Store {
 public:
  Store(FileSystem& files, const Path& outputs);

  const Layout& layout() const { return layout_; }
  FileSystem& files() { return files_; }
  DigestCache& digests() { return digests_; }

  // Creates the store's folders. Call it before anything that writes.
  void prepare();

  // The record of a key, if all its objects are undamaged; otherwise nothing. `damage` then says
  // what is wrong, and stays "" if there is no record. What cannot be read is damaged.
  std::optional<Record> find(const Digest& key, std::string* damage = nullptr);
  // The same without opening the record, given its outputs and its stamp. Nothing if the stamp
  // differs. Of the record, only key and outputs are set.
  std::optional<Record> find_remembered(const Digest& key, const std::string& stamp,
                                        const std::vector<RecordedOutput>& outputs);
  // The digest of the record's text; "" if there is none or it cannot be read.
  std::string record_stamp(const Digest& key);
  // The record, without checking its objects; nothing if it is missing or damaged.
  std::optional<Record> read_record(const Digest& key);

  // Moves a file or folder into the store. If the store has an object of that digest, it is read
  // and, if damaged, replaced. Throws Error if `path` does not exist, or is a folder with a link
  // that leads out of it.
  ObjectRef put(const Path& path, Durability durability);
  Path path_of(const ObjectRef& object) const {
    return layout_.object(object.digest, object.extension, object.is_executable);
  }
  // What happened to an object since it was put or last found undamaged: "" (nothing), "was
  // removed", "was changed" or "was changed and changed back". An object whose contents were
  // changed is removed from the store, so that the next run makes it again.
  std::string check_untouched(const ObjectRef& object);
  // Reads the object, whatever is remembered of it, and returns what is wrong; "" if nothing is.
  // Adds the bytes that it has to `bytes`. Never throws: what cannot be read is wrong.
  std::string reread(const ObjectRef& object, std::uint64_t* bytes = nullptr);
  // Writes the record. Its objects must be in the store.
  void save(const Record& record, Durability durability);

  // Keeps a text that a fact refers to (the members of a fan-in, say) and returns its digest.
  Digest put_list(const std::string& text);

  // The right to make a key. Null while another process, or another stage of this run, has it.
  std::unique_ptr<FileLock> try_lock(const Digest& key);
  // Removes the lock file and releases the lock, which try_lock returned for this key.
  void unlock(const Digest& key, std::unique_ptr<FileLock> lock);

 private:
  std::string problem_of(const std::vector<RecordedOutput>& outputs);
  ContentInfo digest_new_output(const Path& path);
  void make_folder(const Path& folder, Durability durability);

  FileSystem& files_;
  Layout layout_;
  DigestCache digests_;
};

// The JSON output `metrics` of a stage; null if it has none or it cannot be read.
Json read_metrics(Store& store, const Record& record);

}  // namespace headway
