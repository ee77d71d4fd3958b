// Training in a real worker process: what the executor, the worker's loop and LibTorch make
// together.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/json.h"
#include "lib/worker/worker_executor.h"
#include "tests/support/fit_line.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Status = StageResult::Status;

// One executor, and so one warm worker, for all the tests: loading LibTorch takes a second.
WorkerExecutor& executor() {
  static WorkerExecutor shared(variable("HEADWAY_TEST_WORKER"));
  return shared;
}

StageJob fit(const JobFolder& folder, const std::string& name, Json params) {
  return folder.job(name, "fit-line", std::move(params), {"model", "metrics"});
}

std::string bytes(const StageJob& job) {
  return output_of(job, "model") + output_of(job, "metrics");
}

TEST_CASE("a line is fitted") {
  JobFolder folder;
  const StageJob job = fit(folder, "fit", {{"seed", 7}});
  std::vector<double> told;
  Interrupt interrupt;
  const auto sink = [&](double done, const std::string&) { told.push_back(done); };
  const StageResult result = executor().execute(job, 60, sink, interrupt);
  INFO(result.message);
  REQUIRE(result.status == Status::kSucceeded);
  const Json model = Json::parse(output_of(job, "model"));
  CHECK(model.at("a").get<double>() == Approx(kTrueSlope).margin(0.1));
  CHECK(model.at("b").get<double>() == Approx(kTrueIntercept).margin(0.1));
  CHECK(Json::parse(output_of(job, "metrics")).at("loss").get<double>() < 0.03);
  REQUIRE_FALSE(told.empty());
  CHECK(told.back() == 1.0);
  CHECK(result.peak_memory > 50'000'000);  // LibTorch alone
  CHECK(result.cpu_seconds > 0);
}

TEST_CASE("the bytes do not depend on what the worker ran before") {
  JobFolder folder;
  const StageJob first = fit(folder, "first", {{"seed", 1}});
  const StageJob other = fit(folder, "other", {{"seed", 2}, {"samples", 100}});
  const StageJob again = fit(folder, "again", {{"seed", 1}});
  const StageJob fresh = fit(folder, "fresh", {{"seed", 1}});
  REQUIRE(run(executor(), first).status == Status::kSucceeded);
  REQUIRE(run(executor(), other).status == Status::kSucceeded);
  run(executor(), fit(folder, "thrown", {{"misbehave", "throw"}}));
  REQUIRE(run(executor(), again).status == Status::kSucceeded);
  CHECK(pid_in_log(first) == pid_in_log(again));
  CHECK(bytes(first) == bytes(again));
  CHECK(bytes(first) != bytes(other));
  WorkerExecutor another(variable("HEADWAY_TEST_WORKER"));
  REQUIRE(run(another, fresh).status == Status::kSucceeded);
  CHECK(pid_in_log(first) != pid_in_log(fresh));
  CHECK(bytes(first) == bytes(fresh));
}

TEST_CASE("training that was interrupted goes on to the bytes of one that was not") {
  JobFolder folder;
  const Json params = {{"steps", 120}, {"slow_ms", 1}, {"lr", 0.01}};
  const StageJob undisturbed = fit(folder, "undisturbed", params);
  const StageJob disturbed = fit(folder, "disturbed", params);
  REQUIRE(run(executor(), undisturbed).status == Status::kSucceeded);
  Interrupt interrupt;
  const auto stop_later = [&](double done, const std::string&) {
    if (done > 0.1 && !interrupt.requested()) interrupt.raise();
  };
  CHECK(executor().execute(disturbed, 0, stop_later, interrupt).status == Status::kCancelled);
  CHECK(bytes(disturbed).empty());
  REQUIRE(run(executor(), disturbed).status == Status::kSucceeded);
  const std::string log = contents(disturbed.log);
  CHECK_THAT(log.substr(log.find('\n')), !ContainsSubstring("from step 0\n"));
  CHECK(bytes(disturbed) == bytes(undisturbed));
}

TEST_CASE("LibTorch's own errors are told in a line, with the rest in the log") {
  JobFolder folder;
  const StageJob job = fit(folder, "huge", {{"misbehave", "huge-tensor"}});
  const StageResult result = run(executor(), job);
  CHECK(result.status == Status::kFailed);
  CHECK_THAT(result.message, ContainsSubstring("can't allocate memory"));
  CHECK_THAT(result.message, !ContainsSubstring("\n"));
  CHECK_THAT(contents(job.log), ContainsSubstring("can't allocate memory"));
  const StageJob next = fit(folder, "next", {{"steps", 1}});
  CHECK(run(executor(), next).status == Status::kSucceeded);
  CHECK(pid_in_log(next) == pid_in_log(job));
}

TEST_CASE("training that crashes or is killed fails alone") {
  JobFolder folder;
  const StageResult crashed = run(executor(), fit(folder, "crash", {{"misbehave", "segfault"}}));
  CHECK(crashed.status == Status::kFailed);
  CHECK(crashed.message == "worker ended: killed by signal 11 (segmentation fault)");
  const StageJob next = fit(folder, "next", {{"steps", 1}});
  CHECK(run(executor(), next).status == Status::kSucceeded);
}

TEST_CASE("what fit-line declares is what it reads") {
  Diagnostics diagnostics;
  const Value resolved = fit_line_type().params->resolve(
      from_json({{"steps", 3}, {"misbehave", "throw"}}, {}), "stage 'fit'", {}, diagnostics);
  CHECK(diagnostics.text().empty());
  const FitLineParams params = fit_line_schema().read(to_json(resolved));
  CHECK(params.steps == 3);
  CHECK(params.samples == 64);
  CHECK(params.misbehave == "throw");
}

}  // namespace
}  // namespace headway::testing
