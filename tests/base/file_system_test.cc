#include "lib/base/file_system.h"

#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <thread>

#include "lib/base/error.h"
#include "tests/support/temporary_folder.h"

namespace headway {
namespace {

using testing::TemporaryFolder;

std::string failure(const std::function<void()>& act) {
  try {
    act();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_CASE("what is written is read back, byte for byte", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  std::string bytes("a\0b\n\xff", 5);
  for (const Durability durability : {Durability::kCached, Durability::kSynced}) {
    files.write(folder / "f", bytes, durability);
    CHECK(files.read(folder / "f") == bytes);
  }
  bytes.assign(3'000'000, 'x');  // more than one chunk
  files.write(folder / "f", bytes, Durability::kCached);
  CHECK(files.read(folder / "f") == bytes);
  CHECK(files.digest(folder / "f") == digest_of(bytes));
  files.write(folder / "f", "", Durability::kCached);
  CHECK(files.read(folder / "f") == "");
}

TEST_CASE("only names that a replacement gives are temporary", "[base]") {
  CHECK(is_temporary_name("p@wide.tmp-12-0"));
  for (const char* name : {"p", "p.tmp-1", "x=run.tmp-1", "p.tmp-a-1", "p.tmp-1-", "12-1", ""})
    CHECK_FALSE(is_temporary_name(name));
}

TEST_CASE("a missing file is an answer, not a failure", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const Path nowhere = folder.write("file", "x") / "below-a-file";
  for (const Path& path : {folder / "no", folder / "no/such", nowhere}) {
    CHECK_FALSE(files.info(path));
    CHECK_FALSE(files.exists(path));
    CHECK_FALSE(files.read(path));
    CHECK(files.read_end(path, 10) == "");
    CHECK(files.list(path).empty());
    CHECK_FALSE(files.read_link(path));
    CHECK_NOTHROW(files.remove(path));
  }
}

TEST_CASE("failures name the path and the reason", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const std::string missing = (folder / "no/file").string();
  CHECK(failure([&] { files.write(missing, "x", Durability::kCached); }) ==
        "cannot write " + missing + ": no such file or directory");
  CHECK(failure([&] { files.digest(missing); }) ==
        "cannot read " + missing + ": no such file or directory");
  CHECK(failure([&] { files.copy(missing, folder / "x"); }) ==
        "cannot read " + missing + ": no such file or directory");
  CHECK(failure([&] { files.rename(missing, folder / "x"); }) ==
        "cannot rename to " + (folder / "x").string() + ": no such file or directory");
  CHECK(failure([&] { files.read(folder.path()); }) ==
        "cannot read " + folder.path().string() + ": is a directory");
  const std::string file = folder.write("file", "").string();
  CHECK(failure([&] { files.make_directories(file); }) ==
        "cannot make the folder " + file + ": file exists");
  CHECK(failure([&] { files.make_link("x", file); }) ==
        "cannot make the link " + file + ": file exists");
}

TEST_CASE("a full disk is reported", "[base]") {
  RealFileSystem files;
  CHECK(failure([&] { files.write("/dev/full", "x", Durability::kCached); }) ==
        "cannot write /dev/full: no space left on device");
}

TEST_CASE("file information distinguishes kinds of files and does not follow links", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  folder.write("file", "12345");
  files.make_link("file", folder / "link");
  files.make_link("nowhere", folder / "dangling");
  CHECK(files.info(folder / "file")->is_file());
  CHECK(files.info(folder / "file")->size == 5);
  CHECK(files.info(folder.path())->is_directory());
  CHECK(files.info(folder / "link")->kind == FileInfo::Kind::kSymlink);
  CHECK(files.info(folder / "dangling")->kind == FileInfo::Kind::kSymlink);
  CHECK(files.info("/dev/null")->kind == FileInfo::Kind::kOther);
  CHECK(files.read_link(folder / "link") == "file");
  CHECK_FALSE(files.read_link(folder / "file"));
  CHECK(files.info(folder / "file")->mtime_ns <= files.now_ns());
}

TEST_CASE("names in a folder are sorted", "[base]") {
  const TemporaryFolder folder;
  for (const char* name : {"b", "a", "c/d", ".hidden"}) folder.write(name, "");
  CHECK(RealFileSystem().list(folder.path()) == std::vector<std::string>{".hidden", "a", "b", "c"});
}

TEST_CASE("appending creates a file and then extends it", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  files.append(folder / "log", "one\n");
  files.append(folder / "log", "two\n");
  CHECK(folder.read("log") == "one\ntwo\n");
  CHECK(files.read_end(folder / "log", 4) == "two\n");
  CHECK(files.read_end(folder / "log", 100) == "one\ntwo\n");
}

TEST_CASE("folders are created with their parents, and creating them again is no error", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  files.make_directories(folder / "a/b/c");
  files.make_directories(folder / "a/b/c");
  files.make_directories(folder / "a/b/d/");
  CHECK(files.list(folder / "a/b") == std::vector<std::string>{"c", "d"});
}

TEST_CASE("replacing leaves the new contents and no temporary files", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  files.replace(folder / "f", "old");
  files.replace(folder / "f", "new", Durability::kSynced);
  CHECK(folder.read("f") == "new");
  CHECK(files.list(folder.path()) == std::vector<std::string>{"f"});
}

TEST_CASE("a failed replacement leaves the old contents and no temporary files", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  files.make_directories(folder / "f");  // a file cannot be renamed onto a folder
  folder.write("f/inside", "kept");
  CHECK_FALSE(failure([&] { files.replace(folder / "f", "new"); }).empty());
  CHECK(folder.read("f/inside") == "kept");
  CHECK(files.list(folder.path()) == std::vector<std::string>{"f"});
}

TEST_CASE("a reader never sees a partial replacement", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const std::string a(100'000, 'a');
  const std::string b(200'000, 'b');
  files.replace(folder / "f", a);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 100; ++i) RealFileSystem().replace(folder / "f", i % 2 ? a : b);
    done = true;
  });
  int torn = 0;
  while (!done) {
    const auto seen = files.read(folder / "f");
    torn += !seen || (*seen != a && *seen != b);
  }
  writer.join();
  CHECK(torn == 0);
}

TEST_CASE("two writers replacing the same file do not disturb each other", "[base]") {
  const TemporaryFolder folder;
  const auto work = [&](const std::string& text) {
    for (int i = 0; i < 50; ++i) RealFileSystem().replace(folder / "f", text);
  };
  std::thread other(work, "other");
  work("one");
  other.join();
  const std::string left = folder.read("f");
  CHECK((left == "one" || left == "other"));
  CHECK(RealFileSystem().list(folder.path()) == std::vector<std::string>{"f"});
}

TEST_CASE("a copy of a read-only file is writable", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  folder.write("from", "x");
  files.protect(folder / "from");
  files.copy(folder / "from", folder / "to");
  struct stat status;
  REQUIRE(::stat((folder / "to").c_str(), &status) == 0);
  CHECK((status.st_mode & 0200) != 0);
  CHECK(folder.read("to") == "x");
}

TEST_CASE("a protected tree has no writable file or folder, and link targets are left alone",
          "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  folder.write("tree/a/b", "x");
  folder.write("outside", "x");
  files.make_link("../outside", folder / "tree/link");
  files.protect(folder / "tree");
  for (const char* name : {"tree", "tree/a", "tree/a/b"}) {
    struct stat status;
    REQUIRE(::stat((folder / name).c_str(), &status) == 0);
    CHECK((status.st_mode & 0222) == 0);
  }
  struct stat status;
  REQUIRE(::stat((folder / "outside").c_str(), &status) == 0);
  CHECK((status.st_mode & 0200) != 0);
}

TEST_CASE("a protected tree can be removed, and link targets stay", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  folder.write("tree/a/b/c", "x");
  folder.write("tree/d", "x");
  folder.write("outside/file", "x");
  files.make_link("../outside", folder / "tree/link");
  files.protect(folder / "tree");
  files.remove(folder / "tree");
  CHECK_FALSE(files.exists(folder / "tree"));
  CHECK(folder.read("outside/file") == "x");
}

TEST_CASE("removing a link removes only the link", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  folder.write("real/file", "x");
  files.make_link("real", folder / "link");
  files.remove(folder / "link");
  CHECK(files.list(folder.path()) == std::vector<std::string>{"real"});
  CHECK(folder.read("real/file") == "x");
}

TEST_CASE("a copy of a link leads to the same, and to replace one leaves the other", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  files.make_link("target", folder / "first");
  files.copy_link(folder / "first", folder / "copy");
  CHECK(files.read_link(folder / "copy") == "target");
  CHECK(files.info(folder / "copy")->inode == files.info(folder / "first")->inode);
  files.make_link("other", folder / "new");
  files.rename(folder / "new", folder / "copy");
  CHECK(files.read_link(folder / "first") == "target");
  CHECK(files.read_link(folder / "copy") == "other");
  CHECK_THROWS_AS(files.copy_link(folder / "first", folder / "copy"), Error);  // it exists
  CHECK_THROWS_AS(files.copy_link(folder / "none", folder / "more"), Error);
}

TEST_CASE("renaming replaces a file", "[base]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  folder.write("a", "new");
  folder.write("b", "old");
  files.rename(folder / "a", folder / "b");
  CHECK(files.list(folder.path()) == std::vector<std::string>{"b"});
  CHECK(folder.read("b") == "new");
  CHECK_NOTHROW(files.sync(folder / "b"));
  CHECK_NOTHROW(files.sync(folder.path()));
}

}  // namespace
}  // namespace headway
