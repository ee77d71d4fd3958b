// The verbs that show and explain, the help, and messages about mistakes on the command line.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/e2e/support.h"

namespace headway::e2e {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

constexpr const char* kSmall = R"(name: small
params: {x: 1}
stages:
  get: {uses: shell, outs: {t: t.txt}, with: {run: "for i in 1 2 3 4 5; do echo line $i; done; echo ${x} > {out.t}"}}
  each: {uses: shell, matrix: {i: [a, b, c]}, in: {t: get}, outs: {t: t.txt}, with: {run: "cat {in.t} > {out.t}; echo ${matrix.i} >> {out.t}"}}
  all: {uses: shell, in: {t: "each@*"}, outs: {metrics: m.json}, with: {run: "cat {in.t} | wc -l | sed 's/.*/{\"lines\": &}/' > {out.metrics}"}}
variants:
  big: {x: 9}
)";

struct Small : Sandbox {
  Small() { write("p.yaml", kSmall); }
};

const Words kVerbs = {"run", "sweep",  "report",   "compare",   "diff", "status",
                      "why", "graph",  "validate", "stages",    "logs", "show",
                      "gc",  "verify", "export",   "completion"};

TEST_CASE("status shows fresh, stale with the reason, failed and never run") {
  const Small small;
  CHECK_THAT(small.headway({"status", "p.yaml"}).out, ContainsSubstring("5 never run"));
  REQUIRE(small.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK_THAT(small.headway({"status"}).out,
             ContainsSubstring("5 fresh") && ContainsSubstring("each@… (3)"));
  CHECK_THAT(small.headway({"status", "--full"}).out, ContainsSubstring("each@b"));
  const std::string changed = small.headway({"status", "p.yaml", "--set", "x=2"}).out;
  INFO(changed);
  CHECK_THAT(changed, ContainsSubstring("get") && ContainsSubstring("stale") &&
                          ContainsSubstring("x: 1 -> 2"));
  CHECK_THAT(changed, ContainsSubstring("waits for get"));
  small.replace("p.yaml", "wc -l", "wrong-command");
  CHECK(small.headway({"run", "p.yaml"}).exit_code == 1);
  CHECK_THAT(small.headway({"status"}).out, ContainsSubstring("failed"));
}

TEST_CASE("why names the changed fact, its old and new value, and its location") {
  const Small small;
  CHECK_THAT(small.headway({"why", "p.yaml", "get"}).out,
             ContainsSubstring("it has no result yet"));
  REQUIRE(small.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK_THAT(small.headway({"why", "p.yaml", "all"}).out, ContainsSubstring("is fresh"));
  small.replace("p.yaml", "line $i", "row $i");
  const std::string why = small.headway({"why", "p.yaml", "get"}).out;
  INFO(why);
  CHECK_THAT(why, ContainsSubstring("must run") && ContainsSubstring("line $i") &&
                      ContainsSubstring("row $i") && ContainsSubstring("p.yaml:4:"));
  CHECK_THAT(
      small.headway({"why", "p.yaml", "all"}).out,
      ContainsSubstring("waits for stages upstream") && ContainsSubstring("stage 'get' must run"));
  // A member of a fan-in that changed is named.
  small.replace("p.yaml", "row $i", "line $i");
  small.replace("p.yaml", "i: [a, b, c]", "i: [a, b, d]");
  REQUIRE(small.headway({"run", "p.yaml", "each"}).exit_code == 0);
  const std::string member = small.headway({"why", "p.yaml", "all"}).out;
  INFO(member);
  CHECK_THAT(member, ContainsSubstring("input t"));
}

TEST_CASE("graph draws a tree, DOT, Mermaid and SVG") {
  const Small small;
  CHECK(small.headway({"graph", "p.yaml"}).out ==
        "get (shell)\n└─ each (shell, 3 items)\n   └─ all (shell)\n");
  CHECK_THAT(small.headway({"graph", "p.yaml", "--full"}).out, ContainsSubstring("each@b (shell)"));
  const std::string dot = small.headway({"graph", "p.yaml", "--dot"}).out;
  CHECK_THAT(dot, StartsWith("digraph \"small\" {") && ContainsSubstring("n0 -> n1;"));
  const std::string mermaid = small.headway({"graph", "p.yaml", "--mermaid"}).out;
  CHECK_THAT(mermaid, StartsWith("flowchart LR\n") && ContainsSubstring("n0 --> n1"));
  CHECK(small.headway({"graph", "p.yaml", "--dot", "--svg"}).exit_code == 2);
  CHECK_FALSE(small.exists("outputs"));
  if (small.sh("command -v dot").exit_code != 0) SKIP("graphviz is not installed");
  const Outcome svg = small.headway({"graph", "p.yaml", "--svg"});
  CHECK(svg.exit_code == 0);
  CHECK_THAT(svg.out,
             ContainsSubstring("<svg") && ContainsSubstring("each") && ContainsSubstring("</svg>"));
}

TEST_CASE("graph --svg without graphviz says what is missing") {
  const Small small;
  const Outcome outcome =
      small.headway({"graph", "p.yaml", "--svg"},
                    {.env = {{"PATH", "/nowhere"}}, .folder = {}, .close_stdin = false});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("graphviz"));
}

TEST_CASE("logs shows what a stage printed, only its tail, or its path") {
  const Small small;
  CHECK(small.headway({"logs", "get"}).exit_code == 2);
  REQUIRE(small.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK(small.headway({"logs", "get"}).out == "line 1\nline 2\nline 3\nline 4\nline 5\n");
  CHECK(small.headway({"logs", "p.yaml", "get", "-n", "2"}).out == "line 4\nline 5\n");
  CHECK(small.headway({"logs", "get", "-n", "99"}).out == small.headway({"logs", "get"}).out);
  CHECK(small.exists(lines(small.headway({"logs", "get", "--path"}).out).at(0)));
  const Outcome unknown = small.headway({"logs", "gte"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, ContainsSubstring("did you mean 'get'"));
}

TEST_CASE("show lists runs, stages with their metrics, and the details of one stage") {
  const Small small;
  REQUIRE(small.headway({"run", "p.yaml"}).exit_code == 0);
  CHECK_THAT(small.headway({"show"}).out, ContainsSubstring("small") && ContainsSubstring("ok"));
  CHECK_THAT(small.headway({"show", "p.yaml"}).out, ContainsSubstring("lines=6"));
  const std::string stage = small.headway({"show", "p.yaml", "all"}).out;
  INFO(stage);
  CHECK_THAT(stage,
             ContainsSubstring("outputs/small/all/m.json") && ContainsSubstring("\"lines\": 6"));
  const std::string trace = small.read("outputs/small/trace.json");
  CHECK(Json::parse(trace, nullptr, false).is_array());
}

TEST_CASE("show truncates long or numerous metrics, and says so") {
  Sandbox sandbox;
  sandbox.write("p.yaml", R"(stages:
  m: {uses: shell, outs: {metrics: m.json}, with: {run: "cp $PWD/m.json {out.metrics}"}}
)");
  const auto shown = [&](const Json& metrics) {
    sandbox.write("m.json", metrics.dump());
    REQUIRE(sandbox.headway({"run", "p.yaml", "--force", "m"}).exit_code == 0);
    const std::string all = sandbox.headway({"show", "p.yaml"}).out;
    CHECK(all.size() < 2000);
    return all + sandbox.headway({"show", "p.yaml", "m"}).out;
  };
  Json many;
  for (int i = 0; i < 300; ++i) many[std::to_string(i)] = i;
  const std::string lines = shown(many);
  CHECK_THAT(lines, ContainsSubstring(" and 292 more") &&
                        ContainsSubstring("… 102 more lines: see outputs/p/m/m.json\n"));
  const std::string big = shown(Json::array({std::string(200'000, 'x')}));
  CHECK_THAT(big, ContainsSubstring("… 200.0 kB of JSON: see outputs/p/m/m.json\n"));
  CHECK(big.size() < 5000);
}

TEST_CASE("metrics that are nested too deeply fail the stage, whatever their source") {
  Sandbox sandbox;
  sandbox.write("p.yaml", R"(stages:
  m: {uses: shell, outs: {metrics: m.json}, with: {run: "cp $PWD/m.json {out.metrics}"}, expect: {a: ">= 0"}}
)");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  sandbox.write("m.json", deep + "1" + std::string(100'000, '}'));
  const Outcome outcome = sandbox.headway({"run", "p.yaml"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err + outcome.out,
             ContainsSubstring("line 1, column 1001: nested more than 200 levels deep"));
}

TEST_CASE("validate finds all mistakes at once, each with its location, and runs nothing") {
  const Small small;
  CHECK_THAT(small.headway({"validate", "p.yaml"}).out,
             ContainsSubstring("ok, 5 stages, 1 variant"));
  small.write("bad.yaml", R"(stages:
  a: {uses: shel, with: {run: x}}
  b: {uses: shell, wiht: {run: x}}
  c: {uses: shell, in: {t: nowhere}, with: {run: "cat {in.s}"}}
  d: {uses: shell, needs: [e], with: {run: "true"}}
  e: {uses: shell, needs: [d], with: {run: "true", typo: 1}}
  f: {uses: shell, outs: {t: t.txt}, timeout: soon, retries: -1, with: {run: "true"}}
)");
  const Outcome bad = small.headway({"validate", "p.yaml", "bad.yaml"});
  INFO(bad.all());
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.out, ContainsSubstring("p.yaml: ok"));
  for (const char* part :
       {"bad.yaml:2:13: stage 'a': unknown stage type 'shel'; did you mean 'shell'?",
        "bad.yaml:3:", "did you mean 'with'?", "bad.yaml:4:", "unknown stage 'nowhere'",
        "bad.yaml:6:", "unknown parameter 'typo'", "'timeout' expects", "'retries' expects",
        "output 't' is never written"}) {
    CHECK_THAT(bad.err, ContainsSubstring(part));
  }
  CHECK_FALSE(small.exists("outputs"));
  small.replace("p.yaml", "big: {x: 9}", "big: {y: 9}");
  const Outcome variant = small.headway({"validate", "p.yaml"});
  CHECK(variant.exit_code == 2);
  CHECK_THAT(variant.err, ContainsSubstring("with variant 'big'"));
}

TEST_CASE("validate also checks the site file in effect, once, and names it") {
  const Small small;
  small.write("headway-site.yaml", "slurm: {jobs: 3}\n");
  const Outcome good = small.headway({"validate", "p.yaml", "p.yaml"});
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, ContainsSubstring("headway-site.yaml: ok, on: local\n"));
  CHECK(good.out.find("headway-site.yaml") == good.out.rfind("headway-site.yaml"));
  small.write("headway-site.yaml", "slurm: {job: 3}\n");
  const Outcome bad = small.headway({"validate", "p.yaml"});
  CHECK(bad.exit_code == 2);
  CHECK(bad.err == "headway-site.yaml:1:9: slurm: unknown key 'job'; did you mean 'jobs'?\n");
}

TEST_CASE("a cycle is an error that shows its path") {
  const Sandbox sandbox;
  sandbox.write("p.yaml",
                "stages:\n"
                "  a: {uses: shell, needs: [c], with: {run: \"true\"}}\n"
                "  b: {uses: shell, needs: [a], with: {run: \"true\"}}\n"
                "  c: {uses: shell, needs: [b], with: {run: \"true\"}}\n");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"});
  INFO(outcome.all());
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.err, ContainsSubstring("->"));
}

TEST_CASE("stages lists the types and describes one") {
  const Sandbox sandbox;
  CHECK_THAT(sandbox.headway({"stages"}).out,
             ContainsSubstring("shell") && ContainsSubstring("runs a command"));
  CHECK_THAT(sandbox.headway({"stages", "shell"}).out,
             ContainsSubstring("run") && ContainsSubstring("code") && ContainsSubstring("env"));
  const Outcome unknown = sandbox.headway({"stages", "shel"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, ContainsSubstring("did you mean 'shell'"));
}

TEST_CASE("bash completes verbs, options, variants and stages") {
  const Small small;
  if (small.sh("command -v bash").exit_code != 0) SKIP("bash is not installed");
  const auto complete = [&](const std::string& words) {
    const std::string script =
        "source <(\"$HEADWAY\" completion bash); headway() { \"$HEADWAY\" \"$@\"; }; "
        "COMP_WORDS=(headway " +
        words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _headway; printf '%s\\n' \"${COMPREPLY[@]}\"";
    const Outcome outcome =
        small.program({"bash", "-c", script},
                      {.env = {{"HEADWAY", program_path()}}, .folder = {}, .close_stdin = false});
    INFO(outcome.all());
    CHECK(outcome.err.empty());
    return lines(outcome.out);
  };
  CHECK(complete("v") == Words{"validate", "verify"});
  CHECK(complete("''") == kVerbs);
  CHECK(complete("run p.yaml e") == Words{"each@a", "each@b", "each@c"});
  CHECK(complete("run p.yaml --variant ''") == Words{"big"});
  CHECK(complete("run --kee") == Words{"--keep-going"});
  CHECK(complete("run p") == Words{"p.yaml"});
  CHECK(complete("stages sh") == Words{"shell"});
  for (const char* shell : {"zsh", "fish"})
    CHECK_FALSE(small.headway({"completion", shell}).out.empty());
}

TEST_CASE("version and help exist, with examples for every verb") {
  const Sandbox sandbox;
  CHECK_THAT(sandbox.headway({"--version"}).out, StartsWith("headway ") && ContainsSubstring("."));
  const Outcome help = sandbox.headway({"--help"});
  CHECK(help.exit_code == 0);
  for (const std::string& verb : kVerbs) {
    INFO(verb);
    CHECK_THAT(help.out, ContainsSubstring("\n  " + verb + " "));
    const Outcome of_verb = sandbox.headway({verb, "--help"});
    CHECK(of_verb.exit_code == 0);
    CHECK_THAT(of_verb.out,
               ContainsSubstring("Examples:\n  ") && ContainsSubstring("headway " + verb));
  }
}

TEST_CASE("a mistake on the command line gives exit code 2 with a suggestion") {
  const Small small;
  const auto refused = [&](const Words& words, const std::string& message) {
    const Outcome outcome = small.headway(words);
    INFO(outcome.all());
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring(message));
  };
  refused({"rnu", "p.yaml"}, "did you mean 'run'?");
  refused({"run", "p.yaml", "--keep-goign"}, "did you mean '--keep-going'?");
  refused({"run", "p.yaml", "gte"}, "did you mean 'get'?");
  refused({"run", "p.yaml", "each@d"}, "no matrix item 'd'");
  refused({"run", "p.yml"}, "did you mean 'p.yaml'?");
  refused({"why", "p.yaml", "al"}, "did you mean 'all'?");
  refused({"run", "."}, "is a folder");
  refused({}, "headway");
  refused({"run"}, "PIPELINE");
  refused({"run", "p.yaml", "-j", "0"}, "");
  refused({"run", "p.yaml", "--set", "y=1"}, "unknown parameter 'y'");
  CHECK_FALSE(small.exists("outputs"));
}

TEST_CASE("a reader that goes away does not stop a run") {
  const Small small;
  const Outcome outcome =
      small.sh("\"$HEADWAY\" run p.yaml | true",
               {.env = {{"HEADWAY", program_path()}}, .folder = {}, .close_stdin = false});
  CHECK(outcome.exit_code == 0);
  CHECK(eventually(
      [&] { return small.headway({"status"}).out.find("5 fresh") != std::string::npos; }));
}

TEST_CASE("the pipelines in the repository have no mistakes, in any variant") {
  const Sandbox sandbox;
  std::vector<std::string> command = {"validate"};
  const Path pipelines = Path(HEADWAY_SOURCE_DIR) / "pipelines";
  for (const auto& entry : std::filesystem::directory_iterator(pipelines)) {
    if (entry.path().extension() == ".yaml") command.push_back(entry.path().string());
  }
  REQUIRE(command.size() > 3);
  const Outcome outcome = sandbox.headway(command);
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("printed stage outputs are shown at the end of a run, even one with nothing to do") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(stages:
  a:
    uses: shell
    outs: {table: t.csv, note: n.txt}
    with: {run: "printf 'name,x,y\\nfirst,1,2\\nsecond,10,20\\n' > {out.table}; echo hello > {out.note}"}
    print: {table: [y, name], note: }
)");
  for (int time = 0; time < 2; ++time) {
    const Outcome outcome = sandbox.headway({"run", "p.yaml"});
    INFO(outcome.all());
    CHECK_THAT(outcome.out, ContainsSubstring("\na: t.csv\n"
                                              "  y   name\n"
                                              "  2   first\n"
                                              "  20  second\n"
                                              "\na: n.txt\n"
                                              "  hello\n"
                                              "results: "));
  }
  CHECK_THAT(sandbox.headway({"run", "p.yaml", "--quiet"}).out, !ContainsSubstring("hello"));
}

TEST_CASE("a missing column to print is reported, and the run still succeeds") {
  const Sandbox sandbox;
  sandbox.write("p.yaml", R"(stages:
  a:
    uses: shell
    outs: {table: t.csv}
    with: {run: "echo name,x > {out.table}"}
    print: {table: [z]}
)");
  const Outcome outcome = sandbox.headway({"run", "p.yaml"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("no column 'z'"));
}

TEST_CASE("the example of commands runs unmodified") {
  const Sandbox sandbox;
  if (sandbox.sh("command -v gnuplot").exit_code != 0) SKIP("gnuplot is not installed");
  const std::string file = std::string(HEADWAY_SOURCE_DIR) + "/pipelines/walks.yaml";
  const Words run = {"run", file, "--outputs", "outputs"};
  const Outcome outcome = sandbox.headway(run);
  INFO(outcome.all());
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(sandbox.read("outputs/walks/table/table.txt"), ContainsSubstring("drifting"));
  CHECK_THAT(sandbox.headway(run).out, ContainsSubstring("nothing to do"));
}

}  // namespace
}  // namespace headway::e2e
