// Pipelines that are used as groups of stages in others.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kStudy = R"(
params: {width: 8, dashes: "${mark}${mark}", mark: "-"}
stages:
  data: {uses: shell, outs: {o: o.txt}, with: {run: "echo ${width} > {out.o}"}}
  train:
    uses: shell
    matrix: {seed: [1, 2]}
    in: {x: data}
    outs: {o: o.txt}
    with: {run: "echo ${dashes} ${matrix.seed} $${HOME} {in.x} > {out.o}"}
  all: {uses: shell, in: {x: ["train@*", "train@1.o"]}, needs: data, outs: {o: o.txt}, with: {run: "cat {in.x} > {out.o}"}}
variants: {wide: {width: 64}}
)";

// A folder with study.yaml, and p.yaml that uses it.
struct Grouped {
  TemporaryFolder folder;

  explicit Grouped(const std::string& text) {
    folder.write("study.yaml", kStudy);
    folder.write("p.yaml", text);
  }
  PipelineSpec load(const LoadOptions& options = {}) const {
    return load_in(folder, "p.yaml", options);
  }
  std::string command(const std::string& name, const LoadOptions& options = {}) const {
    return to_json(stage(load(options), name).params)["run"];
  }
  std::string refused() const { return mistakes_in(folder, "p.yaml"); }
};

TEST_CASE("the stages of a group have its name before theirs, and its parameters", "[spec]") {
  const Grouped grouped(R"(
params: {w: 32}
stages:
  small: {uses: ./study.yaml}
  large: {uses: ./study.yaml, with: {width: "${w}"}}
  compare: {uses: shell, in: {a: small-all, b: "large-train@2"}, outs: {o: o.txt}, with: {run: "cat {in.a} {in.b} > {out.o}"}}
)");
  const PipelineSpec pipeline = grouped.load();
  CHECK(stage_names(pipeline) == Names{"small-data", "small-train@1", "small-train@2", "small-all",
                                       "large-data", "large-train@1", "large-train@2", "large-all",
                                       "compare"});
  CHECK(grouped.command("small-data") == "echo 8 > {out.o}");
  CHECK(grouped.command("large-data") == "echo 32 > {out.o}");
  CHECK(grouped.command("large-train@2") == "echo -- 2 ${HOME} {in.x} > {out.o}");
  CHECK(sources(pipeline, "large-all", "x") == "large-train@*.o, large-train@1.o");
  CHECK(needs(pipeline, "small-all") == "small-data");
  CHECK(sources(pipeline, "compare", "b") == "large-train@2.o");
}

TEST_CASE("a group's parameters can be set, and chosen by a variant of its file", "[spec]") {
  const Grouped grouped(R"(
stages:
  plain: {uses: ./study.yaml}
  wide: {uses: ./study.yaml, variant: wide}
)");
  CHECK(grouped.command("wide-data") == "echo 64 > {out.o}");
  CHECK(grouped.command("wide-data", set({"wide.width=3"})) == "echo 3 > {out.o}");
  CHECK(grouped.command("plain-data", set({"wide.width=3"})) == "echo 8 > {out.o}");
}

TEST_CASE("a group may change parameters and inputs of its stages", "[spec]") {
  const Grouped grouped(R"(
stages:
  data: {uses: shell, outs: {o: o.txt}, with: {run: "echo mine > {out.o}"}}
  g: {uses: ./study.yaml, with: {all.run: "wc {in.x} > {out.o}"}, in: {train.x: data}}
)");
  CHECK(grouped.command("g-all") == "wc {in.x} > {out.o}");
  CHECK(sources(grouped.load(), "g-train@1", "x") == "data.o");
  CHECK(sources(grouped.load(), "g-all", "x") == "g-train@*.o, g-train@1.o");
}

