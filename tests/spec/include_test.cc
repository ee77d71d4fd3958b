#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

// A folder with p.yaml that includes other files.
struct Included {
  TemporaryFolder folder;

  explicit Included(const std::string& text) { folder.write("p.yaml", and_a_stage(text)); }
  Json params() const { return to_json(load_in(folder, "p.yaml").params); }
  std::string refused() const { return mistakes_in(folder, "p.yaml"); }
};

TEST_CASE("the file's own params override those of an included file", "[spec]") {
  const Included files("include: base.yaml\nparams: {b: 2, m: {y: 2}}");
  files.folder.write("base.yaml", "params: {a: 1, b: 1, m: {x: 1, y: 1}}");
  CHECK(files.params() == Json({{"a", 1}, {"b", 2}, {"m", {{"x", 1}, {"y", 2}}}}));
}

TEST_CASE("several files can be included, and files can include others", "[spec]") {
  const Included files("include: [one.yaml, sub/two.yaml]");
  files.folder.write("one.yaml", "params: {one: 1}");
  files.folder.write("sub/two.yaml", "include: three.yaml\nparams: {two: '${three}'}");
  files.folder.write("sub/three.yaml", "params: {three: 3}");
  CHECK(files.params() == Json({{"one", 1}, {"two", 3}, {"three", 3}}));
}

TEST_CASE("a file included twice, by two others, is not a cycle", "[spec]") {
  const Included files("include: [a.yaml, b.yaml]");
  files.folder.write("a.yaml", "include: c.yaml");
  files.folder.write("b.yaml", "include: c.yaml");
  files.folder.write("c.yaml", "params: {c: 1}");
  CHECK(files.params() == Json({{"c", 1}}));
}

TEST_CASE("included params can be varied and set like others", "[spec]") {
  TemporaryFolder folder;
  folder.write("base.yaml", "params: {a: 1, b: 1}");
  folder.write("p.yaml", and_a_stage("include: base.yaml\nvariants: {v: {a: 2}}"));
  CHECK(to_json(load_in(folder, "p.yaml", {"v", {"b=3"}}).params) == Json({{"a", 2}, {"b", 3}}));
}

TEST_CASE("a file that includes itself, directly or indirectly, is a mistake", "[spec]") {
  CHECK(Included("include: p.yaml").refused() == "p.yaml:1:10: p.yaml includes itself");
  const Included files("include: a.yaml");
  files.folder.write("a.yaml", "include: ./b.yaml");
  files.folder.write("b.yaml", "params: {}\ninclude: [a.yaml]");
  CHECK(files.refused() == "b.yaml:2:11: a.yaml includes itself");
}

TEST_CASE("a missing included file is reported where it is included, with a suggestion", "[spec]") {
  const Included files("include:\n  - bas.yaml\n  - other/x.yaml");
  files.folder.write("base.yaml", "");
  CHECK(files.refused() ==
        "p.yaml:2:5: bas.yaml: no such file; did you mean 'base.yaml'?\n"
        "p.yaml:3:5: other/x.yaml: no such file");
}

TEST_CASE("an included folder is refused", "[spec]") {
  const Included files("include: sub");
  files.folder.write("sub/x", "");
  CHECK(files.refused() == "p.yaml:1:10: sub: is a folder, not a file");
}

TEST_CASE("an included file has the keys of a pipeline", "[spec]") {
  const Included files("include: a.yaml");
  files.folder.write("a.yaml", "parms: {}\nstages: [1]\n");
  CHECK(files.refused() ==
        "a.yaml:1:1: an included file: unknown key 'parms'; did you mean 'params'?\n"
        "a.yaml:2:9: 'stages' must be a map, got a list");
}

TEST_CASE("stages of an included file can be used, changed and left out", "[spec]") {
  const TemporaryFolder folder;
  folder.write("base.yaml", R"(
name: base
params: {text: base}
stages:
  a: {uses: shell, outs: {o: o.txt}, timeout: 1h, with: {run: "echo ${text} > {out.o}"}}
  b: {uses: shell, in: {x: a}, outs: {o: o.txt}, with: {run: "cat {in.x} > {out.o}"}}
  c: {uses: shell, in: {x: a}, outs: {o: o.txt}, with: {run: "cat {in.x} > {out.o}"}}
variants: {long: {text: longer}}
)");
  folder.write("p.yaml", R"(
include: base.yaml
params: {text: mine}
stages:
  b: {retries: 2, outs: {other: other.txt}, with: {run: "cat {in.x} > {out.o}; date > {out.other}"}}
  c:
  d: {uses: shell, in: {x: b.other}, outs: {o: o.txt}, with: {run: "cat {in.x} > {out.o}"}}
)");
  const PipelineSpec pipeline = load_in(folder, "p.yaml");
  CHECK(pipeline.name == "p");
  CHECK(stage_names(pipeline) == std::vector<std::string>{"b", "d", "a"});
  CHECK(to_json(stage(pipeline, "a").params)["run"] == "echo mine > {out.o}");
  CHECK(stage(pipeline, "b").retries == 2);
  CHECK(stage(pipeline, "b").outputs.size() == 2);
  CHECK(sources(pipeline, "b", "x") == "a.o");
  CHECK(to_json(stage(load_in(folder, "p.yaml", variant("long")), "a").params)["run"] ==
        "echo longer > {out.o}");
  CHECK(pipeline.digests.size() == 2);
}

TEST_CASE("a stage without anything is a mistake unless an included file has it", "[spec]") {
  const TemporaryFolder folder;
  folder.write("base.yaml", "params: {a: 1}\n");
  folder.write("p.yaml", and_a_stage("include: base.yaml") + "  nothing:\n");
  CHECK_THAT(mistakes_in(folder, "p.yaml"),
             Catch::Matchers::ContainsSubstring("stage 'nothing': a stage is a map with 'uses'"));
}

TEST_CASE("mistakes in an included file are reported with its name", "[spec]") {
  const Included files("include: a.yaml");
  files.folder.write("a.yaml", "params:\n  x: '${y}'\n  x: 2\n");
  CHECK(files.refused() ==
        "a.yaml:2:6: unknown parameter 'y'; did you mean 'x'?\na.yaml:3:3: duplicate key 'x', "
        "first on line 2");
}

TEST_CASE("params of an included file are a map", "[spec]") {
  const Included files("include: a.yaml");
  files.folder.write("a.yaml", "params: [1]\n");
  CHECK(files.refused() == "a.yaml:1:9: 'params' must be a map, got a list");
}

TEST_CASE("an include is a file's name", "[spec]") {
  CHECK(Included("include: 3").refused() ==
        "p.yaml:1:10: 'include' expects a file's name, got the integer 3");
  CHECK(Included("include: [{a: 1}]").refused() ==
        "p.yaml:1:11: 'include' expects a file's name, got a map");
}

TEST_CASE("an included file that cannot be accessed is a located mistake", "[spec]") {
  const std::string too_long(300, 'x');
  const Included files("include: [" + too_long + ", other.yaml]");
  CHECK(files.refused() == "p.yaml:1:11: cannot look at " + too_long +
                               ": file name too long\np.yaml:1:313: other.yaml: no such file");
}

}  // namespace
}  // namespace headway::testing
