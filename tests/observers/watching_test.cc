// Runs and logs that are watched from another process, and mistakes for programs.
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "lib/cli/log_follower.h"
#include "lib/cli/output.h"
#include "lib/cli/watch.h"
#include "lib/run/attempt_log.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {
namespace {

using Lines = std::vector<std::string>;

Watched watched(const std::string& state, const std::string& words, bool runs = true) {
  return {{{"p", "p.yaml", runs, "", {{"train", "train", state, words}}}}, false, runs};
}

// Without the time of day.
Lines told(ChangeTeller& teller, const Watched& now, double seconds) {
  Lines lines = teller.changes(now, seconds);
  for (std::string& line : lines) {
    if (line.size() > 9 && line[2] == ':' && line[5] == ':') line.erase(0, 9);
  }
  return lines;
}

TEST_CASE("changes of state are told at once, and progress every ten seconds", "[watch]") {
  ChangeTeller teller;
  CHECK(told(teller, watched("queued", ""), 0) == Lines{"p (p.yaml): 1 queued", "  train  queued"});
  CHECK(told(teller, watched("queued", ""), 1).empty());
  CHECK(told(teller, watched("running", ""), 2) == Lines{"train: running"});
  CHECK(told(teller, watched("running", "10 %"), 3).empty());
  CHECK(told(teller, watched("running", "90 %"), 12) == Lines{"train: running, 90 %"});
  CHECK(told(teller, watched("running", "90 %"), 40).empty());
  CHECK(told(teller, watched("failed", "exit code 1", false), 41) ==
        Lines{"train: failed, exit code 1", "p (p.yaml): 1 failed"});
}

TEST_CASE("a screen that is too small keeps what runs", "[watch]") {
  const Lines lines = {"p (p.yaml): 4", "  a  fresh    x", "  b  running  y", "  c  queued   z",
                       "  d  failed   it broke"};
  CHECK(fit_screen(lines, 5, 80) == lines);
  CHECK(fit_screen(lines, 4, 80) == Lines{lines[0], lines[2], lines[4], "… 2 more lines"});
  CHECK(fit_screen(lines, 2, 80) == Lines{lines[0], "… 4 more lines"});
  CHECK(fit_screen({"  d  failed   it broke"}, 5, 10) == Lines{"  d  fail…"});
}

TEST_CASE("a followed log is printed once, whatever the next attempt keeps of it", "[watch]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  const Path log = folder / "a.log";
  for (const std::size_t lines : {std::size_t{1}, std::size_t{100'000}}) {  // 100,000: over a MiB
    std::string first;
    for (std::size_t i = 0; i < lines; ++i) first += "line " + std::to_string(i) + " of many\n";
    std::ofstream(log) << first << "cut";
    LogFollower follower(log);
    CHECK(follower.take() == first + "cut");
    CHECK(follower.take().empty());
    std::ofstream(log, std::ios::app) << " off";
    continue_log(files, log, "attempt 2 of 2");
    std::ofstream(log, std::ios::app) << "second\n";
    CHECK(follower.take() == " off\n--- attempt 2 of 2 ---\nsecond\n");
    std::filesystem::remove(log);  // --force begins a new one
    std::ofstream(log) << "anew\n";
    CHECK(follower.take() == "anew\n");
    std::filesystem::remove(log);
  }
}

TEST_CASE("a log that is not there yet is empty", "[watch]") {
  const TemporaryFolder folder;
  LogFollower follower(folder / "a.log");
  CHECK(follower.take().empty());
  std::ofstream(folder / "a.log") << "one\n";
  CHECK(follower.take() == "one\n");
}

TEST_CASE("mistakes are split into their place and message", "[json]") {
  CHECK(mistakes_in("no such file") == Json::array({{{"message", "no such file"}}}));
  CHECK(mistakes_in("a b.yaml:2:14: stage 'x': bad\n--set n=1:1:3: no\n(with variant 'w')") ==
        Json::array(
            {{{"file", "a b.yaml"}, {"line", 2}, {"column", 14}, {"message", "stage 'x': bad"}},
             {{"file", "--set n=1"},
              {"line", 1},
              {"column", 3},
              {"message", "no\n(with variant 'w')"}}}));
}

}  // namespace
}  // namespace headway::testing
