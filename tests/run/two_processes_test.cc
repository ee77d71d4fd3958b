// Two processes on one store: one stops before its operation k, the other runs to its end or until
// it waits for a lock of the first, then the first continues; for every k, in both roles.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <thread>

#include "lib/base/error.h"
#include "lib/store/housekeeping.h"
#include "tests/support/full_project.h"
#include "tests/support/sanitized.h"

namespace headway::testing {
namespace {

// Two pipelines that share their first stages.
constexpr const char* kFirst = R"(
name: p
params: {a: 1}
stages:
  a: {uses: shell, outs: {o: a.txt}, with: {run: "a ${a} {out.o}"}}
  f: {uses: shell, in: {x: a}, outs: {folder: site}, with: {run: "f {out.folder}"}}
  m: {uses: shell, matrix: {i: [1, 2]}, in: {x: f}, outs: {o: m.txt}, with: {run: "m ${matrix.i} {out.o}"}}
  all: {uses: shell, in: {parts: "m@*"}, outs: {o: all.txt}, with: {run: "all {out.o}"}}
)";
constexpr const char* kSecond = R"(
name: q
stages:
  start: {uses: shell, outs: {o: a.txt}, with: {run: "a 1 {out.o}"}}
  site: {uses: shell, in: {x: start}, outs: {folder: site}, with: {run: "f {out.folder}"}}
  end: {uses: shell, in: {x: site}, outs: {o: end.txt}, with: {run: "end {out.o}"}}
)";

// One action of a process. Returns what went wrong, or nothing.
using Act = std::function<std::string(Project&)>;

Act run(RunSettings settings = {}) {
  return [settings](Project& project) {
    const Outcome outcome = project.run(settings);
    return outcome.exit_code == 0
               ? ""
               : fmt::format("exit code {}: {}", outcome.exit_code, said(outcome));
  };
}

Act collect(RunSettings settings = {}) {
  return [settings](Project& project) {
    collect_garbage(project, settings);  // it may refuse during a run
    return std::string();
  };
}

// Like `headway verify`.
Act verify() {
  return [](Project& project) {
    if (!project.files.exists(project.layout.root())) return std::string();  // it says so
    Store store(project.files, project.outputs);
    std::unique_ptr<FileLock> lock = lock_store(store, LockMode::kShared);
    if (!lock) return std::string();  // it refuses during gc
    const Verification found = verify_store(store);
    if (found.damages.empty()) return std::string();
    lock.reset();
    lock = lock_store(store, LockMode::kExclusive);
    lock ? remove_damage(store, found) : distrust_damage(store, found);
    return fmt::format("{}: {}", found.damages[0].path.string(), found.damages[0].what);
  };
}

std::string attempt(const Act& act, Project& project) {
  try {
    return act(project);
  } catch (const Error& error) {
    return error.what();
  }
}

class TwoProcesses {
 public:
  TwoProcesses() {
    first_.write(kFirst);
    first_.write(kSecond, "q.yaml");
  }

  Project& project() { return first_; }
  // Two runs: together they make every result once.
  void try_runs(const RunSettings& first, const RunSettings& second,
                const std::vector<RunSettings>& checked) {
    shares_work_ = true;
    try_all(run(first), run(second), checked);
  }
  // Every k, from the state as it is now. Afterwards, each of `checked` shows the result of a
  // single run.
  void try_all(const Act& first, const Act& second, const std::vector<RunSettings>& checked) {
    const DiskState start = disk_->state();
    const auto expected = alone(checked, first, second);
    for (std::size_t k = 0;; k += kStep) {
      disk_->restore(start);
      std::string first_said, second_said;
      const bool reached = interleave(first, second, k, first_said, second_said);
      INFO("the first process waited before its operation " << k);
      CHECK(first_said == "");
      CHECK(second_said == "");
      CHECK(seen_of(checked) == expected);
      if (shares_work_) CHECK(made() == made_alone_);
      for (std::size_t i = 0; i < checked.size(); ++i)
        CHECK(recover(first_, checked[i], expected[i]) == "");
      if (!reached) break;
    }
  }

 private:
  // The result when one runs after the other.
  std::vector<std::map<std::string, std::string>> alone(const std::vector<RunSettings>& checked,
                                                        const Act& first, const Act& second) {
    REQUIRE(attempt(first, first_) == "");
    REQUIRE(attempt(second, second_) == "");
    made_alone_ = made();
    for (const RunSettings& settings : checked) REQUIRE(first_.run(settings).exit_code == 0);
    return seen_of(checked);
  }

