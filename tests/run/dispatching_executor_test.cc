// Which executor runs which stage.
#include "lib/run/dispatching_executor.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/stage/native_stage.h"
#include "tests/support/fake_executor.h"
#include "tests/support/job_folder.h"
#include "tests/support/memory_file_system.h"

namespace headway::testing {
namespace {

using ResultStatus = StageResult::Status;

// Executors for commands and workers that only record the stages.
class Dispatching {
 public:
  Dispatching() {
    for (FakeExecutor* executor : {&commands, &workers}) {
      executor->on("s", [](const StageJob&, const ProgressSink&, Interrupt&) {
        StageResult result;
        result.message = "elsewhere";
        return result;
      });
    }
    StageType builtin;
    builtin.name = "builtin";
    builtin.builtin = [this](StageContext& context) { work(context); };
    types.add(std::move(builtin));
    StageType other;
    other.name = "other";
    types.add(std::move(other));
  }

  StageResult execute(const std::string& type, const std::string& script = "",
                      double timeout_seconds = 0) {
    StageJob job;
    job.stage = "s";
    job.type = type;
    job.script = script;
    job.params = {{"seed", 7}};
    DispatchingExecutor executor(types, commands, workers);
    return run(
        executor, job, timeout_seconds,
        [&](double fraction, const std::string& words) { progress.emplace_back(fraction, words); },
        interrupt);
  }

  MemoryFileSystem files;
  FakeExecutor commands{files};
  FakeExecutor workers{files};
  StageRegistry types;
  Interrupt interrupt;
  std::function<void(StageContext&)> work = [](StageContext&) {};
  std::vector<std::pair<double, std::string>> progress;
};

}  // namespace

TEST_CASE("commands go to the shell, and everything else to workers", "[dispatching]") {
  Dispatching dispatching;
  CHECK(dispatching.execute("other", "true").message == "elsewhere");
  CHECK(dispatching.commands.take_ran().size() == 1);
  CHECK(dispatching.workers.take_ran().empty());
  dispatching.execute("other");
  dispatching.execute("a type that nobody declared");
  CHECK(dispatching.commands.take_ran().empty());
  CHECK(dispatching.workers.take_ran().size() == 2);
}

TEST_CASE("the engine's own work is done in the process, with its job and its progress",
          "[dispatching]") {
  Dispatching dispatching;
  int seed = 0;
  dispatching.work = [&](StageContext& context) {
    seed = context.params().at("seed");
    context.progress(0.5, "half");
  };
  const StageResult result = dispatching.execute("builtin");
  CHECK(result.status == ResultStatus::kSucceeded);
  CHECK(seed == 7);
  CHECK(dispatching.progress == std::vector<std::pair<double, std::string>>{{0.5, "half"}});
  CHECK(dispatching.commands.ran().empty());
  CHECK(dispatching.workers.ran().empty());
}

TEST_CASE("an exception in the engine's own work becomes a result", "[dispatching]") {
  Dispatching dispatching;
  dispatching.work = [](StageContext&) { throw Error("not so"); };
  const StageResult failed = dispatching.execute("builtin");
  CHECK(failed.status == ResultStatus::kFailed);
  CHECK(failed.message == "not so");
  dispatching.work = [](StageContext&) { throw std::bad_alloc(); };
  CHECK(dispatching.execute("builtin").status == ResultStatus::kFailed);
}

TEST_CASE("the engine's own work times out, whether it notices or not", "[dispatching]") {
  Dispatching dispatching;
  dispatching.work = [](StageContext& context) {
    while (!context.cancelled()) {
    }
  };
  const StageResult late = dispatching.execute("builtin", "", 0.01);
  CHECK(late.status == ResultStatus::kTimedOut);
  CHECK(late.message == "timed out after 10 ms");
  dispatching.work = [](StageContext& context) {
    while (!context.cancelled()) {
    }
    context.throw_if_cancelled();
  };
  CHECK(dispatching.execute("builtin", "", 0.01).status == ResultStatus::kTimedOut);
  dispatching.work = [](StageContext&) {};
  CHECK(dispatching.execute("builtin", "", 3600).status == ResultStatus::kSucceeded);
}

TEST_CASE("the engine's own work sees an interrupt", "[dispatching]") {
  Dispatching dispatching;
  dispatching.work = [](StageContext& context) { context.throw_if_cancelled(); };
  CHECK(dispatching.execute("builtin").status == ResultStatus::kSucceeded);
  dispatching.interrupt.raise();
  CHECK(dispatching.execute("builtin").status == ResultStatus::kCancelled);
}

}  // namespace headway::testing
