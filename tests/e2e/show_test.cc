// Results by their key, results that are not there, and what outputs/index.html says of them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;

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

TEST_CASE("the help of status states what it does without a pipeline") {
  const Sandbox sandbox;
  CHECK_THAT(sandbox.headway({"status", "--help"}).out,
             ContainsSubstring("default: every pipeline that has run"));
}

}  // namespace
}  // namespace headway::e2e
