// Results by their key, results that are not there, and what outputs/index.html says of them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;

constexpr const char* kPipeline = R"(
params: {n: 1}
variants: {wide: {n: 2}}
stages:
  a:
    uses: shell
    outs: {metrics: m.json}
    with: {run: "echo '{\"x\": ${n}, \"y\": 0.5}' > {out.metrics}"}
    expect: {x: "< 3", y: ">= 0.25"}
sweeps: {s: {axes: {n: [1, 2]}, maximize: a.x}}
)";

Json shown(const Sandbox& sandbox, const std::string& what) {
  return Json::parse(sandbox.headway({"show", what, "--json"}).out);
}

TEST_CASE("show takes a key, or the beginning of one, as reports print it") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kPipeline);
  REQUIRE(sandbox.headway({"run", "p.yaml"}).exit_code == 0);
  const std::string key = shown(sandbox, "p.yaml").at("stages")[0].at("key");
  const Json by_key = shown(sandbox, key.substr(0, 12)).at("stages")[0];
  CHECK(by_key.at("key") == key);
  CHECK(by_key.at("stage") == "p/a");
  CHECK(by_key.at("metrics").at("x") == 1);
  CHECK(sandbox.read(by_key.at("outputs").at("metrics").at("path").get<std::string>()) ==
        sandbox.read("outputs/p/a/m.json"));
  CHECK_THAT(sandbox.headway({"show", key}).out, ContainsSubstring("  key       " + key));
  const Outcome none = sandbox.headway({"show", "000000"});
  CHECK(none.exit_code == 2);
  CHECK(none.err == "headway: no result in outputs has a key that begins with 000000\n");
}

TEST_CASE("show, why and diff say what numbers were computed with") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kPipeline);
  sandbox.headway({"run", "p.yaml", "-q"});
  sandbox.headway({"run", "p.yaml", "--variant", "wide", "-q"});
  const Json result = shown(sandbox, "p.yaml").at("stages")[0];
  const std::string here = result.at("numerics");
  CHECK_FALSE(here.empty());
  CHECK(result.at("machine").contains("cpu"));
  CHECK_THAT(sandbox.headway({"show", "p.yaml", "a"}).out,
             ContainsSubstring("  machine   ") && ContainsSubstring("  numerics  " + here + "\n"));
  CHECK_THAT(sandbox.headway({"why", "p.yaml", "a"}).out,
             ContainsSubstring("\nits numbers were computed with " + here + "\n"));
  CHECK_THAT(sandbox.headway({"diff", "p.yaml", "p.yaml@wide"}).out,
             !ContainsSubstring("computed with"));

  sandbox.set_numerics(result.at("key"), "PDP-11");
  const std::string why = sandbox.headway({"why", "p.yaml", "a"}).out;
  CHECK_THAT(why, ContainsSubstring("is fresh") &&
                      ContainsSubstring("computed with PDP-11; this machine has " + here));
  CHECK_THAT(sandbox.headway({"why", "p.yaml", "a", "--set", "n=7"}).out,
             ContainsSubstring("must run") && ContainsSubstring("computed with PDP-11; "));
  CHECK_THAT(sandbox.headway({"diff", "p.yaml", "p.yaml@wide"}).out,
             ContainsSubstring("stage 'a' was computed with PDP-11 in A and " + here + " in B"));
}

TEST_CASE("diff with a variant that has not run says so in one line") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kPipeline);
  sandbox.headway({"run", "p.yaml", "-q"});
  const Outcome diff = sandbox.headway({"diff", "p.yaml", "p.yaml@wide"});
  CHECK(diff.all() ==
        "p.yaml@wide has no result with the file as it is now; run it first (--all shows its "
        "parameters)\n");
  CHECK_THAT(sandbox.headway({"diff", "p.yaml", "p.yaml@wide", "--all"}).out,
             ContainsSubstring("  n ") && ContainsSubstring("a.x"));
  sandbox.headway({"run", "p.yaml", "--variant", "wide", "-q"});
  CHECK_THAT(sandbox.headway({"diff", "p.yaml", "p.yaml@wide"}).out, ContainsSubstring("+1"));
}

TEST_CASE("the index shows the metrics that a pipeline expects, and a sweep's best trial") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kPipeline);
  sandbox.headway({"run", "p.yaml", "-q"});
  sandbox.headway({"sweep", "p.yaml", "s", "-q"});
  REQUIRE(sandbox.headway({"report"}).exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/index.html"),
             ContainsSubstring("a.x = 1, expected &lt; 3<br>a.y = 0.5, expected &gt;= 0.25</td>") &&
                 ContainsSubstring("best a.x = 2 at n=2</td>"));
  sandbox.replace("p.yaml", "y: \">= 0.25\"", "y: \">= 0.75\"");
  CHECK(sandbox.headway({"run", "p.yaml", "-q"}).exit_code == 1);
  CHECK_THAT(
      sandbox.read("outputs/index.html"),
      ContainsSubstring("a.y = 0.5, but expected &gt;= 0.75<br>a.x = 1, expected &lt; 3</td>"));
  sandbox.write("p.yaml", "stages: 7\n");  // a file with mistakes hides no results
  CHECK(sandbox.headway({"report"}).exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/index.html"), ContainsSubstring("<b>p</b> / s"));
}

