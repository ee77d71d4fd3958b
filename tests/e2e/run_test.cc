// Repeated runs: nothing is done twice or needlessly, and nothing is lost.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>
#include <set>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

// left -> join <- right -> leaf; `strip` drops what is in `noise`.
constexpr const char* kDiamond = R"(
name: diamond
params: {left: 1, right: 2, noise: a}
stages:
  left:
    uses: shell
    outs: {text: left.txt}
    with: {run: "echo left >> ran.txt; echo ${left} > {out.text}"}
  right:
    uses: shell
    outs: {text: right.txt}
    with: {run: "echo right >> ran.txt; echo ${right} > {out.text}"}
  join:
    uses: shell
    in: {left: left, right: right}
    outs: {text: join.txt}
    with: {run: "echo join >> ran.txt; cat {in.left} {in.right} > {out.text}"}
  leaf:
    uses: shell
    in: {text: right}
    outs: {text: leaf.txt}
    with: {run: "echo leaf >> ran.txt; cat {in.text} {in.text} > {out.text}"}
  noisy:
    uses: shell
    outs: {text: noisy.txt}
    with: {run: "echo noisy >> ran.txt; echo ${noise} > {out.text}"}
  strip:
    uses: shell
    in: {text: noisy}
    outs: {text: strip.txt}
    with: {run: "echo strip >> ran.txt; tr -d '[:lower:]' < {in.text} > {out.text}"}
  last:
    uses: shell
    in: {text: strip}
    outs: {text: last.txt}
    with: {run: "echo last >> ran.txt; wc -c < {in.text} > {out.text}"}
)";

constexpr const char* kOneFails = R"(
name: failing
params: {good: "no"}
stages:
  fine:
    uses: shell
    outs: {text: fine.txt}
    with: {run: "echo fine >> ran.txt; echo fine > {out.text}"}
  broken:
    uses: shell
    in: {text: fine}
    outs: {text: broken.txt}
    with:
      run: |
        echo broken >> ran.txt
        for i in $(seq 40); do echo "line $i of the log"; done
        echo the reason why >&2
        test ${good} = yes
        cat {in.text} > {out.text}
  below:
    uses: shell
    in: {text: broken}
    outs: {text: below.txt}
    with: {run: "echo below >> ran.txt; cat {in.text} > {out.text}"}
  beside:
    uses: shell
    needs: [fine]
    outs: {text: beside.txt}
    with: {run: "echo beside >> ran.txt; echo beside > {out.text}"}
  beside2:
    uses: shell
    in: {text: beside}
    outs: {text: beside2.txt}
    with: {run: "echo beside2 >> ran.txt; cat {in.text} > {out.text}"}
)";

TEST_CASE("a second run does nothing") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  const Outcome first = sandbox.headway({"run", "p.yaml"});
  INFO(first.all());
  REQUIRE(first.exit_code == 0);
  CHECK(sandbox.ran() == Words{"join", "last", "leaf", "left", "noisy", "right", "strip"});
  CHECK(sandbox.read("outputs/diamond/join/join.txt") == "1\n2\n");

  const Outcome second = sandbox.headway({"run", "p.yaml"});
  CHECK(second.exit_code == 0);
  CHECK(sandbox.ran().empty());
  CHECK_THAT(second.out, ContainsSubstring("nothing to do, 7 fresh"));
  CHECK(sandbox.leftovers().empty());
  CHECK(sandbox.temporaries().empty());
}

TEST_CASE("editing one parameter reruns only its descendants") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  sandbox.ran();

  sandbox.replace("p.yaml", "left: 1", "left: 10");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"});
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran() == Words{"join", "left"});
  CHECK(sandbox.read("outputs/diamond/join/join.txt") == "10\n2\n");

  sandbox.replace("p.yaml", "left: 10", "left: 1");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.ran().empty());  // it is all still there
  CHECK(sandbox.read("outputs/diamond/join/join.txt") == "1\n2\n");
}

TEST_CASE("comments, the order of keys, and file and stage names do not cause a rerun") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  sandbox.ran();
  sandbox.write("q.yaml", "# another comment\n" + sandbox.read("p.yaml"));
  sandbox.replace("q.yaml", "name: diamond", "name: other");
  sandbox.replace("q.yaml", "  leaf:", "  renamed:");
  sandbox.replace("q.yaml", "in: {left: left, right: right}", "in: {right: right, left: left}");
  REQUIRE(sandbox.headway({"run", "q.yaml"}).exit_code == 0);
  CHECK(sandbox.ran().empty());
  CHECK(sandbox.read("outputs/other/renamed/leaf.txt") == "2\n2\n");
}

