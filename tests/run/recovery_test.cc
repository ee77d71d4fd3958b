// Damage, full disks, kill -9: nothing is ever wrong afterwards, and the next run completes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/store/housekeeping.h"
#include "tests/support/full_project.h"
#include "tests/support/sanitized.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kChain = R"(
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "a {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: b.txt}, with: {run: "b {out.o}"}}
)";

// A file, a folder, a nested output, a fan-in, metrics with an expectation, two stages of the same
// key.
constexpr const char* kEverything = R"(
name: p
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "a {out.o}"}}
  site: {uses: shell, in: {x: a}, outs: {folder: site, o: deep/er/o.csv}, with: {run: "site {out.folder} {out.o}"}}
  m: {uses: shell, matrix: {i: [1, 2]}, in: {x: site.folder}, outs: {o: m.txt}, with: {run: "m ${matrix.i} {out.o}"}}
  all: {uses: shell, in: {parts: "m@*"}, outs: {metrics: m.json}, expect: {x: ">= 1"}, with: {run: "x=1 {out.metrics}"}}
  twin: {uses: shell, outs: {o: a.txt}, with: {run: "a {out.o}"}}
)";

// Every intact record names only existing, intact objects.
void check_store(Project& project) {
  Store store(project.disk, project.outputs);
  for (const Digest& key : recorded_keys(store)) {
    const std::optional<Record> record = store.read_record(key);
    if (!record) continue;
    for (const RecordedOutput& output : record->outputs) {
      const std::optional<ContentInfo> content =
          store.digests().rehash_file(store.path_of(output.object));
      REQUIRE(content);
      REQUIRE(content->digest == output.object.digest);
    }
  }
}

}  // namespace

TEST_CASE("a missing object is a warning and is recreated", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run();
  const auto before = seen(project);
  const Path object = project.object_of("a");
  project.disk.remove(object);
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"a"});  // b reads the same bytes as before
  CHECK(outcome.warnings ==
        Names{"object " + object.string() + " is missing; stage 'a' makes it again"});
  CHECK(seen(project) == before);
}

TEST_CASE("a damaged object is a warning and is recreated", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run();
  const auto before = seen(project);
  const Path object = project.object_of("a");
  SECTION("of the same size and mtime") {
    project.disk.edit_keeping_mtime(object, "A {out.o}\n");
  }
  SECTION("truncated") {
    project.disk.edit_keeping_mtime(object, "a");
  }
  SECTION("empty") {
    project.disk.edit_keeping_mtime(object, "");
  }
  SECTION("replaced by a folder") {
    project.disk.remove(object);
    project.disk.make_directories(object);
  }
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"a"});
  CHECK(outcome.warnings ==
        Names{"object " + object.string() + " is damaged; stage 'a' makes it again"});
  CHECK(seen(project) == before);
  CHECK(project.run().ran.empty());
}

TEST_CASE("a damaged file inside a folder is noticed", "[recovery]") {
  Project project;
  project.write(
      "stages: {a: {uses: shell, outs: {folder: site}, with: {run: \"a {out.folder}\"}}}");
  project.run();
  const auto before = seen(project);
  const Path object = project.object_of("a", "folder");
  SECTION("changed") {
    project.disk.edit_keeping_mtime(object / "inner" / "second.txt", "no");
  }
  SECTION("changed after it was checked") {
    project.run();
    project.disk.edit_keeping_mtime(object / "inner" / "second.txt", "no");
  }
  const Outcome outcome = project.run();
  CHECK(outcome.ran == Names{"a"});
  CHECK(outcome.warnings.size() == 1);
  CHECK(seen(project) == before);
}

TEST_CASE("a torn record is a warning and a miss", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run();
  const Path record = project.layout.record(project.key_of("a"));
  const std::string text = *project.disk.read(record);
  SECTION("truncated") {
    project.disk.put(record, text.substr(0, text.size() / 2));
  }
  SECTION("empty") {
    project.disk.put(record, "");
  }
  SECTION("other JSON") {
    project.disk.put(record, "[1, 2]");
  }
  SECTION("of wrong types") {
    project.disk.put(record, R"({"key": 3, "outputs": "no"})");
  }
  SECTION("garbage") {
    project.disk.put(record, std::string("\0\xFF{", 3));
  }
  SECTION("of another key") {
    project.disk.put(record, *project.disk.read(project.layout.record(project.key_of("b"))));
  }
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran == Names{"a"});
  CHECK(outcome.warnings ==
        Names{"record " + record.string() + " is damaged; stage 'a' makes it again"});
  CHECK(project.run().ran.empty());
}

TEST_CASE("a missing record is recreated", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run();
  project.disk.remove(project.layout.record(project.key_of("a")));
  CHECK(project.reason_of("a") == "its last record is gone");
  const Outcome outcome = project.run();
  CHECK(outcome.ran == Names{"a"});
  CHECK(outcome.warnings.empty());
}

TEST_CASE("a store without its history and memory is still used", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run();
  project.disk.remove(project.layout.states());
  project.disk.remove(project.layout.digests());
  project.disk.remove(project.layout.locks());
  CHECK(project.run().ran.empty());
}

TEST_CASE("garbage in the journals is skipped", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run();
  for (const Path& journal : {project.layout.state("p", ""), project.layout.digests()}) {
    const std::string text = *project.disk.read(journal);
    project.disk.put(
        journal, std::string("rubbish\n\n\t\t\n{\"a\": 1}\n\0\xFE\n", 24) + text + "torn \t lin");
  }
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.ran.empty());
}