  std::vector<std::map<std::string, std::string>> seen_of(const std::vector<RunSettings>& checked) {
    std::vector<std::map<std::string, std::string>> all;
    for (const RunSettings& settings : checked) all.push_back(seen(first_, settings));
    return all;
  }

  std::size_t made() { return first_.executor.ran().size() + second_.executor.ran().size(); }

  bool interleave(const Act& first, const Act& second, std::size_t k, std::string& first_said,
                  std::string& second_said) {
    Gate reached, resume;
    bool waited = false;
    first_.files.heal();
    first_.files.before = [&](std::size_t operation, std::string_view) {
      if (operation != k) return;
      waited = true;
      reached.open();
      resume.wait();
    };
    std::set<Path> refused;
    second_.files.lock_refused = [&](const Path& path) {
      if (!refused.insert(path).second) resume.open();  // it asks again: it waits for it
    };
    std::thread thread([&] {
      first_said = attempt(first, first_);
      reached.open();
    });
    reached.wait();
    second_said = attempt(second, second_);
    resume.open();
    thread.join();
    first_.files.before = nullptr;
    second_.files.lock_refused = nullptr;
    return waited;
  }

  std::shared_ptr<MemoryFileSystem> disk_ = std::make_shared<MemoryFileSystem>();
  Project first_{disk_};
  Project second_{disk_};
  bool shares_work_ = false;
  std::size_t made_alone_ = 0;  // how many results, one process after the other
};

const RunSettings kP;
const RunSettings kQ{.file = "q.yaml"};

}  // namespace

TEST_CASE("two concurrent runs of one pipeline both end correctly", "[processes][slow]") {
  TwoProcesses two;
  two.try_runs(kP, kP, {kP});
}

TEST_CASE("concurrent runs of two pipelines that share stages both end correctly",
          "[processes][slow]") {
  TwoProcesses two;
  SECTION("the larger one waits") {
    two.try_runs(kP, kQ, {kP, kQ});
  }
  SECTION("the smaller one waits") {
    two.try_runs(kQ, kP, {kP, kQ});
  }
}

TEST_CASE("a run and a concurrent forced run both end correctly", "[processes][slow]") {
  TwoProcesses two;
  two.project().run();
  const RunSettings forced{.force = {"a", "f", "all"}};
  SECTION("the forced one waits") {
    two.try_runs(forced, kP, {kP});
  }
  SECTION("the other one waits") {
    two.try_runs(kP, forced, {kP});
  }
  SECTION("both are forced") {
    two.try_runs(forced, forced, {kP});
  }
}

TEST_CASE("gc during a run removes nothing that the run needs", "[processes][slow]") {
  TwoProcesses two;
  const RunSettings old{.sets = {"a=2"}};
  two.project().run(old);
  two.project().run();
  SECTION("the run waits") {
    two.try_all(run(old), collect(), {old});
  }
  SECTION("gc waits") {
    two.try_all(collect(), run(old), {old});
  }
}

TEST_CASE("gc during a run that makes something new removes nothing of it", "[processes][slow]") {
  TwoProcesses two;
  two.project().run();
  const RunSettings next{.sets = {"a=2"}};
  SECTION("the run waits") {
    two.try_all(run(next), collect(), {next});
  }
  SECTION("gc waits") {
    two.try_all(collect(), run(next), {next});
  }
}

TEST_CASE("verify during a run finds nothing and removes nothing", "[processes][slow]") {
  TwoProcesses two;
  SECTION("the run waits") {
    two.try_all(run(), verify(), {kP});
  }
  SECTION("verify waits") {
    two.project().run();
    two.try_all(verify(), run({.sets = {"a=2"}}), {{.sets = {"a=2"}}});
  }
}

TEST_CASE("verify during a run that repairs the same damage ends correctly", "[processes][slow]") {
  TwoProcesses two;
  two.project().run();
  two.project().disk.edit_keeping_mtime(two.project().object_of("a"), "damaged");
  const Act verify_damage = [](Project& project) {
    verify()(project);  // it may or may not find it
    return std::string();
  };
  SECTION("the run waits") {
    two.try_all(run(), verify_damage, {kP});
  }
  SECTION("verify waits") {
    two.try_all(verify_damage, run(), {kP});
  }
}

}  // namespace headway::testing
