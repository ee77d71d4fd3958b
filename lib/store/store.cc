#include "lib/store/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"

namespace headway {
namespace {

// Kept in an object's name for programs that go by it. Anything unusual is left out.
std::string safe_extension(const Path& path) {
  const std::string extension = path.extension().string();
  const bool plain = extension.size() >= 2 && extension.size() <= 12 &&
                     std::all_of(extension.begin() + 1, extension.end(),
                                 [](unsigned char c) { return std::isalnum(c); });
  return plain ? extension : "";
}

}  // namespace

void copy_tree(FileSystem& files, const Path& from, const Path& to) {
  const std::optional<FileInfo> info = files.info(from);
  if (!info) throw Error(fmt::format("{} is gone", from.string()));
  if (info->kind == FileInfo::Kind::kSymlink)
    return files.make_link(files.read_link(from).value_or(""), to);
  if (!info->is_directory()) return files.copy(from, to);
  files.make_directories(to);
  for (const std::string& name : files.list(from)) copy_tree(files, from / name, to / name);
}

Store::Store(FileSystem& files, const Path& outputs)
    : files_(files), layout_(outputs), digests_(files, layout_.digests()) {}

void Store::prepare() {
  for (const Path& folder :
       {layout_.objects(), layout_.records(), layout_.lists(), layout_.logs(), layout_.partials(),
        layout_.locks(), layout_.states(), layout_.runs(), layout_.works(), layout_.parsed()}) {
    if (!files_.exists(folder)) files_.make_directories(folder);
  }
}

std::optional<Record> Store::read_record(const Digest& key) {
  const std::optional<std::string> text = files_.read(layout_.record(key));
  return text ? parse_record(*text, key) : std::nullopt;
}

std::optional<Record> Store::find(const Digest& key, std::string* damage) {
  const std::optional<std::string> text = files_.read(layout_.record(key));
  if (!text) return std::nullopt;
  std::optional<Record> record = parse_record(*text, key);
  std::string problem;
  if (!record) {
    problem = fmt::format("record {} is damaged", layout_.record(key).string());
  } else {
    for (const RecordedOutput& output : record->outputs) {
      if (!is_whole(output.object, problem)) break;
    }
  }
  if (problem.empty()) return record;
  if (damage) *damage = problem;
  return std::nullopt;
}

std::string Store::record_stamp(const Digest& key) {
  const std::optional<FileInfo> info = files_.info(layout_.record(key));
  return info ? fmt::format("{}.{}.{}.{}", info->inode, info->size, info->mtime_ns, info->ctime_ns)
              : "";
}

std::optional<Record> Store::find_remembered(const Digest& key, const std::string& stamp,
                                             const std::vector<RecordedOutput>& outputs) {
  if (stamp.empty() || record_stamp(key) != stamp) return std::nullopt;
  std::string problem;
  for (const RecordedOutput& output : outputs) {
    if (!is_whole(output.object, problem)) return std::nullopt;
  }
  Record record;
  record.key = key;
  record.outputs = outputs;
  record.remembered = true;
  return record;
}

bool Store::is_whole(const ObjectRef& object, std::string& problem) {
  const Path path = path_of(object);
  const std::optional<ContentInfo> content = digests_.look(path);
  if (content && content->digest == object.digest && content->is_directory == object.is_directory)
    return true;
  problem = fmt::format("object {} is {}", path.string(), content ? "damaged" : "missing");
  return false;
}

ObjectRef Store::put(const Path& path, Durability durability) {
  const std::optional<ContentInfo> content = digests_.look_again(path);
  if (!content) throw Error(fmt::format("{} is not there", path.string()));
  const ObjectRef object{content->digest, content->size,
                         content->is_directory ? "" : safe_extension(path), content->is_directory};
  const Path target = path_of(object);
  std::string problem;
  if (files_.exists(target)) {
    if (is_whole(object, problem)) {  // the same contents were made before
      files_.remove(path);
      return object;
    }
    files_.remove(target);
  } else if (!files_.exists(target.parent_path())) {
    files_.make_directories(target.parent_path());
  }
  if (durability == Durability::kSynced && !object.is_directory) files_.sync(path);
  // A folder must stay writable until it has moved: its ".." changes with the rename.
  if (!object.is_directory) files_.protect(path);
  try {
    files_.rename(path, target);
  } catch (const Error&) {  // another process may have put the same folder there this moment
    if (!is_whole(object, problem)) throw;
    files_.remove(path);
    return object;
  }
  if (object.is_directory) files_.protect(target);
  if (durability == Durability::kSynced) files_.sync(target.parent_path());
  if (!object.is_directory) digests_.remember(target, object.digest);
  return object;
}

void Store::save(const Record& record, Durability durability) {
  const Path path = layout_.record(record.key);
  if (!files_.exists(path.parent_path())) files_.make_directories(path.parent_path());
  files_.replace(path, to_text(record), durability);
}

Digest Store::put_list(const std::string& text) {
  const Digest digest = digest_of(text);
  const Path path = layout_.list(digest);
  if (!files_.exists(path)) files_.replace(path, text);
  return digest;
}

std::unique_ptr<FileLock> Store::try_lock(const Digest& key) {
  return files_.try_lock(layout_.lock(key), LockMode::kExclusive);
}

void Store::unlock(const Digest& key, std::unique_ptr<FileLock> lock) {
  // Removed before it is let go: whoever waits on the removed file notices and takes a new one.
  files_.remove(layout_.lock(key));
  lock.reset();
}

}  // namespace headway