constexpr const char* kShown = R"(
params: {a: 1, seed: 1}
variants: {wide: {a: 2}}
stages:
  one: {uses: shell, outs: {metrics: m.json}, with: {run: "echo '{\"v\": ${a}}' > {out.metrics}"}}
  two: {uses: shell, in: {x: one}, outs: {t: t.txt}, with: {run: "echo ${seed} | cat - {in.x} > {out.t}"}}
sweeps: {s: {axes: {seed: [1, 2]}, maximize: one.v}}
)";

TEST_CASE("show marks what is stale or failed, and names the path that exists") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kShown);
  sandbox.headway({"run", "p.yaml", "-q"});
  CHECK(shown(sandbox, "p.yaml").at("stages")[1].at("state") == "fresh");
  CHECK_FALSE(shown(sandbox, "p.yaml").at("stages")[1].contains("metrics"));
  sandbox.replace("p.yaml", "echo ${seed}", "exit 3; echo ${seed}");
  CHECK_THAT(sandbox.headway({"show", "p.yaml"}).out, Matches("(.|\n)*two +stale +[0-9](.|\n)*"));
  CHECK_THAT(sandbox.headway({"show", "p.yaml", "two"}).out,
             ContainsSubstring("two\n  stale: ") && ContainsSubstring(" outputs/p/two/t.txt "));
  CHECK(sandbox.headway({"run", "p.yaml", "-q"}).exit_code == 1);
  CHECK_THAT(sandbox.headway({"show", "p.yaml"}).out, Matches("(.|\n)*two +failed +[0-9](.|\n)*"));
  CHECK_THAT(
      sandbox.headway({"show", "p.yaml", "two"}).out,
      ContainsSubstring("two\n  failed: ") && ContainsSubstring(" outputs/p/two.stale/t.txt "));
  const Json two = shown(sandbox, "p.yaml").at("stages")[1];
  CHECK(two.at("state") == "failed");
  CHECK(sandbox.exists(two.at("outputs").at("t").at("path").get<std::string>()));
}

TEST_CASE("status and show know results of --set by their name") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kShown);
  sandbox.headway({"run", "p.yaml", "-q"});
  sandbox.headway({"run", "p.yaml", "--set", "a=5", "-q"});
  const std::string status = sandbox.headway({"status", "p/a=5"}).out;
  CHECK(status.starts_with("p/a=5 (p.yaml): 2 fresh\n"));
  CHECK(status.find("p (p.yaml)") == std::string::npos);
  CHECK_THAT(sandbox.headway({"show", "p/a=5"}).out, ContainsSubstring("v=5"));
  CHECK(shown(sandbox, "p/a=5").at("pipeline") == "p/a=5");
  CHECK(sandbox.headway({"status", "p/a=6"}).exit_code == 2);
}

TEST_CASE("status names the pipeline of a variant that the file no longer has") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kShown);
  sandbox.headway({"run", "p.yaml", "--variant", "wide", "-q"});
  sandbox.replace("p.yaml", "wide:", "broad:");
  const Outcome outcome = sandbox.headway({"status"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err ==
        "p/wide: its file has no such variant any more (p.yaml); to forget its results: headway gc "
        "--forget p/wide\n");
}

TEST_CASE("the index calls results stale when status does") {
  const Sandbox sandbox;
  const auto index = [&] {
    REQUIRE(sandbox.headway({"report"}).exit_code == 0);
    return sandbox.read("outputs/index.html");
  };
  sandbox.write("p.yaml", kShown);
  sandbox.headway({"run", "p.yaml", "one", "-q"});
  CHECK_THAT(index(), ContainsSubstring("never run</strong>: 1 stage<"));
  sandbox.headway({"run", "p.yaml", "-q"});
  CHECK_THAT(index(), ContainsSubstring(">done<"));
  sandbox.headway({"sweep", "p.yaml", "s", "-q"});
  CHECK_THAT(index(), ContainsSubstring("best one.v = 1</td>"));  // only seeds: nothing to name
  sandbox.replace("p.yaml", "a: 1,", "a: 3,");
  CHECK_THAT(index(),
             ContainsSubstring("stale</strong>: 2 stages<") && !ContainsSubstring(">done<"));
}

TEST_CASE("the help of status states what it does without a pipeline") {
  const Sandbox sandbox;
  CHECK_THAT(sandbox.headway({"status", "--help"}).out,
             ContainsSubstring("default: every pipeline that has run"));
}

}  // namespace
}  // namespace headway::e2e
