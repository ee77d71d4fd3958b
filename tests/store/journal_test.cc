// Journals and their contents: the pipeline's state and remembered digests.
#include "lib/store/journal.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/store/digest_cache.h"
#include "lib/store/pipeline_state.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

using Lines = std::vector<std::string>;
const Path kJournal = "/headway-test/journal";

struct JournalWorld {
  MemoryFileSystem files;
  JournalWorld() { files.make_directories("/headway-test"); }
  void write(const Lines& lines) { Journal(files, kJournal).append(lines); }
  std::string text() { return files.read(kJournal).value_or(""); }
};

}  // namespace

TEST_CASE("a journal returns its lines in order", "[journal]") {
  JournalWorld world;
  Journal journal(world.files, kJournal);
  CHECK(journal.read().empty());
  journal.append("one");
  journal.append("two");
  CHECK(Journal(world.files, kJournal).read() == Lines{"one", "two"});
}

TEST_CASE("a torn last line is dropped, and the next one is not appended to it", "[journal]") {
  JournalWorld world;
  world.write({"one", "two", "three"});
  const std::string whole = world.text();
  for (std::size_t cut = whole.find("three") + 1; cut + 1 < whole.size(); ++cut) {
    world.files.put(kJournal, whole.substr(0, cut));
    Journal journal(world.files, kJournal);
    REQUIRE(journal.read() == Lines{"one", "two"});
    REQUIRE(journal.damage() == "/headway-test/journal: a line is damaged and ignored");
    journal.append("four");
    journal.append("five");
    REQUIRE(Journal(world.files, kJournal).read() == Lines{"one", "two", "four", "five"});
  }
}

TEST_CASE("a line with any byte changed is dropped, and no other", "[journal]") {
  JournalWorld world;
  world.write({"one", "two\twith a tab", "three"});
  const std::string whole = world.text();
  const std::size_t first = whole.find("two");
  for (std::size_t at = first; whole[at] != '\n'; ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    world.files.put(kJournal, changed);
    Journal journal(world.files, kJournal);
    REQUIRE(journal.read() == Lines{"one", "three"});
    REQUIRE_FALSE(journal.damage().empty());
  }
}

TEST_CASE("zeros in place of lines, as after a power cut, are not lines", "[journal]") {
  JournalWorld world;
  world.write({"one", "two", "three"});
  std::string text = world.text();
  const std::size_t from = text.find("two");
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), '\0');
  world.files.put(kJournal, text);
  Journal journal(world.files, kJournal);
  CHECK(journal.read() == Lines{"one"});
  journal.append("four");
  CHECK(Journal(world.files, kJournal).read() == Lines{"one", "four"});
}

TEST_CASE("an unreadable journal reports why, and has no lines", "[journal]") {
  JournalWorld world;
  world.files.make_directories(kJournal);
  Journal journal(world.files, kJournal);
  CHECK(journal.read().empty());
  CHECK(journal.damage() == "cannot read /headway-test/journal: is a directory");
}

TEST_CASE("a line after one torn by a full disk is intact", "[journal]") {
  JournalWorld world;
  FaultyFileSystem faulty(world.files);
  Journal journal(faulty, kJournal);
  journal.append("one");
  faulty.fill_disk_at(1, false);
  CHECK_THROWS_AS(journal.append("two"), Error);
  journal.append("three");
  CHECK(Journal(world.files, kJournal).read().back() == "three");
}

TEST_CASE("a journal can be rewritten", "[journal]") {
  JournalWorld world;
  world.write({"one", "two"});
  world.files.append(kJournal, "thr");
  Journal journal(world.files, kJournal);
  journal.read();
  journal.rewrite({"two"});
  journal.append("three");
  Journal again(world.files, kJournal);
  CHECK(again.read() == Lines{"two", "three"});
  CHECK(again.damage().empty());
}

TEST_CASE("a journal that cannot be rewritten is unchanged", "[journal]") {
  JournalWorld world;
  world.write({"one"});
  FaultyFileSystem faulty(world.files);
  faulty.fill_disk_at(0, true);
  Journal journal(faulty, kJournal);
  CHECK_THROWS_AS(journal.rewrite({"two"}), Error);
  CHECK(Journal(world.files, kJournal).read() == Lines{"one"});
  CHECK(world.files.list("/headway-test") == Lines{"journal"});
}

TEST_CASE("empty lines and lone line endings are not lines", "[journal]") {
  JournalWorld world;
  world.write({"one"});
  world.files.put(kJournal, "\n\n" + world.text() + "\n");
  Journal journal(world.files, kJournal);
  CHECK(journal.read() == Lines{"one"});
  CHECK(journal.damage().empty());
}

