#include "lib/store/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {
namespace {

bool fits(const ContentInfo& content, const ObjectRef& object) {
  return content.digest == object.digest && content.is_directory == object.is_directory &&
         content.is_executable == object.is_executable;
}

}  // namespace

std::string plain_extension(const Path& path) {
  const std::string extension = path.extension().string();
  const bool plain = extension.size() >= 2 && extension.size() <= 12 &&
                     std::all_of(extension.begin() + 1, extension.end(),
                                 [](unsigned char c) { return std::isalnum(c); });
  return plain ? extension : "";
}

void copy_tree(FileSystem& files, const Path& from, const Path& to) {
  const std::optional<FileInfo> info = files.info(from);
  if (!info) throw Error("{} is gone", from.string());
  if (info->kind == FileInfo::Kind::kSymlink)
    return files.make_link(files.read_link(from).value_or(""), to);
  if (!info->is_directory()) return files.copy(from, to);
  files.make_directories(to);
  for (const std::string& name : files.list(from)) copy_tree(files, from / name, to / name);
}

void sync_tree(FileSystem& files, const Path& path) {
  const std::optional<FileInfo> info = files.info(path);
  if (info && info->is_directory()) {
    for (const std::string& name : files.list(path)) sync_tree(files, path / name);
  }
  // Opening a pipe would block.
  const bool has_data =
      info && info->kind != FileInfo::Kind::kSymlink && info->kind != FileInfo::Kind::kOther;
  if (has_data) files.sync(path);
}

Store::Store(FileSystem& files, const Path& outputs)
    : files_(files), layout_(outputs), digests_(files, layout_.digests()) {}

void Store::prepare() {
  for (const Path& folder :
       {layout_.objects(), layout_.records(), layout_.lists(), layout_.logs(), layout_.partials(),
        layout_.locks(), layout_.states(), layout_.runs(), layout_.works()}) {
    if (!files_.exists(folder)) files_.make_directories(folder);
  }
}

std::optional<Record> Store::read_record(const Digest& key) {
  try {
    const std::optional<std::string> text = files_.read(layout_.record(key));
    return text ? parse_record(*text, key) : std::nullopt;
  } catch (const Error&) {  // a bad block of the disk: as good as torn
    return std::nullopt;
  }
}

std::optional<Record> Store::find(const Digest& key, std::string* damage) {
  if (!files_.exists(layout_.record(key))) return std::nullopt;
  std::optional<Record> record = read_record(key);
  const std::string problem =
      record ? problem_of(record->outputs)
             : fmt::format("record {} is damaged", layout_.record(key).string());
  if (problem.empty()) return record;
  if (damage) *damage = problem;
  return std::nullopt;
}

std::string Store::record_stamp(const Digest& key) {
  try {
    const std::optional<ContentInfo> content = digests_.digest_file(layout_.record(key));
    return content ? content->digest.hex() : "";
  } catch (const Error&) {
    return "";
  }
}

std::optional<Record> Store::find_remembered(const Digest& key, const std::string& stamp,
                                             const std::vector<RecordedOutput>& outputs) {
  if (stamp.empty() || record_stamp(key) != stamp || !problem_of(outputs).empty())
    return std::nullopt;
  Record record;
  record.key = key;
  record.outputs = outputs;
  record.remembered = true;
  return record;
}

// What is wrong with the first object that is missing or damaged; "" if none is.
std::string Store::problem_of(const std::vector<RecordedOutput>& outputs) {
  for (const RecordedOutput& output : outputs) {
    const Path path = path_of(output.object);
    try {
      const std::optional<ContentInfo> content = digests_.digest_file(path);
      if (content && fits(*content, output.object)) continue;
      return fmt::format("object {} is {}", path.string(), content ? "damaged" : "missing");
    } catch (const Error& error) {  // a bad block of the disk
      return fmt::format("object {} is damaged ({})", path.string(), error.what());
    }
  }
  return "";
}

