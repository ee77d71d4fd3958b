// Who runs which stage.
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

// Commands and workers that only remember who came.
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

  StageResult execute(const std::string& type, const std::string& script = "") {
    StageJob job;
    job.stage = "s";
    job.type = type;
    job.script = script;
    job.params = {{"seed", 7}};
    DispatchingExecutor executor(types, commands, workers);
    return run(
        executor, job, 0,
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

TEST_CASE("commands go to the shell, and all else to workers", "[dispatching]") {
  Dispatching dispatching;
  CHECK(dispatching.execute("other", "true").message == "elsewhere");
  CHECK(dispatching.commands.take_ran().size() == 1);
  CHECK(dispatching.workers.take_ran().empty());
  dispatching.execute("other");
  dispatching.execute("a type that nobody declared");
  CHECK(dispatching.commands.take_ran().empty());
  CHECK(dispatching.workers.take_ran().size() == 2);
}

TEST_CASE("what the engine does itself is done here, with its job and its progress",
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

TEST_CASE("what goes wrong in the engine's own work is a result", "[dispatching]") {
  Dispatching dispatching;
  dispatching.work = [](StageContext&) { throw Error("not so"); };
  const StageResult failed = dispatching.execute("builtin");
  CHECK(failed.status == ResultStatus::kFailed);
  CHECK(failed.message == "not so");
  dispatching.work = [](StageContext&) { throw std::bad_alloc(); };
  CHECK(dispatching.execute("builtin").status == ResultStatus::kFailed);
}

TEST_CASE("the engine's own work hears of an interrupt", "[dispatching]") {
  Dispatching dispatching;
  dispatching.work = [](StageContext& context) { context.throw_if_cancelled(); };
  CHECK(dispatching.execute("builtin").status == ResultStatus::kSucceeded);
  dispatching.interrupt.raise();
  CHECK(dispatching.execute("builtin").status == ResultStatus::kCancelled);
}

}  // namespace headway::testing
