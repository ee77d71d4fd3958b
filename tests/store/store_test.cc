// Objects, records, lists and locks.
#include "lib/store/store.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

struct StoreWorld {
  MemoryFileSystem files;
  Store store{files, "/headway-test/outputs"};
  const Path work = "/headway-test/outputs/.headway/work/1";
  StoreWorld() {
    store.prepare();
    files.make_directories(work);
  }
  ObjectRef put(const std::string& name, const std::string& bytes,
                Durability durability = Durability::kCached) {
    files.put(work / name, bytes);
    return store.put(work / name, durability);
  }
};

Record record_of(const ObjectRef& object) {
  Record record;
  record.key = digest_of("key");
  record.stage = "train";
  record.pipeline = "addition/wide";
  record.facts = {{"stage type", "shell"}, {"param run", "\"x\"\n\ttab"}};
  record.references = {{"seed", "1"}};
  record.outputs = {{"o", "deep/o.csv", object}};
  record.seconds = 0.1;
  record.cpu_seconds = 0.2;
  record.peak_memory = 12345678901;
  record.finished = 1'700'000'000;
  record.version = "0.1.0";
  record.numerics = "AVX2";
  return record;
}

// Creates the same folder, like another process, just before ours is moved into place.
class RacingFileSystem final : public FileSystem {
 public:
  explicit RacingFileSystem(MemoryFileSystem& files) : files_(files) {}
  std::optional<FileInfo> info(const Path& path) override { return files_.info(path); }
  std::optional<std::string> read(const Path& path) override { return files_.read(path); }
  std::string read_end(const Path& path, std::size_t most) override {
    return files_.read_end(path, most);
  }
  std::vector<std::string> list(const Path& directory) override { return files_.list(directory); }
  std::optional<std::string> read_link(const Path& path) override { return files_.read_link(path); }
  Digest digest(const Path& file) override { return files_.digest(file); }
  void write(const Path& path, std::string_view bytes, Durability durability) override {
    files_.write(path, bytes, durability);
  }
  void append(const Path& path, std::string_view bytes) override { files_.append(path, bytes); }
  void copy(const Path& from, const Path& to) override { files_.copy(from, to); }
  void make_directories(const Path& directory) override { files_.make_directories(directory); }
  void make_link(const Path& target, const Path& path) override { files_.make_link(target, path); }
  void rename(const Path& from, const Path& to) override {
    if (files_.info(from)->is_directory()) {
      for (const std::string& name : files_.list(from))
        files_.put(to / name, *files_.read(from / name));
      files_.protect(to);
    }
    files_.rename(from, to);
  }
  void remove(const Path& path) override { files_.remove(path); }
  void protect(const Path& path) override { files_.protect(path); }
  void sync(const Path& path) override { files_.sync(path); }
  void sync_all(const Path& path) override { files_.sync_all(path); }
  bool is_locked(const Path& path) override { return files_.is_locked(path); }
  std::unique_ptr<FileLock> try_lock(const Path& path, LockMode mode) override {
    return files_.try_lock(path, mode);
  }
  std::int64_t now_ns() override { return files_.now_ns(); }

 private:
  MemoryFileSystem& files_;
};

}  // namespace

TEST_CASE("an object is named by its contents, keeps its extension and is protected", "[store]") {
  StoreWorld world;
  const ObjectRef object = world.put("table.csv", "1,2");
  CHECK(object.digest == digest_of("1,2"));
  CHECK(object.size == 3);
  CHECK(object.extension == ".csv");
  CHECK(!object.is_directory);
  const std::string hex = object.digest.hex();
  const Path path = world.store.path_of(object);
  CHECK(path == "/headway-test/outputs/.headway/objects/" + hex.substr(0, 2) + "/" + hex.substr(2) +
                    ".csv");
  CHECK(world.files.read(path) == "1,2");
  CHECK(world.files.is_protected(path));
  CHECK(!world.files.exists(world.work / "table.csv"));
}

TEST_CASE("unusual extensions are left out of an object's name", "[store]") {
  StoreWorld world;
  CHECK(world.put("no_extension", "1").extension.empty());
  CHECK(world.put("x.tar.gz", "2").extension == ".gz");
  CHECK(world.put("x.with space", "3").extension.empty());
  CHECK(world.put("x.averyveryverylong", "4").extension.empty());
  CHECK(world.put(".hidden", "5").extension.empty());
  CHECK(world.put("x.", "6").extension.empty());
}

