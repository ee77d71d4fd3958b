// gc and verify.
#include "lib/store/housekeeping.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "tests/support/project.h"

namespace headway::testing {
namespace {

constexpr const char* kPipeline = R"(
params: {a: 1}
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "a ${a} {out.o}"}}
  m: {uses: shell, matrix: {i: [1, 2]}, in: {x: a}, outs: {o: m.txt}, with: {run: "m ${matrix.i} {out.o}"}}
  all: {uses: shell, in: {parts: "m@*"}, outs: {folder: site}, with: {run: "all {out.folder}"}}
)";

std::set<Digest> keys_of_plan(Project& project, const RunSettings& settings = {}) {
  std::set<Digest> keys;
  for (const StagePlan& stage : project.plan(settings).stages) keys.insert(stage.key);
  return keys;
}

std::map<std::string, int> count(const std::vector<Garbage>& garbage) {
  std::map<std::string, int> counts;
  for (const Garbage& item : garbage) ++counts[name_of(item.kind)];
  return counts;
}

}  // namespace

TEST_CASE("gc keeps what is in use and removes the rest", "[gc]") {
  Project project;
  project.write(kPipeline);
  project.run();
  project.run({.sets = {"a=2"}});
  const std::set<Digest> keys = keys_of_plan(project, {.sets = {"a=2"}});
  Store store(project.disk, project.outputs);
  const std::vector<Garbage> garbage = find_garbage(store, keys, 0);
  CHECK(count(garbage) ==
        std::map<std::string, int>{{"record", 4}, {"object", 4}, {"log", 4}, {"list", 1}});
  CHECK(garbage[0].label.starts_with("p/"));
  remove_garbage(store, garbage);
  CHECK(project.run({.sets = {"a=2"}}).ran.empty());
  CHECK(find_garbage(store, keys, 0).empty());
  CHECK(project.run().ran.size() == 4);
}

TEST_CASE("gc removes records before their objects", "[gc]") {
  Project project;
  project.write(kPipeline);
  project.run();
  Store store(project.disk, project.outputs);
  const std::vector<Garbage> garbage = find_garbage(store, {}, 0);
  const auto last_record = std::find_if(garbage.rbegin(), garbage.rend(), [](const Garbage& g) {
    return g.kind == Garbage::Kind::kRecord;
  });
  const auto first_object = std::find_if(garbage.begin(), garbage.end(), [](const Garbage& g) {
    return g.kind == Garbage::Kind::kObject;
  });
  CHECK(garbage.rend() - last_record <= first_object - garbage.begin());
}

TEST_CASE("gc killed at any moment leaves no record without its objects", "[gc]") {
  Project whole;
  whole.write(kPipeline);
  whole.run();
  Store whole_store(whole.disk, whole.outputs);
  const std::size_t items = find_garbage(whole_store, {}, 0).size();
  for (std::size_t n = 0; n < items; ++n) {
    Project project;
    project.write(kPipeline);
    project.run();
    Store store(project.files, project.outputs);
    const std::vector<Garbage> garbage = find_garbage(store, {}, 0);
    project.files.heal();
    project.files.crash_at(n, false);
    CHECK_THROWS(remove_garbage(store, garbage));
    project.files.heal();
    REQUIRE(verify_store(store).damages.empty());
  }
}

TEST_CASE("gc spares recent records and their objects", "[gc]") {
  Project project;
  project.write(kPipeline);
  project.run();
  project.disk.advance(3600);
  project.run({.sets = {"a=2"}});
  Store store(project.disk, project.outputs);
  const std::vector<Garbage> garbage = find_garbage(store, {}, 1800);
  CHECK(count(garbage) ==
        std::map<std::string, int>{{"record", 4}, {"object", 4}, {"log", 4}, {"list", 1}});
  CHECK(garbage[0].age_seconds > 3599);
  remove_garbage(store, garbage);
  CHECK(project.run({.sets = {"a=2"}}).ran.empty());
}

TEST_CASE("gc keeps an object that some record still uses, even if another record is removed",
          "[gc]") {
  Project project;
  project.write(R"(
stages:
  a: {uses: shell, outs: {o: o.txt}, with: {run: "same {out.o} # a"}}
  b: {uses: shell, outs: {o: o.txt}, with: {run: "same {out.o} # b"}}
)");
  project.run();
  Store store(project.disk, project.outputs);
  remove_garbage(store, find_garbage(store, {project.key_of("b")}, 0));
  CHECK(project.run().ran == Names{"a"});
}

