// Attempts that ran on another machine, or that an earlier run began.
#include "lib/run/stage_attempt.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

#include "lib/base/error.h"
#include "lib/run/partial_state.h"
#include "lib/worker/state_numerics.h"
#include "tests/support/project.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

// Has full disks, and folders that cannot be removed.
class StubbornFileSystem final : public FileSystem {
 public:
  explicit StubbornFileSystem(FileSystem& files) : files_(files) {}

  std::set<Path> full;
  std::set<Path> busy;

  std::uint64_t free_bytes(const Path& folder) override {
    return full.contains(folder) ? 0 : ~std::uint64_t{0};
  }
  void remove(const Path& path) override {
    if (busy.contains(path)) throw Error("cannot remove {}: it is in use", path.string());
    files_.remove(path);
  }

  std::optional<FileInfo> info(const Path& path) override { return files_.info(path); }
  std::optional<std::string> read(const Path& path) override { return files_.read(path); }
  std::string read_end(const Path& path, std::size_t most) override {
    return files_.read_end(path, most);
  }
  std::vector<std::string> list(const Path& folder) override { return files_.list(folder); }
  std::optional<std::string> read_link(const Path& path) override { return files_.read_link(path); }
  Digest digest(const Path& file) override { return files_.digest(file); }
  void write(const Path& path, std::string_view bytes, Durability durability) override {
    files_.write(path, bytes, durability);
  }
  void append(const Path& path, std::string_view bytes) override { files_.append(path, bytes); }
  void copy(const Path& from, const Path& to) override { files_.copy(from, to); }
  void make_directories(const Path& folder) override { files_.make_directories(folder); }
  void make_link(const Path& target, const Path& path) override { files_.make_link(target, path); }
  void rename(const Path& from, const Path& to) override { files_.rename(from, to); }
  void protect(const Path& path) override { files_.protect(path); }
  void sync(const Path& path) override { files_.sync(path); }
  void sync_all(const Path& path) override { files_.sync_all(path); }
  std::unique_ptr<FileLock> try_lock(const Path& path, LockMode mode) override {
    return files_.try_lock(path, mode);
  }
  bool is_locked(const Path& path) override { return files_.is_locked(path); }
  std::int64_t now_ns() override { return files_.now_ns(); }

 private:
  FileSystem& files_;
};

// Ends each attempt as told.
class ToldExecutor final : public StageExecutor {
 public:
  explicit ToldExecutor(FileSystem& files) : files_(files) {}

  StageResult result;
  std::optional<AttemptFolders> running;
  StageJob job;  // the last one

  void start(const StageJob& started, double, JobEvents events, const Interrupt&) override {
    job = started;
    for (const auto& [name, path] : job.outputs) files_.write(path, "made", Durability::kCached);
    events.ended(result);
  }
  std::optional<AttemptFolders> take_over(const StageType&, const Digest&) override {
    return running;
  }

 private:
  FileSystem& files_;
};

// One stage, without a runner.
struct Attempted {
  Attempted() {
    project.write(
        "stages: {a: {uses: shell, outs: {o: a.txt}, resources: {memory: 1GB}, "
        "with: {run: \"a {partial} {out.o}\"}}}");
    pipeline = project.load();
    facts.emplace(pipeline, store);
    context.reset(new AttemptContext{pipeline, store, *facts, executor, observer, interrupt,
                                     session, no_origin});
    sourced = facts->facts_of(stage(), finished);
    key = key_of(sourced);
  }
  const StageSpec& stage() { return *pipeline.stages.begin(); }

  AttemptOutcome attempt() {
    StageAttempt attempt(*context, stage(), key, sourced, finished, false, 0);
    attempt.prepare();
    StageResult ended;
    attempt.start([&](StageResult result) { ended = std::move(result); });
    return attempt.finish(ended);
  }
  // The folder of an attempt that has left a state.
  Path left_state() {
    const Path folder = store.layout().partial(key, "0-000001");
    files.make_directories(folder);
    files.write(folder / "state", "half", Durability::kCached);
    return folder;
  }