std::string Store::reread(const ObjectRef& object, std::uint64_t* bytes) {
  try {
    const std::optional<ContentInfo> content = digests_.rehash_file(path_of(object));
    if (!content) return "missing";
    if (bytes) *bytes += content->size;
    if (content->digest != object.digest)
      return fmt::format("its contents are {}, not {}", content->digest.short_hex(),
                         object.digest.short_hex());
    if (content->is_directory != object.is_directory)  // both are empty, so their contents agree
      return object.is_directory ? "it should be a folder" : "it should be a file";
    if (content->is_executable != object.is_executable)
      return object.is_executable ? "it should be executable" : "it should not be executable";
    return "";
  } catch (const Error& error) {  // a disk that cannot be read
    return error.what();
  }
}

std::string Store::check_untouched(const ObjectRef& object) {
  const Path path = path_of(object);
  const std::optional<ContentInfo> content = digests_.digest_file(path);
  if (!content) return "was removed";
  if (fits(*content, object)) return content->is_as_known ? "" : "was changed and changed back";
  files_.remove(path);
  return "was changed";
}

// A file with a second hard link is copied first: writing to the other name would change the store.
ContentInfo Store::digest_new_output(const Path& path) {
  std::optional<ContentInfo> content = digests_.rehash_file(path);
  if (content && content->has_hard_links) {
    const Path copy = path.string() + ".copy";
    copy_tree(files_, path, copy);
    files_.remove(path);
    files_.rename(copy, path);
    content = digests_.rehash_file(path);
  }
  if (!content) throw Error("{} is not there", path.string());
  if (!content->link_out.empty())
    throw Error(
        "{} has a link that leads out of it ({}), so it is not all of the "
        "result; write a copy of the file there instead",
        path.filename().string(), content->link_out);
  return *content;
}

ObjectRef Store::put(const Path& path, Durability durability) {
  const ContentInfo content = digest_new_output(path);
  const ObjectRef object{content.digest, content.size,
                         content.is_directory ? "" : plain_extension(path), content.is_directory,
                         content.is_executable};
  const Path target = path_of(object);
  if (const std::optional<FileInfo> there = files_.info(target)) {
    if (reread(object).empty()) {  // the same contents were stored before
      if (durability == Durability::kSynced) sync_tree(files_, target);
      files_.remove(path);
      return object;
    }
    // The rename replaces a file, so that it is never missing; a folder must be removed first.
    if (there->is_directory() || object.is_directory) files_.remove(target);
  } else {
    make_folder(target.parent_path(), durability);
  }
  if (durability == Durability::kSynced) sync_tree(files_, path);
  // A folder must stay writable until it has moved, because a rename changes its "..".
  if (!object.is_directory) files_.protect(path);
  try {
    files_.rename(path, target);
  } catch (const Error&) {  // another process may have just put the same folder there
    if (!reread(object).empty()) throw;
    files_.remove(path);
    return object;
  }
  if (object.is_directory) files_.protect(target);
  if (durability == Durability::kSynced) files_.sync(target.parent_path());
  digests_.remember_moved(target, durability);
  return object;
}

// One of the 256 folders of objects or records. If it is new, its own entry must reach the disk
// too.
void Store::make_folder(const Path& folder, Durability durability) {
  if (files_.exists(folder)) return;
  files_.make_directories(folder);
  if (durability == Durability::kSynced) files_.sync(folder.parent_path());
}

void Store::save(const Record& record, Durability durability) {
  const Path path = layout_.record(record.key);
  make_folder(path.parent_path(), durability);
  const std::string text = to_text(record);
  files_.replace(path, text, durability);
  digests_.remember_written(path, digest_of(text), durability);
}

Digest Store::put_list(const std::string& text) {
  const Digest digest = digest_of(text);
  const Path path = layout_.list(digest);
  const std::optional<ContentInfo> there = digests_.digest_file(path);
  if (!there || there->digest != digest) files_.replace(path, text);
  return digest;
}

std::unique_ptr<FileLock> Store::try_lock(const Digest& key) {
  return files_.try_lock(layout_.lock(key), LockMode::kExclusive);
}

void Store::unlock(const Digest& key, std::unique_ptr<FileLock> lock) {
  // Removed while still locked: whoever opened this file before notices that it is gone (try_lock).
  files_.remove(layout_.lock(key));
  lock.reset();
}

Json read_metrics(Store& store, const Record& record) {
  const RecordedOutput* output = record.find("metrics");
  if (!output) return nullptr;
  return parse_json(store.files().read(store.path_of(output->object)).value_or(""))
      .value_or(nullptr);
}

}  // namespace headway
