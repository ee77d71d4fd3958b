// The fake file system against the contract of the real one: the same checks, on both.
#include <unistd.h>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

struct InMemory {
  MemoryFileSystem files;
  Path folder = "/headway-test/contract";
  InMemory() { files.make_directories(folder); }
};

struct OnDisk {
  RealFileSystem files;
  Path folder;
  OnDisk() {
    std::string name = "/tmp/headway-contract-XXXXXX";
    folder = ::mkdtemp(name.data());
  }
  ~OnDisk() { files.remove(folder); }
};

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEMPLATE_TEST_CASE("the in-memory file system fulfils the contract of the real one", "[files]",
                   InMemory, OnDisk) {
  TestType world;
  FileSystem& files = world.files;
  const Path at = world.folder;
  const auto cached = Durability::kCached;

  SECTION("a missing file is an answer, not a failure") {
    CHECK(!files.info(at / "x"));
    CHECK(!files.read(at / "x"));
    CHECK(files.read_end(at / "x", 3).empty());
    CHECK(files.list(at / "x").empty());
    CHECK(!files.read_link(at / "x"));
    files.remove(at / "x");
    CHECK(error_of([&] { files.digest(at / "x"); }) ==
          "cannot read " + (at / "x").string() + ": no such file or directory");
    CHECK(error_of([&] { files.write(at / "no" / "x", "", cached); }) ==
          "cannot write " + (at / "no/x").string() + ": no such file or directory");
  }
  SECTION("files are written, read, extended, copied, replaced") {
    files.write(at / "a", "one", cached);
    CHECK(files.read(at / "a") == "one");
    files.append(at / "a", " two");
    CHECK(files.read_end(at / "a", 3) == "two");
    CHECK(files.digest(at / "a") == digest_of("one two"));
    CHECK(files.info(at / "a")->size == 7);
    CHECK(files.info(at / "a")->is_file());
    files.copy(at / "a", at / "b");
    files.replace(at / "a", "three", Durability::kSynced);
    CHECK(files.read(at / "a") == "three");
    CHECK(files.read(at / "b") == "one two");
    CHECK(files.list(at) == std::vector<std::string>{"a", "b"});
    CHECK(!files.read(at / "a" / "below"));  // below a file there is nothing
    CHECK(files.list(at / "a").empty());
  }
  SECTION("folders") {
    files.make_directories(at / "f" / "g");
    files.make_directories(at / "f" / "g");
    files.write(at / "f" / "g" / "x", "x", cached);
    CHECK(files.info(at / "f")->is_directory());
    CHECK(error_of([&] { files.read(at / "f"); }) ==
          "cannot read " + (at / "f").string() + ": is a directory");
    CHECK(error_of([&] { files.make_directories(at / "f" / "g" / "x"); }) ==
          "cannot make the folder " + (at / "f/g/x").string() + ": file exists");
    files.remove(at / "f");
    CHECK(!files.exists(at / "f"));
  }
  SECTION("info does not follow links, and reading does") {
    files.make_directories(at / "f");
    files.write(at / "f" / "x", "x", cached);
    files.make_link("f/x", at / "link");
    files.make_link("f", at / "folder");
    CHECK(files.info(at / "link")->kind == FileInfo::Kind::kSymlink);
    CHECK(files.read_link(at / "link") == "f/x");
    CHECK(!files.read_link(at / "f" / "x"));
    CHECK(files.read(at / "link") == "x");
    CHECK(files.read(at / "folder" / "x") == "x");
    CHECK(files.list(at / "folder") == std::vector<std::string>{"x"});
    CHECK(error_of([&] { files.make_link("f", at / "link"); }) ==
          "cannot make the link " + (at / "link").string() + ": file exists");
    files.make_directories(at / "folder");  // leads to one
    files.remove(at / "folder");
    CHECK(files.read(at / "f" / "x") == "x");
  }
  SECTION("renaming replaces a file or an empty folder, and nothing else") {
    files.write(at / "a", "a", cached);
    files.write(at / "b", "b", cached);
    const std::uint64_t inode = files.info(at / "a")->inode;
    files.rename(at / "a", at / "b");
    CHECK(files.read(at / "b") == "a");
    CHECK(files.info(at / "b")->inode == inode);
    files.make_directories(at / "full" / "x");
    files.make_directories(at / "other");
    CHECK(error_of([&] { files.rename(at / "b", at / "full"); }) ==
          "cannot rename to " + (at / "full").string() + ": is a directory");
    CHECK(error_of([&] { files.rename(at / "other", at / "full"); }) ==
          "cannot rename to " + (at / "full").string() + ": directory not empty");
    CHECK(error_of([&] { files.rename(at / "other", at / "b"); }) ==
          "cannot rename to " + (at / "b").string() + ": not a directory");
    files.rename(at / "full", at / "other");
    CHECK(files.exists(at / "other" / "x"));
  }
  SECTION("a protected tree can still be removed") {
    files.make_directories(at / "f" / "g");
    files.write(at / "f" / "g" / "x", "x", cached);
    files.protect(at / "f");
    files.remove(at / "f");
    CHECK(!files.exists(at / "f"));
  }
  SECTION("locks exclude each other, and a removed lock file guards nothing") {
    auto shared = files.try_lock(at / "lock", LockMode::kShared);
    auto shared_too = files.try_lock(at / "lock", LockMode::kShared);
    REQUIRE(shared);
    REQUIRE(shared_too);
    CHECK(!files.try_lock(at / "lock", LockMode::kExclusive));
    shared.reset();
    shared_too.reset();
    auto alone = files.try_lock(at / "lock", LockMode::kExclusive);
    REQUIRE(alone);
    CHECK(!files.try_lock(at / "lock", LockMode::kShared));
    files.remove(at / "lock");
    CHECK(files.try_lock(at / "lock", LockMode::kExclusive));
  }
}

