// Stages and other programs that modify the store during a run: a result made from modified bytes
// is never kept, the stage whose input changed fails and says so, and the next run is right.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>

#include "lib/store/housekeeping.h"
#include "tests/support/full_project.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kChanged = "CHANGED";

// `other` reads nothing, and runs between those that make the inputs and those that read them.
constexpr const char* kReaders = R"(
name: p
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "a {out.o}"}}
  f: {uses: shell, outs: {folder: site}, with: {run: "f {out.folder}"}}
  other: {uses: shell, needs: [a, f], outs: {o: o.txt}, with: {run: "other {out.o}"}}
  b: {uses: shell, needs: [other], in: {x: a, y: f}, outs: {o: b.txt}, with: {run: "b {out.o}"}}
  c: {uses: shell, needs: [b], in: {x: a, y: f}, outs: {o: c.txt}, with: {run: "c {out.o}"}}
)";

// By root, to whom nothing in the store is read-only. `file` and `folder` are objects.
struct Edit {
  const char* name;
  const char* port;  // whose object it changes
  void (*apply)(MemoryFileSystem& disk, const Path& file, const Path& folder);
};

const Edit kEdits[] = {
    {"written in place", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) {
       disk.write(file, kChanged, Durability::kCached);
     }},
    {"written in place, as long as before", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) {
       const std::string bytes = *disk.read(file);
       disk.write(file, (kChanged + bytes).substr(0, bytes.size()), Durability::kCached);
     }},
    {"written in place, its time set back", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) {
       disk.edit_keeping_mtime(file, kChanged);
     }},
    {"replaced", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) {
       disk.remove(file);
       disk.write(file, kChanged, Durability::kCached);
     }},
    {"removed", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) { disk.remove(file); }},
    {"replaced by a folder", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) {
       disk.remove(file);
       disk.make_directories(file);
       disk.write(file / "inner.txt", kChanged, Durability::kCached);
     }},
    {"a file in the folder written in place", "y",
     [](MemoryFileSystem& disk, const Path&, const Path& folder) {
       disk.write(folder / "inner" / "second.txt", kChanged, Durability::kCached);
     }},
    {"a file added to the folder", "y",
     [](MemoryFileSystem& disk, const Path&, const Path& folder) {
       disk.write(folder / "inner" / "third.txt", kChanged, Durability::kCached);
     }},
    {"the folder removed", "y",
     [](MemoryFileSystem& disk, const Path&, const Path& folder) { disk.remove(folder); }},
    {"the folder replaced by a file", "y",
     [](MemoryFileSystem& disk, const Path&, const Path& folder) {
       disk.remove(folder);
       disk.write(folder, kChanged, Durability::kCached);
     }},
};

// Done before a stage works and undone after it: all bytes are as they were.
struct PassingEdit {
  const char* name;
  const char* port;
  void (*apply)(MemoryFileSystem& disk, const Path& file, const Path& folder);
  void (*undo)(MemoryFileSystem& disk, const Path& file, const Path& folder,
               const std::string& bytes);
};

const PassingEdit kPassingEdits[] = {
    {"written in place", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) {
       disk.write(file, kChanged, Durability::kCached);
     },
     [](MemoryFileSystem& disk, const Path& file, const Path&, const std::string& bytes) {
       disk.write(file, bytes, Durability::kCached);
     }},
    {"replaced", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) {
       disk.remove(file);
       disk.write(file, kChanged, Durability::kCached);
     },
     [](MemoryFileSystem& disk, const Path& file, const Path&, const std::string& bytes) {
       disk.remove(file);
       disk.write(file, bytes, Durability::kCached);
     }},
    {"moved away, and another put there", "x",
     [](MemoryFileSystem& disk, const Path& file, const Path&) {
       disk.rename(file, file.string() + ".aside");
       disk.write(file, kChanged, Durability::kCached);
     },
     [](MemoryFileSystem& disk, const Path& file, const Path&, const std::string&) {
       disk.rename(file.string() + ".aside", file);
     }},
    {"a file added to the folder", "y",
     [](MemoryFileSystem& disk, const Path&, const Path& folder) {
       disk.write(folder / "inner" / "third.txt", kChanged, Durability::kCached);
     },
     [](MemoryFileSystem& disk, const Path&, const Path& folder, const std::string&) {
       disk.remove(folder / "inner" / "third.txt");
     }},
    {"a file moved out of the folder", "y",
     [](MemoryFileSystem& disk, const Path&, const Path& folder) {
       disk.rename(folder / "first.txt", folder.string() + ".aside");
     },
     [](MemoryFileSystem& disk, const Path&, const Path& folder, const std::string&) {
       disk.rename(folder.string() + ".aside", folder / "first.txt");
     }},
    {"a file in the folder written in place", "y",
     [](MemoryFileSystem& disk, const Path&, const Path& folder) {
       const std::string bytes = *disk.read(folder / "first.txt");
       disk.write(folder / "first.txt", kChanged + bytes, Durability::kCached);
     },
     [](MemoryFileSystem& disk, const Path&, const Path& folder, const std::string&) {
       const std::string bytes = disk.read(folder / "first.txt")->substr(std::strlen(kChanged));
       disk.write(folder / "first.txt", bytes, Durability::kCached);
     }},
};