// ---- pipeline state ----

namespace {

struct StateWorld : JournalWorld {
  Layout layout{"/headway-test/outputs"};
  StateWorld() { files.make_directories(layout.states()); }
  PipelineState open(const std::string& variant = "") {
    return PipelineState(files, layout, "p", variant);
  }
};

StageState full_state() {
  StageState state;
  state.status = StageStatus::kFailed;
  state.key = digest_of("key");
  state.good_key = digest_of("good");
  state.previous_key = digest_of("previous");
  state.seconds = 0.1234567890123;
  state.finished = 1'700'000'000;
  state.message = "tab\t, line\n, backslash \\n, ünïcode";
  state.record_stamp = "1.2.3.4";
  state.outputs = {{"o", "deep/o\tx.csv", {digest_of("o"), 12345, ".csv", false}},
                   {"site", "site", {digest_of("s"), 0, "", true}},
                   {"tool", "t.sh", {digest_of("t"), 3, ".sh", false, true}}};
  return state;
}

void check_equal(const StageState& a, const StageState& b) {
  CHECK(a.status == b.status);
  CHECK(a.key == b.key);
  CHECK(a.good_key == b.good_key);
  CHECK(a.previous_key == b.previous_key);
  CHECK(a.seconds == b.seconds);
  CHECK(a.finished == b.finished);
  CHECK(a.message == b.message);
  CHECK(a.record_stamp == b.record_stamp);
  REQUIRE(a.outputs.size() == b.outputs.size());
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    CHECK(a.outputs[i].name == b.outputs[i].name);
    CHECK(a.outputs[i].file == b.outputs[i].file);
    CHECK(a.outputs[i].object.digest == b.outputs[i].object.digest);
    CHECK(a.outputs[i].object.size == b.outputs[i].object.size);
    CHECK(a.outputs[i].object.extension == b.outputs[i].object.extension);
    CHECK(a.outputs[i].object.is_directory == b.outputs[i].object.is_directory);
    CHECK(a.outputs[i].object.is_executable == b.outputs[i].object.is_executable);
  }
}

}  // namespace

TEST_CASE("the state of a pipeline is read back as it was written", "[state]") {
  StateWorld world;
  {
    PipelineState state = world.open();
    CHECK(!state.find("a"));
    state.note("a", full_state());
    state.note("empty", StageState());
    state.note_file("/a folder/p\t.yaml");
  }
  const PipelineState state = world.open();
  REQUIRE(state.find("a"));
  check_equal(*state.find("a"), full_state());
  REQUIRE(state.find("empty"));
  check_equal(*state.find("empty"), StageState());
  CHECK(state.file() == "/a folder/p\t.yaml");
  CHECK(state.all().size() == 2);
}

TEST_CASE("the last entry for a stage counts, and a redundant one is not written", "[state]") {
  StateWorld world;
  PipelineState state = world.open();
  StageState done = full_state();
  state.note("a", done);
  const std::string before = *world.files.read(world.layout.state("p", ""));
  state.note("a", done);
  CHECK(world.files.read(world.layout.state("p", "")) == before);
  done.message = "other";
  state.note("a", done);
  CHECK(world.open().find("a")->message == "other");
}

TEST_CASE("a forgotten stage is gone, and may be added again", "[state]") {
  StateWorld world;
  PipelineState state = world.open();
  state.note("a", full_state());
  state.forget("a");
  state.forget("never there");
  CHECK(!state.find("a"));
  CHECK(!world.open().find("a"));
  state.note("a", full_state());
  CHECK(world.open().find("a"));
}

TEST_CASE("a long state is compacted without losing information", "[state]") {
  StateWorld world;
  {
    PipelineState state = world.open();
    for (int i = 0; i < 200; ++i) {
      StageState next = full_state();
      next.message = std::to_string(i);
      state.note("a", next);
    }
    state.note_file("/p.yaml");
  }
  const std::size_t before = world.files.info(world.layout.state("p", ""))->size;
  CHECK(world.open().find("a")->message == "199");
  CHECK(world.files.info(world.layout.state("p", ""))->size == before);  // a run may write to it
  world.open().compact();
  CHECK(world.files.info(world.layout.state("p", ""))->size < before / 50);
  CHECK(world.open().find("a")->message == "199");
  CHECK(world.open().file() == "/p.yaml");
}

TEST_CASE("a long state in a read-only store can still be read", "[state]") {
  StateWorld world;
  {
    PipelineState state = world.open();
    for (int i = 0; i < 200; ++i) {
      StageState next = full_state();
      next.message = std::to_string(i);
      state.note("a", next);
    }
  }
  FaultyFileSystem faulty(world.files);
  faulty.make_read_only("/headway-test");
  PipelineState state(faulty, world.layout, "p", "");
  CHECK(state.find("a")->message == "199");
  state.compact();
  CHECK(state.find("a")->message == "199");
}

