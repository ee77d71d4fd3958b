#include "lib/run/attempt_log.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

const Path kLog = "/headway-test/logs/0123.log";

struct Disk {
  Disk() { memory.make_directories(kLog.parent_path()); }
  std::string log() { return memory.read(kLog).value_or("none"); }

  MemoryFileSystem memory;
  FaultyFileSystem files{memory};
};

TEST_CASE("the first attempt at a key finds no log", "[attempt-log]") {
  Disk disk;
  CHECK(continue_log(disk.files, kLog, "attempt 1") == 0);
  CHECK(disk.log() == "none");
  disk.memory.put(kLog, "");  // an attempt that printed nothing
  CHECK(continue_log(disk.files, kLog, "attempt 2") == 0);
  CHECK(disk.log() == "none");
}

TEST_CASE("a later attempt gets a new file that begins with the old one", "[attempt-log]") {
  Disk disk;
  disk.memory.put(kLog, "one\nwithout end");
  const std::uint64_t before = disk.memory.info(kLog)->inode;
  const std::string kept = "one\nwithout end\n--- attempt 2 of 3 ---\n";
  CHECK(continue_log(disk.files, kLog, "attempt 2 of 3") == kept.size());
  CHECK(disk.log() == kept);
  CHECK(disk.memory.info(kLog)->inode != before);
  CHECK(disk.memory.list(kLog.parent_path()) == std::vector<std::string>{"0123.log"});
}

TEST_CASE("an attempt's part of the log is what it printed itself", "[attempt-log]") {
  Disk disk;
  disk.memory.put(kLog, "old\n");
  const std::uint64_t begin = continue_log(disk.files, kLog, "attempt 2 of 3");
  CHECK(end_of_attempt(disk.files, kLog, begin, 100).empty());
  disk.memory.append(kLog, "new\nnewer\n");
  CHECK(end_of_attempt(disk.files, kLog, begin, 100) == "new\nnewer\n");
  CHECK(end_of_attempt(disk.files, kLog, begin, 6) == "newer\n");
  disk.memory.remove(kLog);
  CHECK(end_of_attempt(disk.files, kLog, begin, 100).empty());
}

TEST_CASE("the last title in a log is where its last attempt begins", "[attempt-log]") {
  Disk disk;
  const auto last_attempt = [&] {
    return end_of_attempt(disk.files, kLog, begin_of_last_attempt(disk.files, kLog), 1000);
  };
  CHECK(begin_of_last_attempt(disk.files, kLog) == 0);
  disk.memory.put(kLog, "--- loading ---\nfirst\n");  // a title of the stage's own
  CHECK(last_attempt() == "--- loading ---\nfirst\n");
  for (const std::string title : {"attempt 2 of 3, 14:02:11", "run again, 2026-01-01 10:00:00"}) {
    const std::uint64_t begin = continue_log(disk.files, kLog, title);
    CHECK(begin_of_last_attempt(disk.files, kLog) == begin);
    CHECK(last_attempt().empty());
    disk.memory.append(kLog, "--- loading ---\nmore");
    CHECK(last_attempt() == "--- loading ---\nmore");
  }
  disk.memory.append(kLog, std::string(200'000, 'x') + "\n");
  CHECK(last_attempt() == std::string(999, 'x') + "\n");
}

TEST_CASE("of a long log the end is kept, in whole lines", "[attempt-log]") {
  Disk disk;
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "line " + std::to_string(i) + "\n";
  disk.memory.put(kLog, text);
  CHECK(continue_log(disk.files, kLog, "again") < (1 << 20) + 100);
  const std::string kept = disk.log();
  CHECK(kept.size() > 1'000'000);
  CHECK(kept.starts_with("--- earlier output is left out ---\nline "));
  CHECK(kept.ends_with("line 299999\n--- again ---\n"));
  CHECK(text.find(kept.substr(kept.find("\nline "), 20)) != std::string::npos);
}

TEST_CASE("a log that cannot be kept is lost, and the attempt is not", "[attempt-log]") {
  Disk disk;
  disk.memory.put(kLog, "old\n");
  disk.files.fill_disk_at(0, true);
  CHECK(continue_log(disk.files, kLog, "attempt 2") == 0);
  CHECK(disk.files.has_failed());
  CHECK(disk.log() == "none");
}

TEST_CASE("a link in the place of the log is not followed", "[attempt-log]") {
  Disk disk;
  disk.memory.put("/headway-test/secret", "secret\n");
  disk.memory.make_link("/headway-test/secret", kLog);
  CHECK(continue_log(disk.files, kLog, "attempt 2") == 0);
  CHECK(disk.log() == "none");
  CHECK(disk.memory.read("/headway-test/secret") == "secret\n");
}

}  // namespace
}  // namespace headway::testing