TEST_CASE("a torn line of the state is never treated as complete", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run();
  const auto before = seen(project);
  const Path journal = project.layout.state("p", "");
  const std::string text = *project.disk.read(journal);
  const std::size_t line = text.rfind("a\tdone");
  const std::size_t end = text.find('\n', line);
  REQUIRE(line != std::string::npos);
  for (std::size_t cut = line; cut < end; ++cut) {
    project.disk.put(journal, text.substr(0, cut) + "\n");
    const Outcome outcome = project.run();
    INFO("cut after: " << text.substr(line, cut - line) << "; " << outcome.error);
    REQUIRE(outcome.exit_code == 0);
    REQUIRE(seen(project) == before);
  }
}

TEST_CASE("killed at any operation, the next run ends as if nothing had happened",
          "[recovery][slow]") {
  const bool torn = GENERATE(false, true);
  Project undisturbed;
  undisturbed.write(kEverything);
  REQUIRE(undisturbed.run().exit_code == 0);
  const auto expected = seen(undisturbed);
  const std::size_t operations = undisturbed.files.operations();
  REQUIRE(operations > 100);
  for (std::size_t n = 0; n < operations; n += kStep) {
    Project project;
    project.write(kEverything);
    project.files.crash_at(n, torn);
    project.run();
    INFO("killed at operation " << n << (torn ? ", torn" : ""));
    if (!project.files.has_failed()) {  // a stage of the other run took a second, and was synced
      REQUIRE(project.files.operations() <= n);
      break;
    }
    project.files.heal();
    check_store(project);
    const Outcome again = project.run();
    INFO(again.error);
    REQUIRE(again.exit_code == 0);
    REQUIRE(seen(project) == expected);
    for (const std::string& name : project.disk.list(project.layout.works()))
      REQUIRE(name.ends_with(".lock"));
    REQUIRE(project.run().ran.empty());
  }
}

TEST_CASE("a run killed between locking and creating its work folder leaves no lock behind",
          "[recovery]") {
  Project project;
  project.write(kChain);
  project.disk.put(project.layout.works() / "dead.lock", "");
  project.run();
  CHECK(project.disk.list(project.layout.works()).empty());
}

TEST_CASE("killed at any operation of a rerun, the next run ends as if nothing had happened",
          "[recovery][slow]") {
  const std::string changed =
      std::string(kEverything)
          .replace(std::string(kEverything).find("\"a {out.o}"), 10, "\"b {out.o}");
  Project undisturbed;
  undisturbed.write(kEverything);
  undisturbed.run();
  undisturbed.write(changed);
  undisturbed.files.heal();
  REQUIRE(undisturbed.run().exit_code == 0);
  const auto expected = seen(undisturbed);
  const std::size_t operations = undisturbed.files.operations();
  for (std::size_t n = 0; n < operations; n += kStep) {
    Project project;
    project.write(kEverything);
    project.run();
    project.write(changed);
    project.files.heal();
    project.files.crash_at(n, true);
    project.run();
    INFO("killed at operation " << n);
    project.files.heal();
    check_store(project);
    REQUIRE(project.run().exit_code == 0);
    REQUIRE(seen(project) == expected);
  }
}

TEST_CASE("a disk that fills up at any write is a clear failure, and the next run completes",
          "[recovery][slow]") {
  const bool stays = GENERATE(false, true);
  Project undisturbed;
  undisturbed.write(kEverything);
  REQUIRE(undisturbed.run().exit_code == 0);
  const auto expected = seen(undisturbed);
  const std::size_t writes = undisturbed.files.writes();
  std::size_t failures = 0;
  for (std::size_t n = 0; n < writes; n += kStep) {
    Project project;
    project.write(kEverything);
    project.files.fill_disk_at(n, stays);
    const Outcome outcome = project.run();
    INFO("full at write " << n << (stays ? " and all later ones" : "") << ", exit code "
                          << outcome.exit_code << ": " << outcome.error);
    REQUIRE(project.files.has_failed());
    if (outcome.exit_code != 0) {  // else a mere hint was lost
      ++failures;
      REQUIRE(outcome.exit_code == 1);
      REQUIRE_THAT(said(outcome), ContainsSubstring("no space left on device"));
    }
    project.files.heal();
    check_store(project);
    const Outcome again = project.run();
    REQUIRE(again.exit_code == 0);
    for (const auto& [stage, status] : outcome.statuses) {  // what was done is kept
      if (status == "done")
        REQUIRE(std::find(again.ran.begin(), again.ran.end(), stage) == again.ran.end());
    }
    REQUIRE(seen(project) == expected);
  }
  CHECK(failures > writes / kStep / 2);
}

TEST_CASE("a read-only store with something to do is a clear failure", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run({.targets = {"a"}});
  project.files.make_read_only(project.outputs);
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran.empty());
  CHECK_THAT(outcome.error, ContainsSubstring("read-only file system"));
}

TEST_CASE("a read-only store can be inspected", "[recovery]") {
  Project project;
  project.write(kChain);
  project.run({.targets = {"a"}});
  project.disk.advance(1);
  project.files.make_read_only(project.outputs);
  CHECK(project.plan().stages[0].status == StageStatus::kFresh);
  CHECK(project.plan().stages[1].status == StageStatus::kReady);
  CHECK(project.reason_of("b") == "never run");
}

TEST_CASE("an unwritable outputs folder does not lose results", "[recovery]") {
  Project project;
  project.write(kChain);
  project.files.make_read_only(project.outputs / "p");
  const Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.ran == Names{"a"});
  CHECK_THAT(outcome.messages.at("a"), ContainsSubstring("read-only file system"));
  project.files.heal();
  CHECK(project.run().ran == Names{"b"});
}

}  // namespace headway::testing
