// States that were made with other instruction sets or libraries than those of this machine.
#include "lib/worker/state_numerics.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/machine.h"
#include "lib/worker/command_executor.h"
#include "lib/worker/worker_executor.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Status = StageResult::Status;

constexpr const char* kAnew =
    "the saved state was made with AVX2; this machine computes with AVX-512, so the stage starts "
    "from nothing";

// Runs the same job on machines with different numerics.
struct Machines {
  StageResult run_native(const StageJob& job, const std::string& numerics) {
    WorkerExecutor executor(loop, variable("HEADWAY_PLAIN_TEST_WORKER"),
                            {"HEADWAY_TEST_NUMERICS=" + numerics});
    return run(executor, job);
  }
  StageResult run_command(const StageJob& job, const std::string& numerics) {
    CommandExecutor executor(loop, {}, numerics);
    return run(executor, job);
  }

  // A stage that has stopped at step 6 of 10.
  StageJob stopped_job(const std::string& numerics) {
    StageJob job = folder.job("job", "plain", {{"misbehave", "throw"}}, {"sum"});
    run_native(job, numerics);
    RealFileSystem().write(job.partial / "state.json", R"({"step": 6, "sum": 1})",
                           Durability::kCached);
    RealFileSystem().remove(job.log);
    job.params = Json::object();
    return job;
  }
  // A command that counts its attempts in {partial}.
  StageJob command(const std::string& name) const {
    StageJob job = folder.job(name, "shell", {}, {});
    job.script = "ls -A '" + job.partial.string() + "'; echo x >> '" +
                 (job.partial / "attempts").string() + "'";
    job.folder = folder.path();
    RealFileSystem().make_directories(job.partial);
    return job;
  }

  JobFolder folder;
  ProcessLoop loop;
};

std::string noted(const StageJob& job) {
  return contents(StateNumerics::note_of(job.partial));
}

TEST_CASE("a result names the numerics that it was computed with") {
  Machines machines;
  const StageJob native = machines.folder.job("native", "plain", {}, {"sum"});
  CHECK(machines.run_native(native, "AVX2").numerics == "AVX2");
  CHECK(machines.run_command(machines.command("command"), "AVX2").numerics == "AVX2");
  CommandExecutor executor(machines.loop);
  CHECK(run(executor, machines.command("here")).numerics == numerics_of_cpu());
}

TEST_CASE("a stage continues from a state that was made with the same numerics") {
  Machines machines;
  const StageJob job = machines.stopped_job("AVX2");
  CHECK(noted(job) == "AVX2\n");
  const StageResult result = machines.run_native(job, "AVX2");
  CHECK(result.status == Status::kSucceeded);
  CHECK(result.notice.empty());
  CHECK_THAT(contents(job.log), ContainsSubstring("from step 6"));
}

TEST_CASE("a stage starts from nothing if its state was made with other numerics, and says so") {
  Machines machines;
  const StageJob job = machines.stopped_job("AVX2");
  const StageResult result = machines.run_native(job, "AVX-512");
  CHECK(result.status == Status::kSucceeded);
  CHECK(result.notice == kAnew);
  CHECK(result.numerics == "AVX-512");
  CHECK_THAT(contents(job.log),
             StartsWith(std::string(kAnew) + "\n") && ContainsSubstring("from step 0"));
  CHECK(noted(job) == "AVX-512\n");
}

TEST_CASE("a stage may be allowed to continue under other numerics; its result names both") {
  Machines machines;
  StageJob job = machines.stopped_job("AVX2");
  job.resume_on_other_numerics = true;
  const StageResult result = machines.run_native(job, "AVX-512");
  CHECK_THAT(result.notice, ContainsSubstring("the saved state was made with AVX2"));
  CHECK(result.numerics == "AVX2, then AVX-512");
  CHECK_THAT(contents(job.log), ContainsSubstring("from step 6"));
  CHECK(noted(job) == "AVX2\nAVX-512\n");
  CHECK(machines.run_native(job, "AVX2").numerics == "AVX2, then AVX-512");
  job.resume_on_other_numerics = false;  // neither machine alone made this state
  CHECK_THAT(machines.run_native(job, "AVX2").notice,
             StartsWith("the saved state was made with AVX2, then AVX-512; "));
}

TEST_CASE("a state of an older version, which does not say its numerics, is continued") {
  Machines machines;
  const StageJob job = machines.stopped_job("AVX2");
  RealFileSystem().remove(StateNumerics::note_of(job.partial));
  CHECK(machines.run_native(job, "AVX-512").notice.empty());
  CHECK_THAT(contents(job.log), ContainsSubstring("from step 6"));
  CHECK(noted(job) == "AVX-512\n");
}

TEST_CASE("a state of an older version says its numerics inside the folder") {
  Machines machines;
  const StageJob job = machines.stopped_job("AVX2");
  RealFileSystem().rename(StateNumerics::note_of(job.partial), job.partial / StateNumerics::kFile);
  CHECK(machines.run_native(job, "AVX-512").notice == kAnew);
  CHECK_FALSE(std::filesystem::exists(job.partial / StateNumerics::kFile));
}

TEST_CASE("a folder without a state gives no notice") {
  Machines machines;
  const StageJob job = machines.stopped_job("AVX2");
  RealFileSystem().remove(job.partial / "state.json");
  CHECK(machines.run_native(job, "AVX-512").notice.empty());
  CHECK(noted(job) == "AVX-512\n");
}

TEST_CASE("a command finds its state, or an empty folder if that was made with other numerics") {
  Machines machines;
  const StageJob job = machines.command("job");
  CHECK(machines.run_command(job, "AVX2").notice.empty());
  CHECK(contents(job.log).empty());  // the folder was empty
  CHECK(noted(job) == "AVX2\n");
  CHECK(machines.run_command(job, "AVX2").notice.empty());
  CHECK(contents(job.partial / "attempts") == "x\nx\n");
  RealFileSystem().remove(job.log);
  CHECK(machines.run_command(job, "AVX-512").notice == kAnew);
  CHECK(contents(job.log) == std::string(kAnew) + "\n");
  CHECK(contents(job.partial / "attempts") == "x\n");
  CHECK(noted(job) == "AVX-512\n");
}

TEST_CASE("a command without {partial} gets no folder") {
  Machines machines;
  StageJob job = machines.folder.job("job", "shell", {}, {});
  job.script = "true";
  job.folder = machines.folder.path();
  CHECK(machines.run_command(job, "AVX2").status == Status::kSucceeded);
  CHECK_FALSE(std::filesystem::exists(job.partial));
  CHECK_FALSE(std::filesystem::exists(StateNumerics::note_of(job.partial)));
}

TEST_CASE("the numerics of a command's state are noted before there is a state") {
  Machines machines;
  StageJob job = machines.command("job");
  job.script = "cat '" + StateNumerics::note_of(job.partial).string() + "'";
  machines.run_command(job, "AVX2");
  CHECK(contents(job.log) == "AVX2\n");
}

TEST_CASE("a command that makes {partial} anew does not lose what its state was made with") {
  Machines machines;
  StageJob job = machines.command("job");
  const std::string folder = "'" + job.partial.string() + "'";
  job.script = fmt::format(
      "rm -r {0}; mkdir {0}; echo x > {0}/state; sleep 1; rm -r {0}; mkdir "
      "{0}; echo x > {0}/state",
      folder);
  machines.run_command(job, "AVX2");
  CHECK(noted(job) == "AVX2\n");
  CHECK(machines.run_command(job, "AVX-512").notice == kAnew);
}

}  // namespace
}  // namespace headway::testing
