#include "lib/store/housekeeping.h"

#include <algorithm>
#include <map>

#include "lib/store/outputs_tree.h"

namespace headway {
namespace {

// Files two levels down: objects/ab/cdef…
std::vector<Path> spread_entries(FileSystem& files, const Path& folder) {
  std::vector<Path> entries;
  for (const std::string& part : files.list(folder)) {
    for (const std::string& name : files.list(folder / part))
      entries.push_back(folder / part / name);
  }
  return entries;
}

std::uint64_t size_of(FileSystem& files, const Path& path, const FileInfo& info) {
  if (!info.is_directory()) return info.size;
  std::uint64_t bytes = 0;
  for (const std::string& name : files.list(path)) {
    if (const auto inner = files.info(path / name)) bytes += size_of(files, path / name, *inner);
  }
  return bytes;
}

std::optional<Digest> key_of_record(const Path& path) {
  return Digest::from_hex(path.parent_path().filename().string() + path.stem().string());
}

class Collector {
 public:
  Collector(Store& store, const std::set<Digest>& keys, double minimum_age)
      : store_(store), files_(store.files()), keys_(keys), minimum_age_(minimum_age) {}

  std::vector<Garbage> collect() {
    const Layout& layout = store_.layout();
    std::set<Path> objects;  // of records that stay
    std::set<std::string> lists;
    std::set<Digest> made;
    for (const Path& path : spread_entries(files_, layout.records())) {
      const std::optional<Digest> key = key_of_record(path);
      const std::optional<Record> record = key ? store_.read_record(*key) : std::nullopt;
      const bool used = key && keys_.contains(*key);
      if (!used && add(Garbage::Kind::kRecord, path,
                       record ? record->pipeline + "/" + record->stage : "damaged"))
        continue;
      if (!record) continue;
      made.insert(*key);
      for (const RecordedOutput& output : record->outputs)
        objects.insert(store_.path_of(output.object));
      for (const Fact& fact : record->facts) {
        if (const auto list = list_digest(fact.value)) lists.insert(list->hex());
      }
    }
    for (const Path& path : spread_entries(files_, layout.objects())) {
      if (!objects.contains(path)) add(Garbage::Kind::kObject, path);
    }
    for (const std::string& name : files_.list(layout.lists())) {
      if (!lists.contains(name)) add(Garbage::Kind::kList, layout.lists() / name);
    }
    add_unused(Garbage::Kind::kPartial, layout.partials(), made);
    add_unused_prefix_states();
    add_unused(Garbage::Kind::kLog, layout.logs());
    for (const std::string& name : files_.list(layout.locks()))
      add(Garbage::Kind::kLock, layout.locks() / name);
    for (const std::string& name : files_.list(layout.works()))
      add(Garbage::Kind::kWork, layout.works() / name);
    add_temporaries(layout.outputs(), "index.html");
    for (const Path& folder : {layout.root(), layout.states(), layout.latest()})
      add_temporaries(folder);
    for (const std::string& id : files_.list(layout.runs())) add_temporaries(layout.run(id));
    return std::move(garbage_);
  }

 private:
  // Entries named <key>.log or <key>.<attempt>. Those of `needless` keys are garbage even if the
  // key is in use.
  void add_unused(Garbage::Kind kind, const Path& folder, const std::set<Digest>& needless = {}) {
    for (const std::string& name : files_.list(folder)) {
      const std::optional<Digest> key = Digest::from_hex(Path(name).stem().string());
      if (!key || !keys_.contains(*key) || needless.contains(*key)) add(kind, folder / name);
    }
  }

  // What a process was writing when it was killed.
  void add_temporaries(const Path& folder, std::string_view of = "") {
    for (const std::string& name : files_.list(folder)) {
      if (name.starts_with(of) && is_temporary_name(name))
        add(Garbage::Kind::kTemporary, folder / name);
    }
  }

  void add_unused_prefix_states() {
    const Path folder = store_.layout().prefix_states();
    for (const Path& path : spread_entries(files_, folder)) {
      const auto name = PrefixStateName::parse(path.filename().string());
      if (name && keys_.contains(name->key)) continue;
      const auto record = name ? store_.read_record(name->key) : std::nullopt;
      add(Garbage::Kind::kPrefixState, path, record ? record->pipeline + "/" + record->stage : "");
    }
  }

