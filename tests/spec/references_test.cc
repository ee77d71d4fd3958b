// `stage`, `stage.output`, `stage@item.output`, `stage@*`: their meaning, and the messages for
// invalid ones.
#include "lib/spec/references.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

using Ids = std::vector<StageId>;

// Five stages to refer to, and `use` on line 7, which refers.
std::string referring(const std::string& in, const std::string& rest = "") {
  return R"(stages:
  one: {uses: shell, outs: {data: d.txt}, with: {run: "x > {out.data}"}}
  two: {uses: shell, outs: {model: m.bin, log: l.txt}, with: {run: "x > {out.model} {out.log}"}}
  grid: {uses: shell, matrix: {lr: [0.1, 0.01], n: [1, 2]}, outs: {model: m, table: t}, with: {run: "x > {out.model} {out.table}"}}
  line: {uses: shell, matrix: {n: [1, 2]}, outs: {table: t}, with: {run: "x > {out.table}"}}
  none: {uses: shell, with: {run: "true"}}
  use: {uses: shell, in: {)" +
         in + "}, with: {run: 'true'}" + rest + "}\n";
}

std::string connected(const std::string& reference, const std::string& port = "x") {
  return sources(load(referring(port + ": " + reference)), "use", port);
}

std::string refused_reference(const std::string& reference) {
  return mistakes(referring("x: " + reference));
}

const std::string kPlace = "p.yaml:7:30: stage 'use': input 'x': ";

TEST_CASE("a stage with one output can be referred to by its name", "[spec]") {
  CHECK(connected("one") == "one.data");
  CHECK(connected("one.data") == "one.data");
}

TEST_CASE("of several outputs, the one named like the input is used", "[spec]") {
  CHECK(connected("two", "model") == "two.model");
  CHECK(connected("two", "log") == "two.log");
  CHECK(connected("two.log", "model") == "two.log");
  CHECK(connected("'grid@*'", "table") == "grid@*.table");
}

TEST_CASE("if none of several outputs has the input's name, one must be named", "[spec]") {
  CHECK(refused_reference("two") ==
        kPlace + "stage 'two' has several outputs: write two.model or two.log");
  CHECK(refused_reference("'grid@*'") ==
        kPlace + "stage 'grid' has several outputs: write grid.model or grid.table");
}

TEST_CASE("an item may be written with the values of its axes, in any order", "[spec]") {
  CHECK(connected("'grid@lr=0.1,n=2.model'") == "grid@0.1-2.model");
  CHECK(connected("'grid@n=2,lr=0.1'", "model") == "grid@0.1-2.model");
  CHECK(connected("line@n=1") == "line@1.table");
}

TEST_CASE("a fan-in may leave some axes open", "[spec]") {
  CHECK(connected("'grid@n=1,*.model'") == "grid@n=1,*.model");
  CHECK(connected("'grid@*,lr=0.01.table'") == "grid@*,lr=0.01.table");
  const PipelineSpec pipeline = load(referring("x: 'grid@n=2,*.model', y: 'grid@lr=0.1,*.model'"));
  const auto members = [&](std::size_t input) {
    std::vector<std::string> names;
    const Source& source = stage(pipeline, "use").inputs.at(input).sources.at(0);
    for (const StageId id : pipeline.fan_ins[source.fan_in].members)
      names.push_back(pipeline.stages[id].name);
    return names;
  };
  CHECK(members(0) == std::vector<std::string>{"grid@0.1-2", "grid@0.01-2"});
  CHECK(members(1) == std::vector<std::string>{"grid@0.1-1", "grid@0.1-2"});
}

TEST_CASE("values of axes that select nothing, or too much, are refused", "[spec]") {
  CHECK(refused_reference("'grid@n=1.model'") ==
        kPlace + "grid@n=1 is 2 items: write grid@n=1,* for all of them");
  CHECK(refused_reference("'grid@m=1,*.model'") ==
        kPlace + "stage 'grid' has no axis 'm'; did you mean 'n'? (it has lr, n)");
  CHECK(refused_reference("'grid@n=3,*.model'") ==
        kPlace + "stage 'grid' has no item with n=3; n is 1, 2");
  CHECK(refused_reference("'one@n=3,*'") ==
        kPlace + "stage 'one' has no matrix; write 'one' without '@'");
}

TEST_CASE("an item of a matrix is referred to by its name, including dots", "[spec]") {
  CHECK(connected("line@1") == "line@1.table");
  CHECK(connected("line@2.table") == "line@2.table");
  CHECK(connected("grid@0.1-2.model") == "grid@0.1-2.model");
  CHECK(connected("grid@0.01-1.table") == "grid@0.01-1.table");
  CHECK(connected("grid@0.01-1", "model") == "grid@0.01-1.model");
}

TEST_CASE("all items of a matrix are referred to by a star", "[spec]") {
  CHECK(connected("'line@*'") == "line@*.table");
  CHECK(connected("line@*.table") == "line@*.table");
  CHECK(connected("grid@*.model") == "grid@*.model");
}

TEST_CASE("a fan-in has the items in matrix order and is shared by all its consumers", "[spec]") {
  const PipelineSpec pipeline = load(referring("x: line@*, y: line@*.table, z: grid@*.model"));
  REQUIRE(pipeline.fan_ins.size() == 2);
  const FanIn& line = pipeline.fan_ins[0];
  REQUIRE(line.members.size() == 2);
  CHECK(pipeline.stages[line.members[0]].name == "line@1");
  CHECK(pipeline.stages[line.members[1]].name == "line@2");
}

TEST_CASE("an input takes a list of references", "[spec]") {
  CHECK(connected("[one, two.log, line@*, line@1]") ==
        "one.data, two.log, line@*.table, line@1.table");
}

TEST_CASE("a reference to a matrix without an item is refused with the valid forms", "[spec]") {
  CHECK(refused_reference("line") ==
        kPlace + "stage 'line' is a matrix: write line@* for all of it or line@1 for one");
  CHECK(refused_reference("line.table") ==
        kPlace + "stage 'line' is a matrix: write line@* for all of it or line@1 for one");
}

TEST_CASE("a reference to an item of a stage without a matrix is refused", "[spec]") {
  CHECK(refused_reference("one@1") ==
        kPlace + "stage 'one' has no matrix; write 'one' without '@'");
  CHECK(refused_reference("'one@*'") ==
        kPlace + "stage 'one' has no matrix; write 'one' without '@'");
}

TEST_CASE("an unknown stage is refused with a suggestion", "[spec]") {
  CHECK(refused_reference("oen") == kPlace + "unknown stage 'oen'; did you mean 'one'?");
  CHECK(refused_reference("zebra.out") == kPlace + "unknown stage 'zebra'");
  CHECK(refused_reference("gird@0.1-1") == kPlace + "unknown stage 'gird'; did you mean 'grid'?");
  CHECK(refused_reference("''") == kPlace + "unknown stage ''");
}

TEST_CASE("an unknown output is refused with a suggestion and the existing ones", "[spec]") {
  CHECK(refused_reference("two.modle") ==
        kPlace + "stage 'two' has no output 'modle'; did you mean 'model'? (it has model, log)");
  CHECK(refused_reference("one.x.y") == kPlace + "stage 'one' has no output 'x.y' (it has data)");
  CHECK(refused_reference("line@*.tabel") ==
        kPlace + "stage 'line' has no output 'tabel'; did you mean 'table'? (it has table)");
  CHECK(refused_reference("grid@0.1-1.x") ==
        kPlace + "stage 'grid' has no output 'x' (it has model, table)");
}

TEST_CASE("an unknown item is refused with a suggestion", "[spec]") {
  CHECK(refused_reference("grid@0.1-3") ==
        kPlace + "stage 'grid' has no matrix item '0.1-3'; did you mean '0.1-1'?");
  CHECK(refused_reference("line@zebra") == kPlace + "stage 'line' has no matrix item 'zebra'");
}

TEST_CASE("a stage without outputs cannot be an input", "[spec]") {
  CHECK(refused_reference("none") ==
        kPlace + "stage 'none' has no outputs; use 'needs' for order alone");
}

TEST_CASE("a reference must be text", "[spec]") {
  CHECK(refused_reference("3") == kPlace + "expects a stage's name, got the integer 3");
  CHECK(refused_reference("{a: 1}") == kPlace + "expects a stage's name, got a map");
  CHECK(mistakes(referring("x: [one, 3]")) ==
        "p.yaml:7:36: stage 'use': input 'x': expects a stage's name, got the integer 3");
}

TEST_CASE("needs order stages without data", "[spec]") {
  CHECK(needs(load(referring("", ", needs: none")), "use") == "none");
  CHECK(needs(load(referring("", ", needs: [none, one, line@2]")), "use") == "none, one, line@2");
}

TEST_CASE("needs on a matrix mean all of it, with or without the star", "[spec]") {
  CHECK(needs(load(referring("", ", needs: line")), "use") == "line@*");
  CHECK(needs(load(referring("", ", needs: ['line@*']")), "use") == "line@*");
}

TEST_CASE("invalid needs are refused", "[spec]") {
  const auto wrong = [](const std::string& need) {
    return mistakes(referring("", ", needs: " + need));
  };
  const std::string place = "p.yaml:7:58: stage 'use': 'needs': ";
  CHECK(wrong("noen") == place + "unknown stage 'noen'; did you mean 'none'?");
  CHECK(wrong("one.data") == place + "'one.data' names an output; needs are about stages");
  CHECK(wrong("3") == place + "expects a stage's name, got the integer 3");
  CHECK(wrong("one@3") == place + "stage 'one' has no matrix; write 'one' without '@'");
}

TEST_CASE("a name on the command line means a stage, an item or a whole matrix", "[spec]") {
  PipelineSpec pipeline = load(referring("x: one"));
  CHECK(select_stages(pipeline, "one") == Ids{StageId(0)});
  CHECK(select_stages(pipeline, "grid") == Ids{StageId(2), StageId(3), StageId(4), StageId(5)});
  CHECK(select_stages(pipeline, "grid@*") == Ids{StageId(2), StageId(3), StageId(4), StageId(5)});
  CHECK(select_stages(pipeline, "grid@0.01-1") == Ids{StageId(4)});
}

TEST_CASE("a wrong name on the command line is refused with a suggestion", "[spec]") {
  PipelineSpec pipeline = load(referring("x: one"));
  const auto refusal = [&](const std::string& name) -> std::string {
    try {
      select_stages(pipeline, name);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  CHECK(refusal("oen") == "p.yaml: unknown stage 'oen'; did you mean 'one'?");
  CHECK(refusal("line@3") == "p.yaml: stage 'line' has no matrix item '3'; did you mean '1'?");
  CHECK(refusal("one.data") == "p.yaml: 'one.data' names an output; give a stage");
}

}  // namespace
}  // namespace headway::testing