TEST_CASE("a group's file may include others and have groups of its own", "[spec]") {
  const Grouped grouped("stages: {g: {uses: ./sub/outer.yaml, with: {inner.width: 5}}}");
  grouped.folder.write("sub/outer.yaml",
                       "include: more.yaml\nstages: {inner: {uses: ../study.yaml}}");
  grouped.folder.write("sub/more.yaml",
                       "stages: {extra: {uses: shell, in: {x: inner-data}, outs: {o: o.txt}, with: "
                       "{run: 'cat {in.x} "
                       "> {out.o}'}}}");
  CHECK(grouped.command("g-inner-data") == "echo 5 > {out.o}");
  CHECK(sources(grouped.load(), "g-extra", "x") == "g-inner-data.o");
  CHECK(grouped.load().digests.size() == 4);
}

TEST_CASE("mistakes in the use of a group have their place", "[spec]") {
  CHECK(Grouped("stages:\n  g: {uses: ./stduy.yaml}\n").refused() ==
        "p.yaml:2:13: stduy.yaml: no such file; did you mean 'study.yaml'?");
  CHECK(Grouped("stages:\n  g: {uses: ./study.yaml, matrix: {a: [1]}}\n").refused() ==
        "p.yaml:2:27: group 'g': unknown key 'matrix'");
  CHECK(Grouped("stages:\n  g: {uses: ./study.yaml, with: {widht: 1}}\n").refused() ==
        "p.yaml:2:34: unknown parameter 'widht'; did you mean 'width'?");
  CHECK(Grouped("stages:\n  g: {uses: ./study.yaml, with: 3}\n").refused() ==
        "p.yaml:2:33: group 'g': 'with' must be a map, got the integer 3");
  CHECK(Grouped("stages:\n  g: {uses: ./study.yaml, in: {tarin.x: data}}\n").refused() ==
        "p.yaml:2:32: group 'g': unknown stage 'tarin'; did you mean 'train'?");
  CHECK(Grouped("stages:\n  g: {uses: ./study.yaml, in: {train: data}}\n").refused() ==
        "p.yaml:2:32: group 'g': write train.INPUT, the input to connect");
  CHECK(Grouped("stages:\n  g: {uses: ./study.yaml, variant: wdie}\n").refused() ==
        "p.yaml:2:36: unknown variant 'wdie'; did you mean 'wide'?");
  CHECK(Grouped("stages:\n  g: {uses: ./study.yaml, variant: [1]}\n").refused() ==
        "p.yaml:2:36: group 'g': 'variant' expects a variant's name, got a list");
  CHECK(Grouped("params: {g: 1}\nstages:\n  g: {uses: ./study.yaml}\n").refused() ==
        "p.yaml:3:3: group 'g' keeps its parameters in 'g', but there is a parameter of that name; "
        "rename one of them");
}

TEST_CASE("a stage of a group that has the name of another stage is a mistake", "[spec]") {
  const Grouped grouped(
      "stages:\n  g-data: {uses: shell, outs: {o: o}, with: {run: 'true > {out.o}'}}\n"
      "  g: {uses: ./study.yaml}\n");
  CHECK(grouped.refused() ==
        "study.yaml:4:3: stage 'g-data' of a group has the name of another stage");
}

TEST_CASE("a pipeline that uses itself is a mistake", "[spec]") {
  const Grouped grouped("stages:\n  g: {uses: ./other.yaml}\n");
  grouped.folder.write("other.yaml", "stages:\n  h: {uses: ./p.yaml}\n");
  CHECK(grouped.refused() == "other.yaml:2:13: p.yaml uses itself");
}

TEST_CASE("in a group a parameter cannot stand for a stage", "[spec]") {
  const Grouped grouped("stages:\n  g: {uses: ./other.yaml}\n");
  grouped.folder.write(
      "other.yaml",
      "params: {s: a}\nstages:\n"
      "  a: {uses: shell, outs: {o: o}, with: {run: 'true > {out.o}'}}\n"
      "  b: {uses: shell, in: {x: '${s}'}, outs: {o: o}, with: {run: 'cat {in.x} > "
      "{out.o}'}}\n");
  CHECK(grouped.refused() ==
        "other.yaml:4:28: group 'g': '${g.s}' stands for a stage; in a group, name the stage "
        "itself");
}

}  // namespace
}  // namespace headway::testing