  bool add(Garbage::Kind kind, const Path& path, std::string label = "") {
    const std::optional<FileInfo> info = files_.info(path);
    if (!info) return true;
    const double age = static_cast<double>(files_.now_ns() - info->mtime_ns) * 1e-9;
    if (age < minimum_age_) return false;
    garbage_.push_back({kind, path, size_of(files_, path, *info), age, std::move(label)});
    return true;
  }

  Store& store_;
  FileSystem& files_;
  const std::set<Digest>& keys_;
  const double minimum_age_;
  std::vector<Garbage> garbage_;
};

}  // namespace

std::unique_ptr<FileLock> lock_store(Store& store, LockMode mode) {
  return store.files().try_lock(store.layout().store_lock(), mode);
}

std::vector<Garbage> find_garbage(Store& store, const std::set<Digest>& keys_in_use,
                                  double minimum_age_seconds) {
  return Collector(store, keys_in_use, minimum_age_seconds).collect();
}

void remove_garbage(Store& store, const std::vector<Garbage>& garbage) {
  for (const Garbage& item : garbage) {
    store.files().remove(item.path);
    if (item.kind != Garbage::Kind::kPrefixState) continue;
    const Path family = item.path.parent_path();  // there is one for every setting ever tried
    if (store.files().list(family).empty()) store.files().remove(family);
  }
}

std::vector<Digest> recorded_keys(Store& store) {
  std::vector<Digest> keys;
  for (const Path& path : spread_entries(store.files(), store.layout().records())) {
    if (const auto key = key_of_record(path)) keys.push_back(*key);
  }
  return keys;
}

std::set<Digest> recorded_keys_of(Store& store, const std::string& label) {
  std::set<Digest> keys;
  for (const Digest& key : recorded_keys(store)) {
    const std::optional<Record> record = store.read_record(key);
    if (!record || record->pipeline == label) keys.insert(key);
  }
  return keys;
}

void hide_results(Store& store, const std::string& pipeline, const std::string& variant,
                  const std::set<std::string>& others) {
  OutputsTree tree(store, pipeline, variant, {});
  for (const std::string& name : store.files().list(tree.folder())) {
    if (!variant.empty() || !others.contains(name)) tree.hide(name);
  }
  for (Path folder = tree.folder(); folder != store.layout().outputs();
       folder = folder.parent_path()) {
    const std::optional<FileInfo> info = store.files().info(folder);
    if (!info || !info->is_directory() || !store.files().list(folder).empty()) return;
    store.files().remove(folder);
  }
}

std::vector<Path> places_after_move(const Path& file, const Path& folder) {
  std::vector<Path> places;
  const Path below = file.relative_path();
  for (auto first = below.begin(); first != below.end(); ++first) {
    Path place = folder;
    for (auto part = first; part != below.end(); ++part) place /= *part;
    places.push_back(place);
  }
  return places;
}

Verification verify_store(Store& store) {
  Verification result;
  std::map<Path, std::string> checked;  // object -> what is wrong with it
  const auto check = [&](const ObjectRef& object) -> const std::string& {
    const auto [found, is_new] = checked.emplace(store.path_of(object), "");
    if (is_new) {
      ++result.objects;
      found->second = store.reread(object, &result.bytes);
    }
    return found->second;
  };
  for (const Digest& key : recorded_keys(store)) {
    ++result.records;
    const std::optional<Record> record = store.read_record(key);
    if (!record)
      result.damages.push_back({store.layout().record(key), "not a whole record", "", key, {}});
    for (const RecordedOutput& output : record ? record->outputs : std::vector<RecordedOutput>()) {
      const std::string& problem = check(output.object);
      if (problem.empty()) continue;
      result.damages.push_back({store.path_of(output.object), problem,
                                record->pipeline + "/" + record->stage + "." + output.name, key,
                                output.object});
    }
  }
  return result;
}

void remove_damage(Store& store, const Verification& verification) {
  for (const Damage& damage : verification.damages) {
    const bool is_object = !damage.object.digest.empty();
    const bool is_whole =
        is_object ? store.reread(damage.object).empty() : store.read_record(damage.key).has_value();
    if (is_whole) continue;  // it was made again
    store.files().remove(store.layout().record(damage.key));
    if (is_object) store.files().remove(damage.path);
  }
}

void distrust_damage(Store& store, const Verification& verification) {
  for (const Damage& damage : verification.damages) store.digests().distrust(damage.path);
}

}  // namespace headway
