// An allocation and its agents: one that starts, one that starts anew, and what they say.
#include "lib/cluster/allocation.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/base/json_fields.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_file_system.h"
#include "tests/support/project.h"

namespace headway::testing {
namespace {

namespace names = allocation_files;

const Path kAllocation = "/cluster/5-7/allocations/0003";

AgentRequest request() {
  return {.build = "b", .shape = "s", .cpus = 4, .memory = 5, .time = 600};
}

struct OneAllocation {
  MemoryFileSystem disk;
  FaultyFileSystem files{disk};
  Allocation allocation{files,     kAllocation,     {{4, 5, 600, 0}, {"cpu", "", "", "", {}}},
                        request(), "module load x", "/opt/head way"};

  void hello(const std::string& life, std::int64_t restarts, const std::string& node = "n1") {
    disk.make_directories(kAllocation / life / names::kOrders);
    disk.put(kAllocation / life / names::kHello,
             to_line(to_json_fields(AgentHello{"b", node, "17", restarts, Json::object()})));
  }
  void tell(const std::string& life, const Json& news) {
    MailWriter(disk, kAllocation / life / names::kNotices).send(news);
  }
};

TEST_CASE("an allocation's job has a name of its own and a script that starts the agent") {
  OneAllocation one;
  const JobRequest job = one.allocation.job_request({"n9"});
  CHECK(job.name == "headway-5-7-0003");
  CHECK(job.resources == Resources{4, 5, 600, 0});
  CHECK(job.options.partition == "cpu");
  CHECK(job.excluded == Names{"n9"});
  const std::string script = one.disk.read(job.script).value_or("");
  CHECK(
      script.starts_with("#!/bin/sh\nexport HEADWAY_JOB_BEGAN=$(date +%s)\nmodule load x\nexec "));
  CHECK(script.find("'/opt/head way' agent ") != std::string::npos);
}

TEST_CASE("an allocation is opened again with what it was asked for and its job's id") {
  OneAllocation one;
  one.allocation.note_id("17");
  const auto again = Allocation::open(one.files, kAllocation);
  REQUIRE(again);
  CHECK(again->job.id == "17");
  CHECK(again->request().shape == "s");
  CHECK(again->request().memory == 5);
  CHECK(again->phase == Allocation::Phase::kQueued);
  CHECK(again->is_taken_over);
  CHECK_FALSE(Allocation::open(one.files, kAllocation.parent_path()));
  one.disk.put(kAllocation / names::kRequest, "{\"build\": 3}");
  CHECK_FALSE(Allocation::open(one.files, kAllocation));
}

TEST_CASE("an agent is found once it has said hello") {
  OneAllocation one;
  CHECK_FALSE(one.allocation.find_life());
  CHECK_FALSE(one.allocation.is_alive());
  one.disk.put(kAllocation / "0-5-7" / names::kHello, "{\"bui");
  CHECK_FALSE(one.allocation.find_life());
  one.hello("0-5-7", 0);
  CHECK(one.allocation.find_life());
  CHECK(one.allocation.life() == "0-5-7");
  CHECK(one.allocation.node() == "n1");
  CHECK_FALSE(one.allocation.find_life());  // it is no news
}

TEST_CASE("a job that was requeued has another agent") {
  OneAllocation one;
  one.hello("0-5-7", 0);
  REQUIRE(one.allocation.find_life());
  one.allocation.said_bye = true;
  one.hello("1-9-3", 1, "n2");
  CHECK(one.allocation.find_life());
  CHECK(one.allocation.life() == "1-9-3");
  CHECK(one.allocation.node() == "n2");
  CHECK_FALSE(one.allocation.said_bye);
  one.hello("0-8-8", 0, "n3");  // an earlier one that appears late
  CHECK_FALSE(one.allocation.find_life());
}

TEST_CASE("of two agents that are there, the last counts") {
  OneAllocation one;
  one.hello("10-5-7", 10, "n2");
  one.hello("9-5-7", 9);
  CHECK(one.allocation.find_life());
  CHECK(one.allocation.node() == "n2");
}

TEST_CASE("an agent that was forgotten does not come back, nor does one before it") {
  OneAllocation one;
  one.hello("0-5-7", 0);
  one.hello("1-5-7", 1);
  REQUIRE(one.allocation.find_life());
  one.allocation.forget_life();
  CHECK_FALSE(one.allocation.is_alive());
  CHECK(one.allocation.life().empty());
  CHECK_FALSE(one.allocation.find_life());
  one.hello("2-5-7", 2);
  CHECK(one.allocation.find_life());
  CHECK(one.allocation.life() == "2-5-7");
}

TEST_CASE("an agent whose folder cannot be written for a moment is found the next time") {
  OneAllocation one;
  one.hello("0-5-7", 0);
  one.files.break_path(kAllocation / "0-5-7" / names::kNotices);
  CHECK_THROWS_AS(one.allocation.find_life(), Error);
  CHECK_FALSE(one.allocation.is_alive());
  CHECK(one.allocation.life().empty());
  one.files.heal();
  CHECK(one.allocation.find_life());
}

TEST_CASE("what an agent tells is gathered, and nonsense is left out") {
  OneAllocation one;
  one.hello("0-5-7", 0);
  REQUIRE(one.allocation.find_life());
  one.tell("0-5-7", {{"began", {"a", 3, "b"}}, {"ended", Json::array()}});
  one.tell("0-5-7", {{"ended", {"a"}}});
  one.tell("0-5-7", {{"began", 3}, {"ended", {{"a", 1}}}});
  one.tell("0-5-7", {{"bye", "the end"}});
  const AgentNews news = one.allocation.receive();
  CHECK(news.began == Names{"a", "b"});
  CHECK(news.ended == Names{"a"});
  CHECK(news.is_bye);
}

TEST_CASE("an agent's state counts only while it changes") {
  OneAllocation one;
  one.hello("0-5-7", 0);
  REQUIRE(one.allocation.find_life());
  const Path file = kAllocation / "0-5-7" / names::kState;
  CHECK_FALSE(one.allocation.refresh_state());
  AgentState state{5, 7};
  state.stages["a"] = {0.5, "half", 3};
  one.disk.put(file, to_line(state.to_json()));
  CHECK(one.allocation.refresh_state());
  CHECK(one.allocation.state().memory == 7);
  CHECK(one.allocation.state().stages.at("a").words == "half");
  CHECK_FALSE(one.allocation.refresh_state());
  one.disk.put(file, "{\"time\": 6");  // a sign of life, but no state
  CHECK(one.allocation.refresh_state());
  CHECK(one.allocation.state().memory == 7);
}

TEST_CASE("an agent's state that is not one is not read") {
  for (const char* text :
       {"", "{}", "[]", "{\"time\": 1, \"memory\": -1, \"stages\": {}}",
        "{\"time\": 1, \"memory\": 1, \"stages\": {\"a\": 3}}",
        "{\"time\": 1.5, \"memory\": 1, \"stages\": {}}",
        "{\"time\": 1, \"memory\": 1, \"stages\": {\"a\": {\"fraction\": \"x\", \"words\": \"\", "
        "\"since\": 1}}}"}) {
    CAPTURE(text);
    CHECK_FALSE(AgentState::parse(text));
  }
}

}  // namespace
}  // namespace headway::testing
