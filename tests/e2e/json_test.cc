// What programs read: everything that --json prints is on the page docs/json.md, and everything on
// the page is printed.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"
#include "tests/support/printed_json.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;

constexpr const char* kTime = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z";

constexpr const char* kPipeline = R"(
params: {n: 1, word: x}
variants: {wide: {n: 2}}
stages:
  data: {uses: shell, outs: {t: t.txt, metrics: m.json}, expect: {x: {warn: "< 0"}}, with: {run: "echo ${word} > {out.t}; echo '{\"x\": ${n}, \"deep\": {\"y\": 1}}' > {out.metrics}"}}
  plot: {uses: shell, resources: {memory: 1MB}, in: {t: data.t}, outs: {t: t.txt}, with: {run: "echo 50%; cp {in.t} {out.t}"}}
sweeps:
  s: {axes: {n: [1, 2], word: [x]}, maximize: data.x}
)";

constexpr const char* kSlow = R"(
stages:
  a: {uses: shell, outs: {t: t.txt}, with: {run: "echo 50% half; until test -e go; do sleep 0.02; done; echo > {out.t}"}}
)";

constexpr const char* kFailing = R"(
stages:
  bad: {uses: shell, retries: 1, outs: {t: t.txt}, with: {run: "echo oh; exit 3; : {out.t}"}}
  next: {uses: shell, in: {t: bad}, outs: {t: t.txt}, with: {run: "cp {in.t} {out.t}"}}
)";

constexpr const char* kHalving = R"(
params: {lr: 1, epochs: 4}
stages:
  train: {uses: shell, outs: {metrics: m.json}, with: {run: "echo '{\"x\": ${lr}, \"e\": ${epochs}}' > {out.metrics}"}}
sweeps:
  h: {method: halving, axes: {lr: [1, 2, 3]}, resource: epochs, min: 1, max: 4, eta: 2, maximize: train.x}
)";

struct World {
  Json document(const Words& words, int exit_code = 0) {
    const Outcome outcome = sandbox.headway(words);
    INFO(outcome.all());
    CHECK(outcome.exit_code == exit_code);
    const Json json = Json::parse(outcome.out);
    CHECK(json.at("schema") == 1);
    return json;
  }
  void add_events(const std::string& text) {
    for (const Json& event : events(text)) {
      CHECK_THAT(event.at("time").get<std::string>(), Matches(kTime));
      printed.add(event.at("event"), event);
    }
  }
  void print_runs() {
    add_events(sandbox.headway({"run", "p.yaml", "--json"}).out);
    add_events(sandbox.headway({"run", "f.yaml", "--json"}).out);
    add_events(sandbox.headway({"sweep", "p.yaml", "s", "--json"}).out);
    add_events(sandbox.headway({"sweep", "h.yaml", "h", "--json"}).out);
    add_events(sandbox.headway({"report", "p.yaml", "--json"}).out);
  }
  void print_documents() {
    printed.add("show: stages", document({"show", "p.yaml", "--json"}));
    printed.add("show: stages", document({"show", "f.yaml", "--json"}));
    printed.add("compare", document({"compare", "p.yaml", "--sweep", "s", "--json"}));
    sandbox.set_numerics(document({"show", "p.yaml", "data", "--json"})["stages"][0]["key"],
                         "AVX2");
    printed.add("diff", document({"diff", "p.yaml", "p/s/n=2,word=x", "--json", "--all"}));
    printed.add("run --dry-run", document({"run", "p.yaml", "--set", "n=7", "-n", "--json"}));
    for (const char* stage : {"data", "plot"})
      printed.add("why", document({"why", "p.yaml", stage, "--set", "word=y", "--json"}));
    sandbox.headway({"run", "p.yaml", "--set", "word=y", "-q"});
    printed.add("why", document({"why", "p.yaml", "plot", "--set", "word=y", "--json"}));
    sandbox.replace("p.yaml", "word: x}", "word: z}");
    sandbox.headway({"run", "p.yaml", "-q"});
    printed.add("why", document({"why", "p.yaml", "plot", "--json"}));
  }
  void print_statuses() {
    const auto run = sandbox.start({"run", "slow.yaml", "--json"});
    REQUIRE(
        eventually([&] { return run->out_so_far().find("stage-progress") != std::string::npos; }));
    // What a run says of itself may be a second late.
    REQUIRE(eventually([&] {
      return sandbox.headway({"status", "slow.yaml", "--json"}).out.find("since") !=
             std::string::npos;
    }));
    printed.add("show: runs", document({"show", "--json"}));
    sandbox.write("f.yaml", "stages:\n  a: {use: shell}\n");
    printed.add("status", document({"status", "--json"}, 2));
    sandbox.write("go", "");
    add_events(run->wait().out);
    printed.add("Mistakes", document({"status", "f.yaml", "--json"}, 2));
  }

