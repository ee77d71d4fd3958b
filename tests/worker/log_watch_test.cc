#include "lib/worker/log_watch.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

struct Log {
  void append(const std::string& bytes) const { RealFileSystem().append(path, bytes); }
  void write(const std::string& bytes) const {
    RealFileSystem().write(path, bytes, Durability::kCached);
  }

  JobFolder folder;
  Path path = folder.path() / "log";
};

TEST_CASE("only what is new in a log is read, and only changes are reported") {
  const Log log;
  log.write("of an earlier attempt 99%\n");
  LogWatch watch(log.path);
  CHECK(!watch.look());
  log.append("loading caf\xC3");
  CHECK(watch.look() == CommandProgress{kUnknownFraction, "loading caf"});
  log.append("\xA9\n\n");
  CHECK(watch.look() == CommandProgress{kUnknownFraction, "loading café"});
  CHECK(!watch.look());
  log.append("loading café\n");
  CHECK(!watch.look());
  log.append("\r 42%");
  CHECK(watch.look() == CommandProgress{0.42, "42%"});
}

TEST_CASE("of much new output the end is read, without the line that it cuts") {
  const Log log;
  log.write("");
  LogWatch watch(log.path);
  log.append("headway: progress 0.5 too far back\nbegun ");
  log.append(std::string(70'000, 'x') + "\n");
  CHECK(!watch.look());
  log.append(std::string(70'000, 'y') + "\nlast\n");
  CHECK(watch.look() == CommandProgress{kUnknownFraction, "last"});
  log.append("headway: progress 0.6 near\n" + std::string(30'000, 'z') + "\n");
  CHECK(watch.look() == CommandProgress{0.6, "near"});
}

TEST_CASE(
    "a log that shrinks is read from its beginning, and one that is not there has no progress") {
  const Log log;
  CHECK(!LogWatch(log.path).look());
  log.write("");
  LogWatch watch(log.path);
  log.append("a long first line\n");
  CHECK(watch.look());
  log.write("short\n");
  CHECK(watch.look() == CommandProgress{kUnknownFraction, "short"});
}

}  // namespace
}  // namespace headway::testing