TEST_CASE("a rerun stage that produces equal bytes stops the rerun there") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  sandbox.ran();
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--set", "noise=zzz"});
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran() == Words{"noisy", "strip"});
  CHECK_THAT(outcome.out, ContainsSubstring("last: fresh"));
}

TEST_CASE("a failure names the stage, its command, the end of its log and the log's path") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOneFails);
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "-j1"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.out, ContainsSubstring("stage 'broken' failed: exit code 1"));
  CHECK_THAT(outcome.out, ContainsSubstring("test no = yes"));
  CHECK_THAT(outcome.out, ContainsSubstring("line 40 of the log"));
  CHECK_THAT(outcome.out, ContainsSubstring("the reason why"));
  CHECK_THAT(outcome.out, !ContainsSubstring("line 2 of the log"));
  CHECK_THAT(outcome.out, ContainsSubstring("below: skipped, because broken failed"));
  const std::string log = sandbox.headway({"logs", "broken", "--path"}).out;
  REQUIRE(log.size() > 1);
  CHECK_THAT(outcome.out, ContainsSubstring("log: " + log));
  CHECK_THAT(sandbox.headway({"logs", "broken"}).out, ContainsSubstring("line 1 of the log"));
}

TEST_CASE("what finished before a failure is kept, and the rest runs once it is fixed") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOneFails);
  CHECK(sandbox.headway({"run", "p.yaml", "-j1"}).exit_code == 1);
  CHECK(sandbox.exists("outputs/failing/fine/fine.txt"));
  CHECK_FALSE(sandbox.exists("outputs/failing/broken/broken.txt"));
  sandbox.ran();
  const Outcome mended = sandbox.headway({"run", "p.yaml", "--set", "good=yes"});
  INFO(mended.all());
  CHECK(mended.exit_code == 0);
  const Words ran = sandbox.ran();
  CHECK(std::count(ran.begin(), ran.end(), "fine") == 0);
  CHECK(std::count(ran.begin(), ran.end(), "below") == 1);
  CHECK(sandbox.read("outputs/failing/good=yes/below/below.txt") == "fine\n");
  CHECK(sandbox.leftovers().empty());
}

TEST_CASE("the option --keep-going finishes everything that does not depend on the failure") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOneFails);
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--keep-going", "-j1"});
  CHECK(outcome.exit_code == 1);
  CHECK(sandbox.ran() == Words{"beside", "beside2", "broken", "fine"});
  CHECK_THAT(outcome.out, ContainsSubstring("3 done, 1 failed, 1 skipped"));
}

TEST_CASE("one cpu or many produce the same files") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  REQUIRE(sandbox.headway({"run", "p.yaml", "-j1", "--outputs", "one"}).exit_code == 0);
  REQUIRE(sandbox.headway({"run", "p.yaml", "-j2", "--outputs", "two"}).exit_code == 0);
  REQUIRE(sandbox.headway({"run", "p.yaml", "-j64", "--outputs", "many"}).exit_code == 0);
  const auto one = sandbox.exported("one");
  CHECK(one.size() == 7);
  CHECK(one == sandbox.exported("two"));
  CHECK(one == sandbox.exported("many"));
  CHECK_FALSE(sandbox.exists("outputs"));
}

TEST_CASE("two identical stages run once") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo it >> ran.txt; sleep 0.2; date > {out.t}"}}
  b: {uses: shell, outs: {t: t.txt}, with: {run: "echo it >> ran.txt; sleep 0.2; date > {out.t}"}}
  c: {uses: shell, in: {a: a, b: b}, outs: {t: t.txt}, with: {run: "cmp {in.a} {in.b} && echo same > {out.t}"}}
)");
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "-j2"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.ran() == Words{"it"});
}

TEST_CASE("the option --json prints the run in order, one event per line") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kOneFails);
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--json", "--keep-going"});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err.empty());
  const std::vector<Json> printed = events(outcome.out);
  REQUIRE(printed.size() >= 3);
  CHECK(printed.front().at("event") == "run-started");
  CHECK(printed.front().at("stages") == 5);
  CHECK(printed.back().at("event") == "run-finished");
  CHECK(printed.back().at("exit_code") == 1);
  CHECK(printed.back().at("done") == 3);
  std::map<std::string, std::string> status;
  std::set<std::string> started;
  for (const Json& event : printed) {
    if (event.at("event") == "stage-started") {
      const std::string stage = event.at("stage");
      CHECK(started.insert(stage).second);
      if (stage != "fine") CHECK(status["fine"] == "done");  // all need it
      if (stage == "beside2") CHECK(status["beside"] == "done");
    } else if (event.at("event") == "stage-finished") {
      const std::string stage = event.at("stage");
      CHECK(status[stage].empty());
      status[stage] = event.at("status");
      if (status[stage] != "skipped") CHECK(started.contains(stage));
    }
  }
  CHECK(status == std::map<std::string, std::string>{{"fine", "done"},
                                                     {"broken", "failed"},
                                                     {"below", "skipped"},
                                                     {"beside", "done"},
                                                     {"beside2", "done"}});

  const std::vector<Json> again =
      events(sandbox.headway({"run", "p.yaml", "--json", "--set", "good=yes"}).out);
  CHECK(again.front().at("fresh") == 3);
  CHECK(again.back().at("exit_code") == 0);
}