TEST_CASE("equal contents are stored once", "[store]") {
  StoreWorld world;
  const ObjectRef first = world.put("a.csv", "same");
  const std::uint64_t inode = world.files.info(world.store.path_of(first))->inode;
  const ObjectRef second = world.put("b.csv", "same");
  CHECK(second.digest == first.digest);
  CHECK(world.files.info(world.store.path_of(second))->inode == inode);
  CHECK(!world.files.exists(world.work / "b.csv"));
}

TEST_CASE("equal contents that were damaged are stored again", "[store]") {
  StoreWorld world;
  const ObjectRef first = world.put("a.csv", "same");
  world.files.edit_keeping_mtime(world.store.path_of(first), "rott");
  world.put("b.csv", "same");
  CHECK(world.files.read(world.store.path_of(first)) == "same");
}

TEST_CASE("a folder is an object identified by the names and contents of everything in it",
          "[store]") {
  StoreWorld world;
  const auto put_folder = [&](const std::string& name,
                              const std::map<std::string, std::string>& contents) {
    world.files.make_directories(world.work / name);
    for (const auto& [file, bytes] : contents) world.files.put(world.work / name / file, bytes);
    return world.store.put(world.work / name, Durability::kSynced);
  };
  const ObjectRef site = put_folder("site", {{"a", "1"}, {"b/c", "23"}});
  CHECK(site.is_directory);
  CHECK(site.size == 3);
  CHECK(site.extension.empty());
  CHECK(world.files.read(world.store.path_of(site) / "b" / "c") == "23");
  CHECK(world.files.is_protected(world.store.path_of(site) / "b" / "c"));
  CHECK(put_folder("again", {{"a", "1"}, {"b/c", "23"}}).digest == site.digest);
  CHECK(put_folder("other", {{"a", "1"}, {"b/d", "23"}}).digest != site.digest);
  CHECK(put_folder("flat", {{"a", "1"}, {"bc", "23"}}).digest != site.digest);
  CHECK(put_folder("more", {{"a", "1"}, {"b/c", "23"}, {"d", ""}}).digest != site.digest);
  CHECK(put_folder("empty", {}).digest != site.digest);
}

TEST_CASE("an empty file may replace an empty folder, and vice versa", "[store]") {
  StoreWorld world;
  world.files.make_directories(world.work / "folder");
  const ObjectRef folder = world.store.put(world.work / "folder", Durability::kCached);
  const ObjectRef file = world.put("file", "");
  REQUIRE(world.store.path_of(file) == world.store.path_of(folder));
  CHECK(world.files.read(world.store.path_of(file)) == "");
  world.files.make_directories(world.work / "folder");
  world.store.put(world.work / "folder", Durability::kCached);
  CHECK(world.files.info(world.store.path_of(folder))->is_directory());
}

TEST_CASE("two processes may store equal folders at the same time", "[store]") {
  MemoryFileSystem memory;
  RacingFileSystem files(memory);
  Store store(files, "/headway-test/outputs");
  store.prepare();
  memory.put("/headway-test/work/site/a", "1");
  const ObjectRef object = store.put("/headway-test/work/site", Durability::kCached);
  CHECK(memory.read(store.path_of(object) / "a") == "1");
}

TEST_CASE("storing a missing file is an error", "[store]") {
  StoreWorld world;
  CHECK_THROWS_AS(world.store.put(world.work / "nothing", Durability::kCached), Error);
}

TEST_CASE("a record is read back as it was saved", "[store]") {
  StoreWorld world;
  const Record saved = record_of(world.put("o.csv", "1"));
  world.store.save(saved, Durability::kSynced);
  std::string damage;
  const std::optional<Record> found = world.store.find(saved.key, &damage);
  REQUIRE(found);
  CHECK(damage.empty());
  CHECK(to_text(*found) == to_text(saved));
  CHECK(found->facts == saved.facts);
  CHECK(found->references == saved.references);
  CHECK(found->outputs[0].file == "deep/o.csv");
  CHECK(found->outputs[0].object.digest == saved.outputs[0].object.digest);
  CHECK(found->find("o"));
  CHECK(!found->find("p"));
  CHECK(!world.store.find(digest_of("another key"), &damage));
  CHECK(damage.empty());
}

TEST_CASE("facts that are not UTF-8 do not break a record", "[store]") {
  StoreWorld world;
  Record record = record_of(world.put("o.csv", "1"));
  record.facts.push_back({"variable X", "\xFF\xFE"});
  world.store.save(record, Durability::kCached);
  CHECK(world.store.find(record.key));
}