struct Readers : Project {
  Readers() {
    write(kReaders);
    disk.become_root();
  }

  void edit(const Edit& how);
  // The stage does this in addition to its work.
  void edit_in(const std::string& stage, const Edit& how, bool before_work) {
    executor.on(stage,
                [this, how, before_work](const StageJob& job, const ProgressSink&, Interrupt&) {
                  if (before_work) edit(how);
                  const StageResult result = executor.work(job);
                  if (!before_work) edit(how);
                  return result;
                });
  }
  void behave() {
    for (const char* stage : {"a", "f", "other", "b", "c"}) executor.on(stage, nullptr);
  }
  // The stages whose results were made from modified bytes and kept.
  Names poisoned() {
    Names made;
    Store store(disk, outputs);
    for (const Digest& key : recorded_keys(store)) {
      const std::optional<Record> record = store.read_record(key);
      for (const RecordedOutput& output :
           record ? record->outputs : std::vector<RecordedOutput>()) {
        const Path path = store.path_of(output.object);
        const std::optional<FileInfo> info = disk.info(path);
        const std::string bytes = info && info->is_file() ? disk.read(path).value_or("") : "";
        if (bytes.find(kChanged) != std::string::npos && digest_of(bytes) == output.object.digest)
          made.push_back(record->stage);
      }
    }
    return made;
  }
};

// The expected final result of all runs, and the objects that the readers read.
struct Undisturbed {
  std::map<std::string, std::string> shown;
  Path file;
  Path folder;
};

const Undisturbed& undisturbed() {
  static const Undisturbed found = [] {
    Readers project;
    project.run();
    return Undisturbed{seen(project), project.object_of("a"), project.object_of("f", "folder")};
  }();
  return found;
}

void Readers::edit(const Edit& how) {
  how.apply(disk, undisturbed().file, undisturbed().folder);
}

void check_next_run(Readers& project) {
  CHECK(project.poisoned() == Names{});
  project.behave();
  const Outcome again = project.run();
  INFO(said(again));
  CHECK(again.exit_code == 0);
  CHECK(recover(project, {}, undisturbed().shown) == "");
}

void check_editor_fails(const Edit& edit, bool before_work) {
  Readers project;
  project.edit_in("b", edit, before_work);
  INFO(edit.name << (before_work ? " before it is read" : " after it was read"));
  Outcome outcome = project.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.statuses["b"] == "failed");
  CHECK_THAT(outcome.messages["b"], ContainsSubstring(std::string("input '") + edit.port + "'"));
  check_next_run(project);
}

}  // namespace

TEST_CASE("a stage that modifies its input fails, and the next run is right", "[edited]") {
  for (const Edit& edit : kEdits) check_editor_fails(edit, true);
  for (const Edit& edit : kEdits) check_editor_fails(edit, false);
}

TEST_CASE("a stage that modifies its input and restores it fails", "[edited]") {
  for (const PassingEdit& edit : kPassingEdits) {
    Readers project;
    project.executor.on("b", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
      const std::string bytes = *project.disk.read(undisturbed().file);
      edit.apply(project.disk, undisturbed().file, undisturbed().folder);
      const StageResult result = project.executor.work(job);
      edit.undo(project.disk, undisturbed().file, undisturbed().folder, bytes);
      return result;
    });
    INFO(edit.name << ", and back");
    Outcome outcome = project.run();
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.statuses["b"] == "failed");
    CHECK_THAT(outcome.messages["b"], ContainsSubstring(std::string("input '") + edit.port + "'"));
    check_next_run(project);
  }
}

TEST_CASE("an input that is modified before a stage starts never leads to a result", "[edited]") {
  for (const Edit& edit : kEdits) {
    Readers project;
    project.edit_in("other", edit, true);
    INFO(edit.name << " while a stage runs that does not read it");
    Outcome outcome = project.run();
    CHECK(outcome.statuses["other"] == "done");
    if (outcome.exit_code == 0) {  // it was noticed and made again in time
      CHECK(seen(project) == undisturbed().shown);
    } else {
      CHECK_THAT(outcome.messages["b"],
                 ContainsSubstring(std::string("input '") + edit.port + "'"));
    }
    check_next_run(project);
  }
}

TEST_CASE("results that are modified between two runs are recreated", "[edited]") {
  for (const Edit& edit : kEdits) {
    Readers project;
    project.run();
    project.edit(edit);
    INFO(edit.name);
    check_next_run(project);
  }
}

}  // namespace headway::testing