TEST_CASE("the option --quiet prints nothing on success and everything about a failure") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  const Outcome outcome = sandbox.headway({"run", "p.yaml", "--quiet"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.all().empty());
  sandbox.write("q.yaml", kOneFails);
  const Outcome failed = sandbox.headway({"run", "q.yaml", "--quiet"});
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.all(), ContainsSubstring("stage 'broken' failed"));
  CHECK_THAT(failed.all(), !ContainsSubstring("fine: done"));
}

TEST_CASE("the option --dry-run shows what would run and changes nothing on disk") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  const Outcome before = sandbox.headway({"run", "p.yaml", "--dry-run"});
  INFO(before.all());
  CHECK(before.exit_code == 0);
  CHECK_THAT(before.out, ContainsSubstring("would run"));
  CHECK(sandbox.list(".") == Words{"p.yaml"});

  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  sandbox.ran();
  sandbox.replace("p.yaml", "right: 2", "right: 3");
  const std::string listing = "find . -printf '%p %T@ %s %l\\n' | sort";
  const std::string disk = sandbox.sh(listing).out;
  const Outcome after = sandbox.headway({"run", "p.yaml", "--dry-run"});
  INFO(after.all());
  CHECK(after.exit_code == 0);
  CHECK(sandbox.sh(listing).out == disk);
  CHECK_THAT(after.out, ContainsSubstring("would run  right"));
  CHECK_THAT(after.out, ContainsSubstring("may run    leaf"));
  CHECK_THAT(after.out, ContainsSubstring("3 not fresh, 4 fresh"));
  CHECK(sandbox.ran().empty());
}

TEST_CASE("stages get a standard input even if the program has none") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "cat > {out.t}; echo read >> {out.t}"}}
)");
  const Outcome outcome =
      sandbox.headway({"run", "p.yaml"}, {.env = {}, .folder = {}, .close_stdin = true});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK(sandbox.read("outputs/p/a/t.txt") == "read\n");
}

TEST_CASE("output with the standard streams closed does not end up in a file of the store") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  const Surroundings where{
      .env = {{"HEADWAY", program_path()}}, .folder = {}, .close_stdin = false};
  CHECK(sandbox.sh("\"$HEADWAY\" run p.yaml <&- >&- 2>&-", where).exit_code == 0);
  for (const auto& [name, text] : sandbox.contents("outputs/.headway", {"trace.json"})) {
    INFO(name);
    CHECK_THAT(text, !ContainsSubstring("stages, 0 fresh"));
  }
  CHECK_THAT(sandbox.headway({"run", "p.yaml"}).out, ContainsSubstring("nothing to do"));
}

TEST_CASE("stages that make the same folder at the same time all succeed") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(
stages:
  a:
    uses: shell
    matrix: {i: [1, 2, 3, 4, 5, 6, 7, 8]}
    outs: {d: d}
    with: {run: "mkdir {out.d}; for i in 1 2 3; do echo same > {out.d}/$i; done; : ${matrix.i}"}
)");
  for (int round = 0; round < 10; ++round) {
    const std::string outputs = "out" + std::to_string(round);
    const Outcome outcome = sandbox.headway({"run", "p.yaml", "-j8", "--outputs", outputs});
    INFO(outcome.all());
    CHECK(outcome.exit_code == 0);
    CHECK(sandbox.headway({"verify", "--outputs", outputs}).exit_code == 0);
  }
}

TEST_CASE("results follow a renamed stage, and old names disappear") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  sandbox.replace("p.yaml", "  leaf:", "  tip:");
  sandbox.write("outputs/diamond/notes.txt", "mine");
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(sandbox.exists("outputs/diamond/tip/leaf.txt"));
  CHECK_FALSE(sandbox.exists("outputs/diamond/leaf"));
  CHECK(sandbox.read("outputs/diamond/notes.txt") == "mine");
}

TEST_CASE("a user's file in the way of a result is not overwritten") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kDiamond);
  sandbox.write("outputs/diamond/left/left.txt", "precious");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.all(), ContainsSubstring("left.txt is in the way"));
  CHECK(sandbox.read("outputs/diamond/left/left.txt") == "precious");
}

}  // namespace
}  // namespace headway::e2e