TEST_CASE("variants have separate states, all of which are known, the latest first", "[state]") {
  StateWorld world;
  world.open().note_file("/p.yaml");
  world.open("wide").note("a", full_state());
  world.files.put(world.layout.states() / "p.tmp-1-2", "");
  CHECK(!world.open().find("a"));
  const std::vector<KnownPipeline> known = known_pipelines(world.files, world.layout);
  REQUIRE(known.size() == 2);
  CHECK(known[0].name == "p");
  CHECK(known[0].variant == "wide");
  CHECK(known[1].variant.empty());
}

// ---- digest memory ----

TEST_CASE("an unchanged file is read only once, even across processes", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/x", "one");
  world.files.advance(1);
  {
    DigestCache memory(world.files, kJournal);
    CHECK(memory.digest_file("/headway-test/x")->digest == digest_of("one"));
    CHECK(memory.digest_file("/headway-test/x")->size == 3);
    memory.keep();
  }
  DigestCache memory(world.files, kJournal);
  CHECK(memory.digest_file("/headway-test/x")->digest == digest_of("one"));
  CHECK(world.files.take_digested().size() == 1);
  CHECK(!memory.digest_file("/headway-test/nothing"));
  CHECK(!memory.rehash_file("/headway-test/nothing"));
}

TEST_CASE("a file that has just changed is not remembered: it may change again within a tick",
          "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/x", "one");
  DigestCache memory(world.files, kJournal);
  memory.digest_file("/headway-test/x");
  memory.digest_file("/headway-test/x");
  CHECK(world.files.take_digested().size() == 2);
  world.files.rot("/headway-test/x", "two");  // the same stamp
  CHECK(memory.digest_file("/headway-test/x")->digest == digest_of("two"));
  world.files.advance(0.2);
  memory.digest_file("/headway-test/x");
  world.files.take_digested();
  memory.digest_file("/headway-test/x");
  CHECK(world.files.take_digested().empty());
}

TEST_CASE("a file is read again if its size, mtime, ctime or inode changed", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/x", "one");
  world.files.advance(1);
  DigestCache memory(world.files, kJournal);
  memory.digest_file("/headway-test/x");
  SECTION("contents") {
    world.files.put("/headway-test/x", "two");
  }
  SECTION("contents, with the old mtime") {
    world.files.edit_keeping_mtime("/headway-test/x", "two");
  }
  SECTION("a different file of that name") {
    world.files.put("/headway-test/y", "two");
    world.files.rename("/headway-test/y", "/headway-test/x");
  }
  CHECK(memory.digest_file("/headway-test/x")->digest == digest_of("two"));
}

TEST_CASE("a forced check reads every byte regardless of what is remembered", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/f/x", "one");
  world.files.advance(1);
  DigestCache memory(world.files, kJournal);
  const Digest before = memory.digest_file("/headway-test/f")->digest;
  world.files.rot("/headway-test/f/x", "two");
  CHECK(memory.digest_file("/headway-test/f")->digest == before);
  CHECK(memory.rehash_file("/headway-test/f")->digest != before);
}

TEST_CASE("links inside a folder are identified by their target path", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/f/x", "one");
  world.files.make_link("a", "/headway-test/f/link");
  DigestCache memory(world.files, kJournal);
  const Digest before = memory.digest_file("/headway-test/f")->digest;
  world.files.remove("/headway-test/f/link");
  world.files.make_link("b", "/headway-test/f/link");
  CHECK(memory.digest_file("/headway-test/f")->digest != before);
}

TEST_CASE("links in a code folder are identified by their target's contents", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/shared/lib.py", "one");
  world.files.put("/headway-test/src/main.py", "main");
  world.files.make_link("../shared", "/headway-test/src/shared");
  world.files.make_link("/headway-test/src", "/headway-test/shared/back");  // a cycle
  world.files.make_link("nowhere", "/headway-test/src/dangling");
  DigestCache memory(world.files, kJournal);
  const auto digest_src = [&] {
    return *memory.digest_file("/headway-test/src", Links::kFollowed);
  };
  const ContentInfo before = digest_src();
  CHECK(digest_src().digest == before.digest);
  world.files.put("/headway-test/shared/lib.py", "two");
  CHECK(digest_src().digest != before.digest);
  CHECK(digest_src().stamp != before.stamp);
}