  const Sandbox sandbox;
  testing::PrintedJson printed;
};

TEST_CASE("the page about JSON has the fields that are printed, and no others") {
  World world;
  world.sandbox.write("p.yaml", kPipeline);
  world.sandbox.write("f.yaml", kFailing);
  world.sandbox.write("h.yaml", kHalving);
  world.sandbox.write("slow.yaml", kSlow);
  world.print_runs();
  world.print_documents();
  world.print_statuses();
  CHECK(world.printed.never_seen(/*on_a_cluster=*/false) == Words{});
}

TEST_CASE("the end of a stage has its metrics and the paths of its outputs") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", kPipeline);
  for (const char* status : {"done", "fresh"}) {
    for (const Json& event : events(sandbox.headway({"run", "p.yaml", "--json"}).out)) {
      if (event.at("event") != "stage-finished" || event.at("stage") != "data") continue;
      CHECK(event.at("status") == status);
      CHECK(event.at("metrics") == Json{{"x", 1}, {"deep", {{"y", 1}}}});
      CHECK(sandbox.read(event.at("outputs").at("t").get<std::string>()) == "x\n");
    }
  }
}

TEST_CASE("with --json, a mistake is JSON too, for every verb that has it") {
  const Sandbox sandbox;
  sandbox.write("bad.yaml", "stages:\n  a: {use: shell}\n  b: {uses: shel}\n");
  for (const Words& words :
       {Words{"run", "bad.yaml"}, Words{"run", "bad.yaml", "--dry-run"}, Words{"sweep", "bad.yaml"},
        Words{"report", "bad.yaml"}, Words{"status", "bad.yaml"}, Words{"show", "bad.yaml"},
        Words{"why", "bad.yaml", "a"}, Words{"compare", "bad.yaml"},
        Words{"diff", "bad.yaml", "bad.yaml"}}) {
    Words with_json = words;
    with_json.push_back("--json");
    const Outcome outcome = sandbox.headway(with_json);
    INFO(words[0] << ": " << outcome.all());
    CHECK(outcome.exit_code == 2);
    CHECK(sandbox.headway(words).exit_code == 2);
    CHECK(outcome.err.empty());
    const Json json = Json::parse(outcome.out);
    CHECK(json.at("exit_code") == 2);
    if (words[0] == "sweep" || words[0] == "compare") continue;  // it lacks a sweep, first of all
    CHECK(json.at("error").at("file") == "bad.yaml");
    CHECK(json.at("error").at("line") == 2);
    CHECK(json.at("error").at("column").is_number());
    CHECK_THAT(json.at("error").at("message").get<std::string>(),
               ContainsSubstring("'uses' is missing"));
  }
  const Json unknown = Json::parse(sandbox.headway({"status", "--json", "--fulll"}).out);
  CHECK_THAT(unknown.at("error").at("message").get<std::string>(), ContainsSubstring("--full"));
  const Json gone = Json::parse(sandbox.headway({"status", "gone.yaml", "--json"}).out);
  CHECK_FALSE(gone.at("error").contains("line"));
}

}  // namespace
}  // namespace headway::e2e
