// A disk that fails at any operation: the run names the file and the reason, or does without it;
// and the next run, on a working disk, completes.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <thread>

#include "tests/support/full_project.h"
#include "tests/support/sanitized.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;

void check_faults(FullProject& project, bool stays, std::size_t step) {
  if (stays) step *= 3;
  const DiskState start = project.disk.state();
  project.files.heal();
  REQUIRE(project.run(FullProject::whole()).exit_code == 0);
  const auto expected = seen(project);
  const std::size_t operations = project.files.operations();
  for (std::size_t n = 0; n < operations; n += step) {
    project.disk.restore(start);
    project.files.heal();
    project.files.break_at(n, stays);
    const Outcome outcome = project.run(FullProject::whole());
    const Path failed = project.files.failed_path();
    INFO("operation " << n << " on " << failed << " fails" << (stays ? " for ever" : "")
                      << "; exit code " << outcome.exit_code << ": " << said(outcome));
    if (!project.files.has_failed()) {  // a stage of the first run took a second, and was synced
      REQUIRE(project.files.operations() <= n);
      break;
    }
    if (outcome.exit_code == 0) {  // a mere hint was lost
      CHECK(seen(project) == expected);
    } else {
      CHECK((outcome.exit_code == 1 || outcome.exit_code == 2));  // 2: of the pipeline file
      CHECK_THAT(said(outcome), ContainsSubstring(failed.string()));
      CHECK_THAT(said(outcome), ContainsSubstring("input/output error"));
    }
    project.files.heal();
    const Outcome again = project.run(FullProject::whole());
    for (const auto& [stage, status] : outcome.statuses) {  // what was done is kept
      if (status == "done") CHECK(std::ranges::count(again.ran, stage) == 0);
    }
    CHECK(recover(project, FullProject::whole(), expected) == "");
  }
}

// Whatever was not on the disk at a sync that failed is zeros after a power cut that comes later.
void check_failed_syncs(std::size_t step) {
  FullProject project;
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1010));  // so that it is worth a sync
    return project.executor.work(job);
  });
  project.disk.sync_all("/");
  const DiskState start = project.disk.state();
  std::vector<std::size_t> syncs;
  project.files.before = [&](std::size_t operation, std::string_view doing) {
    if (doing == "sync") syncs.push_back(operation);
  };
  REQUIRE(project.run(FullProject::whole()).exit_code == 0);
  project.files.before = nullptr;
  REQUIRE(syncs.size() >= 4);
  const auto expected = seen(project);
  project.files.sync_failed = [&](const Path& path) { project.disk.lose_unsynced(path); };
  for (std::size_t i = 0; i < syncs.size(); i += step) {
    const std::size_t n = syncs[syncs.size() - 1 - i];  // the last one is that of the whole run
    project.disk.restore(start);
    project.files.heal();
    project.files.break_at(n, false);
    const Outcome outcome = project.run(FullProject::whole());
    INFO("operation " << n << " fails, exit code " << outcome.exit_code << ": " << said(outcome));
    if (!project.files.has_failed()) {  // another stage of the first run took a second, too
      REQUIRE(project.files.operations() <= n);
      continue;
    }
    if (outcome.exit_code != 0) CHECK_THAT(said(outcome), ContainsSubstring("input/output error"));
    project.files.heal();
    const DiskState left = project.disk.state();
    const std::vector<std::uint64_t> unsettled = unsettled_files(left);
    for (const auto& files : {unsettled, without_journals(left, unsettled)}) {
      project.disk.restore(torn(left, files, Tear::kZeros));
      CHECK(recover(project, FullProject::whole(), expected) == "");
    }
  }
}

}  // namespace

TEST_CASE("a failed operation in a first run is named, and the next run completes",
          "[fault][slow]") {
  FullProject project;
  check_faults(project, GENERATE(false, true), kStep);
}

TEST_CASE("a failed operation while stages continue earlier work is named", "[fault][slow]") {
  FullProject project;
  project.stop_early = true;
  project.run(FullProject::shorter());
  project.stop_early = false;
  check_faults(project, GENERATE(false, true), 2 * kStep);
}

TEST_CASE("a failed operation in a run after a change is named", "[fault][slow]") {
  FullProject project;
  project.run(FullProject::whole());
  project.change_first_stage();
  check_faults(project, GENERATE(false, true), 2 * kStep);
}

TEST_CASE("a failed operation in a run with nothing to do is named", "[fault][slow]") {
  FullProject project;
  project.run(FullProject::whole());
  check_faults(project, GENERATE(false, true), kStep);
}

// Nothing is remembered, so that a run reads everything it depends on.
TEST_CASE("an unreadable file of the store is recreated, or named", "[fault]") {
  FullProject project;
  project.run(FullProject::whole());
  const auto expected = seen(project);
  project.disk.remove(project.layout.digests());
  project.disk.remove(project.layout.states());
  const DiskState start = project.disk.state();
  for (const auto& [name, contents] : project.disk.tree(project.layout.root())) {
    if (name.ends_with("/")) continue;
    project.disk.restore(start);
    project.files.heal();
    project.files.break_path(project.layout.root() / name);
    const Outcome outcome = project.run(FullProject::whole());
    INFO(name << " cannot be read; exit code " << outcome.exit_code << ": " << said(outcome));
    if (outcome.exit_code == 0) {
      CHECK(seen(project) == expected);
    } else {
      CHECK((outcome.exit_code == 1 || outcome.exit_code == 2));  // 2: of the pipeline file
      CHECK_THAT(said(outcome), ContainsSubstring(name));
    }
    project.files.heal();
    CHECK(recover(project, FullProject::whole(), expected) == "");
  }
}

TEST_CASE("a failed sync makes nothing durable", "[fault][slow]") {
  check_failed_syncs(4);
}

TEST_CASE("if every sync fails, nothing becomes durable", "[.exhaustive]") {
  check_failed_syncs(1);
}

}  // namespace headway::testing