TEST_CASE("gc removes partial states, locks, work folders and leftovers of killed processes",
          "[gc]") {
  Project project;
  project.write(kPipeline);
  project.run();
  const Digest used = project.key_of("a");
  project.disk.put(project.layout.partial(digest_of("old"), "1") / "state", "12345");
  project.disk.put(project.layout.lock(used), "");
  project.disk.put(project.layout.works() / "dead" / "1" / "x", "1");
  project.disk.put(project.layout.records() / "ab" / "cd.json.tmp-1-2", "{");
  project.disk.put(project.layout.records() / "ab" / "rubbish", "");
  for (const Path& file :
       {project.outputs / "index.html", project.layout.live_run("1"), project.layout.digests(),
        project.layout.state("p", ""), project.layout.latest("p", "")})
    project.disk.put(file.string() + ".tmp-12-3", "{");
  Store store(project.disk, project.outputs);
  const std::vector<Garbage> garbage = find_garbage(store, keys_of_plan(project), 0);
  CHECK(count(garbage) == std::map<std::string, int>{{"record", 2},
                                                     {"partial state", 1},
                                                     {"lock", 1},
                                                     {"work folder", 1},
                                                     {"unfinished file", 5}});
  const auto partial = std::find_if(garbage.begin(), garbage.end(), [](const Garbage& g) {
    return g.kind == Garbage::Kind::kPartial;
  });
  CHECK(partial->bytes == 5);
  remove_garbage(store, garbage);
  CHECK(project.run().ran.empty());
}

TEST_CASE("gc keeps the state of an unfinished stage, but not of a finished one", "[gc]") {
  Project project;
  project.write(kPipeline);
  project.run();
  const Digest finished = project.key_of("a");
  const Digest unfinished = digest_of("unfinished");
  for (const Digest& key : {finished, unfinished})
    project.disk.put(project.layout.partial(key, "1") / "state", "12345");
  Store store(project.disk, project.outputs);
  std::set<Digest> used = keys_of_plan(project);
  used.insert(unfinished);
  remove_garbage(store, find_garbage(store, used, 0));
  CHECK(project.disk.exists(project.layout.partial(unfinished, "1")));
  CHECK_FALSE(project.disk.exists(project.layout.partial(finished, "1")));
  CHECK(project.run().ran.empty());
}

TEST_CASE("gc keeps a prefix state as long as the key that made it is in use", "[gc]") {
  Project project;
  project.write(kPipeline);
  project.run();
  const Digest used = project.key_of("a");
  const Digest unused = digest_of("unused");
  const Path one = project.layout.prefix_states(digest_of("one"));
  const Path other = project.layout.prefix_states(digest_of("other"));
  const auto name = [](std::int64_t amount, const Digest& key) {
    return PrefixStateName{amount, key, digest_of("contents")}.text();
  };
  project.disk.put(one / name(2, unused) / "state", "12");
  project.disk.put(one / name(4, used) / "state", "1234");
  project.disk.put(other / name(4, unused) / "state", "1234");
  project.disk.put(other / "rubbish", "");
  Store store(project.disk, project.outputs);
  const std::vector<Garbage> garbage = find_garbage(store, keys_of_plan(project), 0);
  CHECK(count(garbage) == std::map<std::string, int>{{"prefix state", 3}});
  CHECK(garbage[0].bytes + garbage[1].bytes + garbage[2].bytes == 6);
  CHECK(find_garbage(store, keys_of_plan(project), 1000).empty());
  remove_garbage(store, garbage);
  CHECK(project.disk.tree(project.layout.prefix_states()).size() == 3);  // family, folder, state
  CHECK(project.disk.exists(one / name(4, used) / "state"));
  CHECK(find_garbage(store, keys_of_plan(project), 0).empty());
  const std::vector<Garbage> all = find_garbage(store, {}, 0);
  const auto unused_state = std::find_if(all.begin(), all.end(), [](const Garbage& g) {
    return g.kind == Garbage::Kind::kPrefixState;
  });
  REQUIRE(unused_state != all.end());
  CHECK(unused_state->label == "p/a");
}

TEST_CASE("a pipeline's keys are found by its label, and a damaged record matches every label",
          "[gc]") {
  Project project;
  project.write(std::string(kPipeline) + "variants: {v: {a: 5}}\n");
  project.run();
  const std::set<Digest> plain = keys_of_plan(project);
  project.run({.variant = "v"});
  Store store(project.disk, project.outputs);
  CHECK(recorded_keys_of(store, "p") == plain);
  CHECK(recorded_keys_of(store, "p/v") == keys_of_plan(project, {.variant = "v"}));
  CHECK(recorded_keys_of(store, "q").empty());
  project.disk.put(project.layout.record(*plain.begin()), "torn");
  CHECK(recorded_keys_of(store, "q") == std::set<Digest>{*plain.begin()});
}

