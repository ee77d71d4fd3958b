// What runs have left on a cluster, as verbs that only look see it.
#include "lib/cluster/detached.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/json_fields.h"
#include "lib/cluster/allocation_files.h"
#include "lib/cluster/attempt_end.h"
#include "lib/cluster/session.h"
#include "tests/support/memory_file_system.h"
#include "tests/support/project.h"

namespace headway::testing {
namespace {

namespace names = allocation_files;

const Path kFolder = "/outputs/.headway/cluster";
const Digest kKey = digest_of("key");

// A session with one stage that was sent to the agent of job 17 on n1.
struct LeftSession {
  MemoryFileSystem files;
  std::unique_ptr<ClusterSession> session =
      std::make_unique<ClusterSession>(files, kFolder, "1", "p");
  const Path folder = session->folder();
  const Path work = session->attempts() / "1-000001";
  const Path allocation = session->allocations() / "0001";
  const Path life = allocation / "0-5-7";

  LeftSession() {
    files.make_directories(work);
    ClusterSession::note_sent(files, work, {"1-000001", kKey, "/partial", allocation, "0-5-7"});
    files.put(life / names::kHello,
              to_line(to_json_fields(AgentHello{"build", "n1", "17", 0, Json::object()})));
    beat();
  }

  std::int64_t now() { return files.now_ns() / 1'000'000'000; }
  void beat(std::int64_t since = 3) {
    AgentState state{now(), 5};
    state.stages["1-000001"] = {0.5, "half", since};
    files.put(life / names::kState, to_line(state.to_json()));
  }
  void end_stage() {
    StageJob job;
    job.work = work;
    write_ends(files, {{&job, describe_end(files, job, {})}});
  }
  void release() { session.reset(); }
  std::vector<DetachedAttempt> attempts() { return detached_attempts(files, kFolder); }
};

TEST_CASE("a stage that an agent runs without a run is detached") {
  LeftSession left;
  left.release();
  const auto attempts = left.attempts();
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0].key == kKey);
  CHECK(attempts[0].since == 3);
  CHECK(attempts[0].words == "on n1 (job 17)");
  CHECK(has_detached_agents(left.files, kFolder));
}

TEST_CASE("what a run holds is not detached") {
  LeftSession left;
  CHECK(left.attempts().empty());
  CHECK_FALSE(has_detached_agents(left.files, kFolder));
  left.files.advance(3600);
  remove_dead_sessions(left.files, kFolder);
  CHECK(left.files.exists(left.folder));
}

TEST_CASE("a stage that has ended unseen says so, whatever became of its agent") {
  LeftSession left;
  left.end_stage();
  left.release();
  left.files.advance(3600);
  const auto attempts = left.attempts();
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0].words == "has ended on the cluster");
  CHECK(attempts[0].since == 0);
}

TEST_CASE("a stage that its agent does not list yet is detached, and has not begun") {
  LeftSession left;
  left.release();
  left.files.put(left.life / names::kState, to_line(AgentState{left.now(), 5}.to_json()));
  const auto attempts = left.attempts();
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0].since == 0);
}

TEST_CASE("a stage whose agent is silent or cannot be read is not detached") {
  LeftSession left;
  left.release();
  SECTION("silent") {
    left.files.advance(61);
  }
  SECTION("a damaged state") {
    left.files.put(left.life / names::kState, "{\"time\"");
  }
  SECTION("no hello") {
    left.files.remove(left.life / names::kHello);
  }
  CHECK(left.attempts().empty());
}

TEST_CASE("gc removes a session only if nothing lives in it and nothing has ended in it") {
  LeftSession left;
  left.release();
  SECTION("an agent is alive") {
    remove_dead_sessions(left.files, kFolder);
    CHECK(left.files.exists(left.folder));
  }
  SECTION("its clock is ahead of ours") {
    left.files.advance(3600);
    left.beat();
    left.files.advance(-1800);
    remove_dead_sessions(left.files, kFolder);
    CHECK(left.files.exists(left.folder));
  }
  SECTION("a stage has ended") {
    left.end_stage();
    left.files.advance(3600);
    remove_dead_sessions(left.files, kFolder);
    CHECK(left.files.exists(left.folder));
  }
  SECTION("neither") {
    left.files.advance(61);
    CHECK_FALSE(has_detached_agents(left.files, kFolder));
    remove_dead_sessions(left.files, kFolder);
    CHECK(left.files.list(kFolder).empty());
  }
}

TEST_CASE("without a folder of sessions, nothing is detached") {
  MemoryFileSystem files;
  CHECK(detached_attempts(files, kFolder).empty());
  CHECK_FALSE(has_detached_agents(files, kFolder));
  CHECK_NOTHROW(remove_dead_sessions(files, kFolder));
}

}  // namespace
}  // namespace headway::testing