  Project project;
  StubbornFileSystem files{project.disk};
  Store store{files, project.outputs};
  Interrupt interrupt;
  RunSession session{store, interrupt};
  ToldExecutor executor{files};
  RecordingObserver observer;
  const std::function<Json()> no_origin;
  PipelineSpec pipeline;
  std::optional<FactMaker> facts;
  std::unique_ptr<AttemptContext> context;
  Finished finished;
  std::vector<SourcedFact> sourced;
  Digest key;
};

}  // namespace

TEST_CASE("a full disk of this machine does not fail a stage that ran on another one",
          "[attempt]") {
  const ScopedVariable temporary("TMPDIR", "/headway-test/tmp");
  Attempted here, there;
  here.files.full = there.files.full = {"/headway-test/tmp"};
  there.executor.result.machine = {{"node", "n2"}};
  CHECK_THAT(here.attempt().end.message, ContainsSubstring("no space left on the disk of /head"));
  CHECK(there.attempt().record);
  Attempted shared;
  shared.executor.result.machine = {{"node", "n2"}};
  shared.files.full = {shared.session.work() / "000001"};
  CHECK_THAT(shared.attempt().end.message, ContainsSubstring("no space left on the disk of "));
}

TEST_CASE("the memory asked is that of the executor, or else that of the stage", "[attempt]") {
  Attempted attempted;
  attempted.executor.result = failed("exit code 3");
  CHECK(attempted.attempt().end.memory_asked == attempted.stage().resources.memory);
  attempted.executor.result.memory_asked = 4'000'000'000;
  CHECK(attempted.attempt().end.memory_asked == 4'000'000'000);
}

TEST_CASE("a state that was copied is used although the original cannot be removed", "[attempt]") {
  Attempted attempted;
  const Path left = attempted.left_state();
  attempted.files.busy = {left};
  attempted.executor.result = failed("exit code 3");
  attempted.attempt();
  CHECK(attempted.files.read(attempted.executor.job.partial / "state") == "half");
  CHECK(attempted.observer.warnings().empty());
}

TEST_CASE("a result counts although its state cannot be removed", "[attempt]") {
  Attempted attempted;
  attempted.files.busy = {attempted.left_state()};
  CHECK(attempted.attempt().record);
}

TEST_CASE("the note of a state goes with it, and alone is no state", "[attempt]") {
  Attempted attempted;
  const Path left = attempted.left_state();
  attempted.files.write(StateNumerics::note_of(left), "AVX2\n", Durability::kCached);
  attempted.executor.result = failed("exit code 3");
  attempted.attempt();
  const Path partial = attempted.executor.job.partial;
  CHECK(attempted.files.read(StateNumerics::note_of(partial)) == "AVX2\n");
  CHECK(attempted.files.list(partial.parent_path()).size() == 2);
  attempted.files.remove(partial);
  attempted.files.write(StateNumerics::note_of(partial).string() + ".tmp-1-1", "AV",
                        Durability::kCached);  // as replace() does
  CHECK_FALSE(has_partial_state(attempted.store, attempted.key));
  attempted.executor.result = {};
  CHECK(attempted.attempt().record);
  CHECK(attempted.files.list(partial.parent_path()).empty());
}

TEST_CASE("the failure of an attempt that was taken over shows only its own output", "[attempt]") {
  Attempted attempted;
  const Path work = attempted.session.work() / "earlier";
  attempted.executor.running = AttemptFolders{work, attempted.left_state()};
  attempted.executor.result = failed("exit code 3");
  attempted.files.write(attempted.store.layout().log(attempted.key),
                        "old\n--- attempt 2 of 3, 14:02:11 ---\nnew\n", Durability::kCached);
  CHECK(attempted.attempt().end.log_tail == "new\n");
}

TEST_CASE("a run may let its stages continue on other numerics", "[attempt]") {
  Attempted attempted;
  attempted.attempt();
  CHECK_FALSE(attempted.executor.job.resume_on_other_numerics);
  attempted.context->resume_on_other_numerics = true;
  attempted.attempt();
  CHECK(attempted.executor.job.resume_on_other_numerics);
}

}  // namespace headway::testing