TEST_CASE("links of forgotten results are removed, and other links and users' files stay", "[gc]") {
  Project project;
  project.write(
      "stages:\n  a: {uses: shell, outs: {o: deep/a.txt}, with: {run: \"{out.o}\"}}\n"
      "variants: {v: {}, w: {}}\n");
  for (const char* variant : {"", "v", "w"}) project.run({.variant = variant});
  Store store(project.disk, project.outputs);
  const auto names = [&] { return project.disk.list(project.outputs / "p"); };

  hide_results(store, "p", "v", {});
  CHECK(names() == Names{"a", "w"});
  CHECK(project.shown("p/a/deep/a.txt") == "{out.o}\n");
  CHECK(project.shown("p/w/a/deep/a.txt") == "{out.o}\n");

  hide_results(store, "p", "", {"w"});
  CHECK(names() == Names{"w"});
  CHECK(project.shown("p/w/a/deep/a.txt") == "{out.o}\n");

  project.disk.put(project.outputs / "p" / "w" / "notes.txt", "mine");
  hide_results(store, "p", "w", {});
  CHECK(project.disk.list(project.outputs / "p" / "w") == Names{"notes.txt"});
  project.disk.remove(project.outputs / "p" / "w" / "notes.txt");
  hide_results(store, "p", "w", {});
  CHECK_FALSE(project.disk.exists(project.outputs / "p"));
  hide_results(store, "p", "", {});
  CHECK(project.disk.exists(project.outputs));
}

TEST_CASE("a file that was moved with its folder is searched for at every level", "[gc]") {
  CHECK(places_after_move("/home/a/sub/p.yaml", "/home/b") ==
        std::vector<Path>{"/home/b/home/a/sub/p.yaml", "/home/b/a/sub/p.yaml", "/home/b/sub/p.yaml",
                          "/home/b/p.yaml"});
}

TEST_CASE("gc needs the store exclusively, and runs share it", "[gc]") {
  Project project;
  Store store(project.disk, project.outputs);
  store.prepare();
  auto run = lock_store(store, LockMode::kShared);
  auto another_run = lock_store(store, LockMode::kShared);
  CHECK(run);
  CHECK(another_run);
  CHECK(!lock_store(store, LockMode::kExclusive));
  run.reset();
  another_run.reset();
  const auto gc = lock_store(store, LockMode::kExclusive);
  CHECK(gc);
  CHECK(!lock_store(store, LockMode::kShared));
}

namespace {

// Like `headway verify` with exclusive access to the store.
Verification verify_and_remove(Store& store) {
  Verification found = verify_store(store);
  remove_damage(store, found);
  return found;
}

}  // namespace

TEST_CASE("verify finds a flipped byte even if the stamp is unchanged", "[verify]") {
  Project project;
  project.write(kPipeline);
  project.run();
  const Path object = project.object_of("a");
  project.disk.rot(object, "A 1 {out.o}\n");
  CHECK(project.run().ran.empty());  // undetectable
  Store store(project.disk, project.outputs);
  const Verification result = verify_and_remove(store);
  CHECK(result.records == 4);
  CHECK(result.objects == 4);
  REQUIRE(result.damages.size() == 1);
  CHECK(result.damages[0].path == object);
  CHECK(result.damages[0].label == "p/a.o");
  CHECK(result.damages[0].what == "its contents are " + digest_of("A 1 {out.o}\n").short_hex() +
                                      ", not " + digest_of("a 1 {out.o}\n").short_hex());
  CHECK(!project.disk.exists(object));
  CHECK(project.run().ran == Names{"a"});
  CHECK(project.shown("p/a/a.txt") == "a 1 {out.o}\n");
}

TEST_CASE("verify finds what is missing, torn, or changed inside a folder", "[verify]") {
  Project project;
  project.write(kPipeline);
  project.run();
  project.disk.remove(project.object_of("m@1"));
  project.disk.put(project.layout.record(project.key_of("m@2")), "{");
  const Path site = project.layout.objects();
  Store store(project.disk, project.outputs);
  const Verification result = verify_and_remove(store);
  CHECK(result.damages.size() == 2);
  CHECK(verify_and_remove(store).damages.empty());  // they were removed
  CHECK(project.run().exit_code == 0);
  CHECK(verify_and_remove(store).damages.empty());
  const Path folder = project.object_of("all", "folder");
  project.disk.rot(folder / "inner" / "second.txt",
                   std::string(project.disk.info(folder / "inner/second.txt")->size, 'x'));
  CHECK(verify_and_remove(store).damages.size() == 1);
  CHECK(project.run().ran == Names{"all"});
}

TEST_CASE("verify lists every record of a damaged object, but reads it once", "[verify]") {
  Project project;
  project.write(R"(
stages:
  a: {uses: shell, outs: {o: o.txt}, with: {run: "same {out.o} # a"}}
  b: {uses: shell, outs: {o: o.txt}, with: {run: "same {out.o} # b"}}
)");
  project.run();
  project.disk.rot(project.object_of("a"), "SAME {out.o}\n");
  Store store(project.disk, project.outputs);
  project.disk.take_digested();
  const Verification result = verify_store(store);
  CHECK(project.disk.take_digested().size() == 1);
  remove_damage(store, result);
  CHECK(result.objects == 1);
  CHECK(result.damages.size() == 2);
  CHECK(project.run().ran.size() == 2);
}

TEST_CASE("verify of an empty store finds nothing", "[verify]") {
  Project project;
  Store store(project.disk, project.outputs);
  CHECK(verify_and_remove(store).records == 0);
}

}  // namespace headway::testing