TEST_CASE("a truncated record is not a record", "[store]") {
  StoreWorld world;
  const Record record = record_of(world.put("o.csv", "1"));
  const std::string text = to_text(record);
  for (std::size_t size = 0; size + 2 < text.size(); ++size)
    REQUIRE(!parse_record(text.substr(0, size), record.key));
  CHECK(parse_record(text, record.key));
  CHECK(!parse_record(text, digest_of("another key")));
}

TEST_CASE("a record that is nested a million levels deep is not a record", "[store]") {
  Record record = record_of({});
  const std::string text = to_text(record);
  REQUIRE(parse_record(text, record.key));
  const std::string machine = "\"machine\": ";
  const std::size_t at = text.find(machine) + machine.size();
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  CHECK_FALSE(
      parse_record(text.substr(0, at) + deep + text.substr(text.find(',', at)), record.key));
}

TEST_CASE("a remembered record is found by its digest alone while its objects are intact",
          "[store]") {
  StoreWorld world;
  const Record record = record_of(world.put("o.csv", "1"));
  world.store.save(record, Durability::kCached);
  const std::string stamp = world.store.record_stamp(record.key);
  CHECK(world.store.record_stamp(digest_of("another")).empty());
  const auto found = world.store.find_remembered(record.key, stamp, record.outputs);
  REQUIRE(found);
  CHECK(found->remembered);
  CHECK(!world.store.find_remembered(record.key, "", record.outputs));
  CHECK(!world.store.find_remembered(record.key, stamp + "1", record.outputs));
  SECTION("not after another record was written") {
    Record other = record;
    other.seconds += 1;
    world.store.save(other, Durability::kCached);
  }
  SECTION("not after the record was damaged") {
    world.files.edit_keeping_mtime(world.store.layout().record(record.key), "");
  }
  SECTION("not after an object was damaged") {
    world.files.edit_keeping_mtime(world.store.path_of(record.outputs[0].object), "2");
  }
  SECTION("not after an object was removed") {
    world.files.remove(world.store.path_of(record.outputs[0].object));
  }
  SECTION("not after the record was removed") {
    world.files.remove(world.store.layout().record(record.key));
  }
  CHECK(!world.store.find_remembered(record.key, stamp, record.outputs));
}

TEST_CASE("a record that cannot be written leaves nothing behind", "[store]") {
  StoreWorld world;
  FaultyFileSystem faulty(world.files);
  Store store(faulty, "/headway-test/outputs");
  const Record record = record_of(world.put("o.csv", "1"));
  world.files.make_directories(world.store.layout().record(record.key).parent_path());
  faulty.fill_disk_at(0, true);
  CHECK_THROWS_AS(store.save(record, Durability::kCached), Error);
  CHECK(world.files.list(world.store.layout().record(record.key).parent_path()).empty());
}

TEST_CASE("a list is stored under the digest of its text", "[store]") {
  StoreWorld world;
  const Digest digest = world.store.put_list("1 a\n2 b\n");
  CHECK(digest == digest_of("1 a\n2 b\n"));
  CHECK(world.files.read(world.store.layout().list(digest)) == "1 a\n2 b\n");
  CHECK(world.store.put_list("1 a\n2 b\n") == digest);
}

TEST_CASE("a key's lock is exclusive and leaves no file", "[store]") {
  StoreWorld world;
  Store other(world.files, "/headway-test/outputs");
  const Digest key = digest_of("key");
  std::unique_ptr<FileLock> lock = world.store.try_lock(key);
  REQUIRE(lock);
  CHECK(!other.try_lock(key));
  CHECK(other.try_lock(digest_of("another")));
  world.store.unlock(key, std::move(lock));
  CHECK(other.try_lock(key));
  std::unique_ptr<FileLock> again = world.store.try_lock(key);
  world.store.unlock(key, std::move(again));
  CHECK(!world.files.exists(world.store.layout().lock(key)));
}

TEST_CASE("preparing a store twice is fine", "[store]") {
  StoreWorld world;
  const auto before = world.files.tree("/headway-test/outputs");
  world.store.prepare();
  CHECK(world.files.tree("/headway-test/outputs") == before);
}

TEST_CASE("a copied folder has the links of the original, including dangling ones", "[store]") {
  MemoryFileSystem files;
  files.put("/from/in/file", "text");
  files.make_link("in/file", "/from/link");
  files.make_link("nowhere", "/from/dangling");
  copy_tree(files, "/from", "/to");
  CHECK(files.tree("/to") == files.tree("/from"));
  CHECK(files.read_link("/to/dangling") == "nowhere");
}

}  // namespace headway::testing
