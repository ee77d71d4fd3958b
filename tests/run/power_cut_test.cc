// Power cuts at every moment of a run: what was not on the disk is lost, torn or zeros, but looks
// unchanged. The next run repairs it, or reports what is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <set>
#include <thread>

#include "lib/base/text.h"
#include "tests/support/full_project.h"
#include "tests/support/sanitized.h"

namespace headway::testing {
namespace {

using Tree = std::map<std::string, std::string>;
using Files = std::vector<std::uint64_t>;

// What must be right after a cut.
struct Goal {
  RunSettings settings;
  Tree expected;
};

// Which of the states that cuts can leave are tried: of every moment some, or all.
enum class Effort { kSample, kAll };

std::string described(const Moment& moment, const Files& files, Tear tear) {
  const std::string what = files.empty()       ? "nothing unsynced"
                           : files.size() == 1 ? path_of(moment.state, files[0])
                                               : fmt::format("{} unsynced files", files.size());
  return fmt::format("power cut after: {}; {} {}", moment.change, what, name_of(tear));
}

// Calls `check` with the states that cuts leave, each once.
template <class Check>
void each_cut(const std::vector<Moment>& moments, Effort effort, const Check& check) {
  std::set<std::string> tried;
  const auto cut = [&](const Moment& moment, const Files& files, Tear tear) {
    const DiskState left = torn(moment.state, files, tear);
    if (tried.insert(fingerprint(left)).second) check(left, described(moment, files, tear));
  };
  constexpr std::size_t kTearCount = std::size(kTears);
  const std::size_t step = effort == Effort::kAll ? 1 : kStep;
  for (std::size_t i = 0; i < moments.size(); i += step) {
    const bool all = effort == Effort::kAll || i + step >= moments.size();
    const Files files = unsettled_files(moments[i].state);
    cut(moments[i], {}, Tear::kNone);
    cut(moments[i], without_journals(moments[i].state, files), Tear::kZeros);
    for (std::size_t t = 0; t < kTearCount; ++t) {
      if (all || i % kTearCount == t) cut(moments[i], files, kTears[t]);
      for (std::size_t n = 0; n < files.size(); ++n) {
        if (all || (i % kTearCount == t && i / kTearCount % files.size() == n))
          cut(moments[i], {files[n]}, kTears[t]);
      }
    }
  }
}

// Cuts the power after every change that was recorded; each time, all goals must be reached.
void cut_everywhere(FullProject& project, const std::vector<Moment>& moments,
                    const std::vector<Goal>& goals, Effort effort) {
  project.disk.record(nullptr);
  std::size_t tried = 0;
  std::vector<std::string> failures;
  each_cut(moments, effort, [&](const DiskState& left, const std::string& how) {
    ++tried;
    project.disk.restore(left);
    for (const Goal& goal : goals) {
      const std::string problem = recover(project, goal.settings, goal.expected);
      if (!problem.empty()) failures.push_back(how + ": " + printable(problem));
    }
  });
  INFO(failures.size() << " of " << tried << " cuts leave something wrong:\n"
                       << join(failures, "\n"));
  CHECK(failures.empty());
  CHECK(tried > moments.size() / kStep);
}

// A run that leaves a partial state and a shorter walk, then the whole.
void run_twice(FullProject& project) {
  project.stop_early = true;
  REQUIRE(project.run(FullProject::shorter()).exit_code == 1);
  project.stop_early = false;
  REQUIRE(project.run(FullProject::whole()).exit_code == 0);
}

void cut_first_runs(Effort effort) {
  FullProject project;
  project.disk.sync_all("/");
  std::vector<Moment> moments;
  project.disk.record(&moments);
  run_twice(project);
  cut_everywhere(project, moments, {{FullProject::whole(), seen(project)}}, effort);
}

void cut_run_after_change(Effort effort) {
  FullProject project;
  run_twice(project);
  project.change_first_stage();
  project.disk.sync_all("/");
  std::vector<Moment> moments;
  project.disk.record(&moments);
  REQUIRE(project.run(FullProject::whole()).exit_code == 0);
  cut_everywhere(project, moments, {{FullProject::whole(), seen(project)}}, effort);
}

// Of the run before the change nothing is needed, but the shorter walk after it is made again.
void cut_gc(Effort effort) {
  FullProject project;
  run_twice(project);
  project.change_first_stage();
  const RunSettings shorter = FullProject::shorter();
  REQUIRE(project.run(shorter).exit_code == 0);
  const Tree expected_shorter = seen(project, shorter);
  REQUIRE(project.run(FullProject::whole()).exit_code == 0);
  std::vector<Moment> moments;
  project.disk.record(&moments);
  REQUIRE(collect_garbage(project, FullProject::whole()) == "");
  REQUIRE(moments.size() > 20);
  cut_everywhere(project, moments,
                 {{FullProject::whole(), seen(project)}, {shorter, expected_shorter}}, effort);
}

}  // namespace

TEST_CASE("a power cut at any moment of a run does no lasting damage", "[power][slow]") {
  cut_first_runs(Effort::kSample);
}

TEST_CASE("a power cut at any moment of a run after a change does no lasting damage",
          "[power][slow]") {
  cut_run_after_change(Effort::kSample);
}

TEST_CASE("a power cut at any moment of gc does no lasting damage", "[power][slow]") {
  cut_gc(Effort::kSample);
}

TEST_CASE("all power cuts: a run", "[.exhaustive]") {
  cut_first_runs(Effort::kAll);
}

TEST_CASE("all power cuts: a run after a change", "[.exhaustive]") {
  cut_run_after_change(Effort::kAll);
}

TEST_CASE("all power cuts: gc", "[.exhaustive]") {
  cut_gc(Effort::kAll);
}

TEST_CASE("a second power cut while the first is repaired does no lasting damage",
          "[power][slow]") {
  FullProject project;
  project.disk.sync_all("/");
  std::vector<Moment> moments;
  project.disk.record(&moments);
  run_twice(project);
  const Goal goal{FullProject::whole(), seen(project)};
  for (std::size_t i = 0; i < moments.size(); i += 40 * kStep) {
    const DiskState& first = moments[i].state;
    project.disk.restore(torn(first, unsettled_files(first), Tear::kZeros));
    std::vector<Moment> repair;
    project.disk.record(&repair);
    project.run(goal.settings);
    project.disk.record(nullptr);
    for (std::size_t k = 0; k < repair.size(); k += 10) {
      const DiskState& second = repair[k].state;
      project.disk.restore(
          torn(second, unsettled_files(second), k % 20 ? Tear::kZeros : Tear::kGone));
      INFO("cut after " << moments[i].change << ", and again after " << repair[k].change);
      CHECK(recover(project, goal.settings, goal.expected) == "");
    }
  }
}

// Once it is shown as done, it is on the disk.
TEST_CASE("a result that took over a second survives a power cut", "[power][slow]") {
  FullProject project;
  project.disk.sync_all("/");
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1010));
    return project.executor.work(job);
  });
  std::vector<Moment> moments;
  std::size_t done = 0;
  project.when = [&](const std::string& event) {
    if (event == "done a") done = moments.size() - 1;
  };
  project.disk.record(&moments);
  REQUIRE(project.run(FullProject::whole()).exit_code == 0);
  REQUIRE(done > 0);
  project.disk.record(nullptr);
  project.when = nullptr;
  project.executor.on("a", nullptr);
  for (std::size_t i = done; i < moments.size(); i += 5) {
    for (const Tear tear : {Tear::kGone, Tear::kZeros}) {
      project.disk.restore(torn(moments[i].state, unsettled_files(moments[i].state), tear));
      const Outcome outcome = project.run(FullProject::whole());
      INFO("power cut after: " << moments[i].change << "; all unsynced " << name_of(tear));
      CHECK(outcome.exit_code == 0);
      CHECK(std::ranges::count(outcome.ran, "a") == 0);
    }
  }
}

// The result depends on a file of the user's, which the cut turns into zeros that look unchanged.
TEST_CASE("a user's file torn by a power cut is read again", "[power]") {
  Project project;
  project.write(
      R"(stages: {a: {uses: shell, outs: {o: a.txt}, with: {run: "a {out.o}", code: [tool]}}})");
  project.disk.sync_all("/");
  const Path tool = project.folder / "tool";
  project.executor.on("a", [&](const StageJob& job, const ProgressSink&, Interrupt&) {
    project.files.write(job.outputs[0].second, *project.files.read(tool), Durability::kCached);
    return StageResult{};
  });
  project.disk.put(tool, "tool");
  project.disk.advance(1);
  std::vector<Moment> moments;
  project.disk.record(&moments);
  REQUIRE(project.run().exit_code == 0);
  REQUIRE(project.run().exit_code == 0);
  project.disk.record(nullptr);
  for (const Moment& moment : moments) {
    project.disk.restore(torn(moment.state, unsettled_files(moment.state), Tear::kZeros));
    INFO("power cut after: " << moment.change);
    CHECK(project.run().exit_code == 0);
    CHECK(project.shown("p/a/a.txt") == project.disk.read(tool));
  }
}

}  // namespace headway::testing