TEST_CASE("only the x bit is part of the contents, and no other bit", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/f/x", "one");
  DigestCache memory(world.files, kJournal);
  const ContentInfo folder = *memory.digest_file("/headway-test/f");
  const ContentInfo file = *memory.digest_file("/headway-test/f/x");
  world.files.make_executable("/headway-test/f/x");
  CHECK(memory.digest_file("/headway-test/f/x")->digest == file.digest);
  CHECK(memory.digest_file("/headway-test/f/x")->is_executable);
  CHECK(memory.digest_file("/headway-test/f")->digest != folder.digest);
}

TEST_CASE("a link that leads out of a folder is named", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/f/deep/x", "one");
  world.files.make_link("../deep/x", "/headway-test/f/deep/inside");
  DigestCache memory(world.files, kJournal);
  CHECK(memory.digest_file("/headway-test/f")->link_out.empty());
  SECTION("relative, upwards") {
    world.files.make_link("../../out", "/headway-test/f/deep/link");
    CHECK(memory.digest_file("/headway-test/f")->link_out == "deep/link -> ../../out");
  }
  SECTION("absolute") {
    world.files.make_link("/headway-test/f/deep/x", "/headway-test/f/link");
    CHECK(memory.digest_file("/headway-test/f")->link_out == "link -> /headway-test/f/deep/x");
  }
}

TEST_CASE("what may not be on the disk yet is not remembered for later processes", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/x", "one");
  world.files.advance(1);
  {
    DigestCache memory(world.files, kJournal);
    memory.digest_file("/headway-test/x");
  }  // killed before it synced
  CHECK(world.text().empty());
  {
    FaultyFileSystem faulty(world.files);
    DigestCache memory(faulty, kJournal);
    memory.digest_file("/headway-test/x");
    faulty.crash_at(faulty.operations() + 1,
                    false);  // after the digest_src at the folder: the sync
    memory.keep();
  }
  CHECK(world.text().empty());
}

TEST_CASE("a distrusted file is read again, even by the next process", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/f/x", "one");
  world.files.advance(1);
  DigestCache memory(world.files, kJournal);
  memory.digest_file("/headway-test/f");
  memory.keep();
  memory.distrust("/headway-test/f");
  world.files.take_digested();
  memory.digest_file("/headway-test/f");
  DigestCache(world.files, kJournal).digest_file("/headway-test/f");
  CHECK(world.files.take_digested().size() == 2);
}

TEST_CASE("a file that is modified while it is being stored is noticed", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/x", "one");
  DigestCache memory(world.files, kJournal);
  memory.rehash_file("/headway-test/x");
  world.files.rename("/headway-test/x", "/headway-test/y");
  SECTION("it was only moved") {
    memory.remember_moved("/headway-test/y", Durability::kCached);
    world.files.take_digested();
    memory.digest_file("/headway-test/y");
    CHECK(world.files.take_digested().empty());
  }
  SECTION("a running program wrote to it") {
    world.files.append("/headway-test/y", "more");
    CHECK_THROWS_AS(memory.remember_moved("/headway-test/y", Durability::kCached), Error);
  }
}

TEST_CASE("garbage in the memory is skipped", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/x", "one");
  world.files.advance(1);
  {
    DigestCache memory(world.files, kJournal);
    memory.digest_file("/headway-test/x");
    memory.keep();
  }
  const std::string good = *world.files.read(kJournal);
  world.files.take_digested();
  world.files.put(kJournal, "1 2 3\nrubbish\n1 1 1 1 1 zz\n99999999999999999999999 1 1 1 1 " +
                                digest_of("x").hex() + "\n" + good);
  CHECK(DigestCache(world.files, kJournal).digest_file("/headway-test/x")->digest ==
        digest_of("one"));
  CHECK(world.files.take_digested().empty());
}

TEST_CASE("a memory that cannot be written still works", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/x", "one");
  world.files.advance(1);
  FaultyFileSystem faulty(world.files);
  faulty.make_read_only("/headway-test");
  DigestCache memory(faulty, kJournal);
  CHECK(memory.digest_file("/headway-test/x")->digest == digest_of("one"));
}

TEST_CASE("a long memory is compacted", "[digests]") {
  JournalWorld world;
  world.files.put("/headway-test/x", "one");
  world.files.advance(1);
  {
    DigestCache memory(world.files, kJournal);
    memory.digest_file("/headway-test/x");
    memory.keep();
  }
  const std::string line = *world.files.read(kJournal);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += line;
  world.files.put(kJournal, many);
  DigestCache memory(world.files, kJournal);
  CHECK(world.files.read(kJournal) == line);
  world.files.take_digested();
  memory.digest_file("/headway-test/x");
  CHECK(world.files.take_digested().empty());
}

}  // namespace headway::testing
