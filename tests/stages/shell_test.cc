#include "stages/stages.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

StageJob job(const std::string& run) {
  StageJob job;
  job.stage = "s";
  job.type = "shell";
  job.params = {{"run", run}, {"code", Json::array()}, {"env", Json::array()}};
  job.inputs = {{"one", {""}, {"/in/one.txt"}},
                {"space", {""}, {"/in/a b.txt"}},
                {"many", {"zero", "it's"}, {"/in/0", "/in/1 1"}}};
  job.outputs = {{"table", "/out/t.csv"}, {"odd", "/out/o d$.csv"}};
  job.partial = "/partial/x y";
  job.resources.cpus = 3;
  return job;
}

std::string script(const std::string& run) {
  return shell_stage().command(job(run));
}

std::string checked(const std::string& run, const std::string& rest = "") {
  return mistakes(
      "stages:\n  d: {uses: make-data}\n  s:\n    uses: shell\n    in: {data: d}\n    outs: "
      "{table: t.csv, log: l.txt}\n    with: {run: \"" +
      run + "\"" + rest + "}\n");
}

const std::string kOutputs = " {out.table} {out.log}";

TEST_CASE("the shell stage has free ports and a command", "[stages]") {
  const StageType type = shell_stage();
  CHECK(type.free_inputs);
  CHECK(type.free_outputs);
  CHECK(type.command);
}

TEST_CASE("placeholders become paths", "[stages]") {
  CHECK(script("sort {in.one} > {out.table}") == "sort /in/one.txt > /out/t.csv");
  CHECK(script("{in.one}{in.one}") == "/in/one.txt/in/one.txt");
  CHECK(script("make -j{cpus}") == "make -j3");
}

TEST_CASE("paths are quoted if necessary", "[stages]") {
  CHECK(script("cat {in.space} > {out.odd}") == "cat '/in/a b.txt' > '/out/o d$.csv'");
  CHECK(script("cd {partial}") == "cd '/partial/x y'");
}

TEST_CASE("a fan-in becomes all of its paths, and its items become their names", "[stages]") {
  CHECK(script("cat {in.many}") == "cat /in/0 '/in/1 1'");
  CHECK(script("set -- {items.many}") == "set -- zero 'it'\\''s'");
}

TEST_CASE("braces of awk and the shell are left alone", "[stages]") {
  for (const char* text : {"awk '{ print $1 }'", "echo ${HOME} ${partial} ${cpus}", "{ a; b; }",
                           "{a,b}", "${in.x}", "{unknown}", "{out}", "{in}", "{ in.one }",
                           "{in.one", "}{", "{", "{}", "{other.one}", "printf '{\"a\": %d}'"}) {
    CAPTURE(text);
    CHECK(script(text) == text);
  }
}

TEST_CASE("placeholders inside other braces are replaced", "[stages]") {
  CHECK(script("awk '{ print }' {in.one} '{ x }'") == "awk '{ print }' /in/one.txt '{ x }'");
  CHECK(script("{ cat {in.one}; }") == "{ cat /in/one.txt; }");
}

TEST_CASE("the contents of a path are not treated as placeholders", "[stages]") {
  StageJob odd = job("cat {in.one} {out.table}");
  odd.inputs[0].paths = {"/in/{out.table}"};
  CHECK(shell_stage().command(odd) == "cat '/in/{out.table}' /out/t.csv");
}

TEST_CASE("an unknown input or output in a command is refused with a suggestion", "[stages]") {
  CHECK(checked("cat {in.dta}" + kOutputs) ==
        "p.yaml:7:17: stage 's': {in.dta} in 'run': no input 'dta'; did you mean 'data'?");
  CHECK(checked("cat {items.x}" + kOutputs) ==
        "p.yaml:7:17: stage 's': {items.x} in 'run': no input 'x'");
  CHECK(checked("x > {out.tabel}" + kOutputs) ==
        "p.yaml:7:17: stage 's': {out.tabel} in 'run': no output 'tabel'; did you mean 'table'?");
}

TEST_CASE("an output that the command does not write is refused", "[stages]") {
  CHECK(checked("x > {out.table}") ==
        "p.yaml:6:26: stage 's': output 'log' is never written: 'run' has no {out.log}");
  CHECK(checked("x > $${out.log} {out.table}") ==
        "p.yaml:6:26: stage 's': output 'log' is never written: 'run' has no {out.log}");
}

TEST_CASE("an input need not be used", "[stages]") {
  CHECK(checked("x > " + kOutputs) == "");
}

TEST_CASE("a command is required, and must be text", "[stages]") {
  CHECK(mistakes("stages:\n  s: {uses: shell, with: {run: [a]}}\n") ==
        "p.yaml:2:32: stage 's': parameter 'run' expects text, got a list");
  CHECK(mistakes("stages:\n  s: {uses: shell, with: {rum: a}}\n")
            .find("unknown parameter 'rum'; did you mean 'run'?") != std::string::npos);
}

TEST_CASE("the names of environment variables are checked", "[stages]") {
  CHECK(checked("x" + kOutputs, ", env: [LANG, 'A=B', '', 'A B']") ==
        "p.yaml:7:56: stage 's': 'A=B' is not the name of an environment variable\n"
        "p.yaml:7:63: stage 's': '' is not the name of an environment variable\n"
        "p.yaml:7:67: stage 's': 'A B' is not the name of an environment variable");
}

TEST_CASE("missing code files are reported", "[stages]") {
  CHECK(checked("x" + kOutputs, ", code: [no.py]") ==
        "p.yaml:7:51: stage 's': parameter 'code': no such file: no.py");
}

TEST_CASE("the help of the shell stage has an example that loads", "[stages]") {
  const std::string help = help_text(shell_stage());
  CHECK(help.find("named by the pipeline under `outs`") != std::string::npos);
  TemporaryFolder folder;
  folder.write("tools/x.py", "");
  folder.write("p.yaml",
               "stages:\n  fetch: {uses: shell, outs: {text: t}, with: {run: 'x > {out.text}'}}\n" +
                   shell_stage().example);
  CHECK(mistakes_in(folder, "p.yaml") == "");
}

}  // namespace
}  // namespace headway::testing