TEST_CASE("a protected file in memory cannot be written", "[files]") {
  InMemory world;
  world.files.put(world.folder / "f" / "x", "x");
  world.files.protect(world.folder / "f");
  CHECK(error_of([&] { world.files.write(world.folder / "f" / "x", "y", Durability::kCached); }) ==
        "cannot write /headway-test/contract/f/x: permission denied");
  CHECK(error_of([&] {
          world.files.write(world.folder / "f" / "new", "y", Durability::kCached);
        }) == "cannot write /headway-test/contract/f/new: permission denied");
  CHECK(error_of([&] { world.files.rename(world.folder / "f" / "x", world.folder / "x"); }) ==
        "cannot rename to /headway-test/contract/x: permission denied");
}

TEST_CASE("the faulty file system fails as requested", "[files]") {
  InMemory world;
  FaultyFileSystem files(world.files);
  const Path at = world.folder;
  SECTION("a full disk tears the write in progress") {
    files.fill_disk_at(1, false);
    files.write(at / "a", "abcd", Durability::kCached);
    CHECK(error_of([&] { files.write(at / "b", "abcd", Durability::kCached); }) ==
          "cannot write /headway-test/contract/b: no space left on device");
    CHECK(files.read(at / "b") == "ab");
    files.write(at / "c", "abcd", Durability::kCached);
  }
  SECTION("a full disk stays full, and can be read and cleared") {
    files.write(at / "a", "abcd", Durability::kCached);
    files.fill_disk_at(1, true);
    CHECK(!error_of([&] { files.make_directories(at / "f"); }).empty());
    CHECK(!error_of([&] { files.append(at / "a", "x"); }).empty());
    CHECK(files.read(at / "a") == "abcd");
    files.remove(at / "a");
  }
  SECTION("a read-only folder") {
    files.make_read_only(at / "f");
    CHECK(error_of([&] { files.make_directories(at / "f"); }) ==
          "cannot make the folder /headway-test/contract/f: read-only file system");
    files.write(at / "fine", "", Durability::kCached);
  }
  SECTION("after a crash nothing happens any more") {
    files.crash_at(1, true);
    files.write(at / "a", "abcd", Durability::kCached);
    CHECK(!error_of([&] { files.write(at / "a", "efgh", Durability::kCached); }).empty());
    CHECK(!error_of([&] { files.remove(at / "a"); }).empty());
    CHECK(!error_of([&] { files.info(at / "a"); }).empty());
    CHECK(world.files.read(at / "a") == "ef");
    files.heal();
    files.remove(at / "a");
  }
}

TEST_CASE("a power cut in memory tears only what is not synced", "[files]") {
  MemoryFileSystem files;
  const auto cached = Durability::kCached;
  files.write("/synced", "synced", Durability::kSynced);
  files.write("/grown", "first", cached);
  files.sync("/grown");
  files.append("/grown", "second");
  files.write("/new", "new", cached);
  const auto left_by = [&](Tear tear) {
    MemoryFileSystem after;
    const DiskState state = files.state();
    after.restore(torn(state, unsettled_files(state), tear));
    return after.tree("/");
  };
  using Tree = std::map<std::string, std::string>;
  CHECK(left_by(Tear::kNone) == files.tree("/"));
  CHECK(left_by(Tear::kGone) == Tree{{"grown", "first"}, {"new", ""}, {"synced", "synced"}});
  CHECK(left_by(Tear::kHalf) == Tree{{"grown", "firstsec"}, {"new", "n"}, {"synced", "synced"}});
  CHECK(left_by(Tear::kShort) == Tree{{"grown", "firstseco"}, {"new", "n"}, {"synced", "synced"}});
  CHECK(left_by(Tear::kZeros) == Tree{{"grown", "first" + std::string(6, '\0')},
                                      {"new", std::string(3, '\0')},
                                      {"synced", "synced"}});
  const FileInfo before = *files.info("/new");
  const DiskState state = files.state();
  files.restore(torn(state, unsettled_files(state), Tear::kZeros));
  CHECK(files.info("/new")->mtime_ns == before.mtime_ns);
  CHECK(files.info("/new")->ctime_ns == before.ctime_ns);
  CHECK(files.info("/new")->inode == before.inode);
}

TEST_CASE("after a failed sync in memory, another one makes nothing durable", "[files]") {
  MemoryFileSystem files;
  files.write("/a", "a", Durability::kCached);
  files.lose_unsynced("/a");
  files.sync("/a");
  files.sync_all("/");
  CHECK(unsettled_files(files.state()).size() == 1);
  files.write("/a", "again", Durability::kCached);
  files.sync("/a");
  CHECK(unsettled_files(files.state()).empty());
}

TEST_CASE("every change in memory is recorded as a moment with its contents", "[files]") {
  MemoryFileSystem files;
  std::vector<Moment> moments;
  files.record(&moments);
  files.write("/a", "1", Durability::kCached);
  files.append("/a", "2");
  files.rename("/a", "/b");
  files.record(nullptr);
  files.remove("/b");
  std::vector<std::string> changes;
  for (const Moment& moment : moments) changes.push_back(moment.change);
  CHECK(changes ==
        std::vector<std::string>{"create /a", "write /a", "append to /a", "rename to /b"});
  files.restore(moments[2].state);
  CHECK(files.read("/a") == "12");
  files.restore(moments[3].state);
  CHECK(files.read("/b") == "12");
}

}  // namespace headway::testing
