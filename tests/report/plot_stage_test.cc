// The `plot` stage as a pipeline declares it and a worker runs it.
#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "stages/plot.h"
#include "tests/report/examples.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

const std::string kFile = "p.yaml";

std::string mistakes_of(ValueMap given) {
  const Mark place{&kFile, 1, 1};
  Diagnostics diagnostics;
  const StageType type = plot_stage();
  const Value params =
      type.params->resolve(Value{std::move(given), place}, "stage 's'", place, diagnostics);
  type.check({"stage 's'", params, {}, type.outputs}, diagnostics);
  return diagnostics.text();
}

MapEntry entry(const std::string& name, decltype(Value::data) data) {
  const Mark place{&kFile, 7, 7};
  return {name, place, Value{std::move(data), place}};
}

TEST_CASE("a plot needs a kind that there is", "[report]") {
  CHECK(mistakes_of({entry("kind", std::string("attention"))}) == "");
  CHECK(contains(mistakes_of({}), "parameter 'kind' is missing (what to draw)"));
  CHECK(
      contains(mistakes_of({entry("kind", std::string("atention"))}), "did you mean 'attention'?"));
}

TEST_CASE("a parameter that the kind does not use is refused", "[report]") {
  const auto problem = entry("problem", std::int64_t{2});
  CHECK(mistakes_of({entry("kind", std::string("attention")), problem}) == "");
  CHECK(mistakes_of({entry("kind", std::string("pruning-curve")), problem}) ==
        "p.yaml:7:7: stage 's': kind 'pruning-curve' has no 'problem'; only attention has one");
}

TEST_CASE("the help tells every kind", "[report]") {
  const std::string help = help_text(plot_stage());
  for (const FigureKind& kind : figure_kinds()) CHECK(contains(help, kind.name));
}

class TestContext : public StageContext {
 public:
  using StageContext::StageContext;
  void progress(double, std::string_view) override {}
  bool cancelled() const override { return false; }
};

StageJob plot_job(const JobFolder& folder, const std::string& kind) {
  StageJob job = folder.job(kind, "plot", {{"kind", kind}}, {"svg", "png", "script", "data"});
  InputPaths input{"table", {}, {}};
  for (const FigureSource& source : example_of(kind)) {
    input.items.push_back(source.name);
    input.paths.push_back(folder.path() / source.file);
    RealFileSystem().write(input.paths.back(), source.bytes, Durability::kCached);
  }
  job.inputs = {input};
  return job;
}

TEST_CASE("the stage draws every kind and keeps the script and the data", "[report]") {
  const JobFolder folder;
  for (const FigureKind& kind : figure_kinds()) {
    INFO(kind.name);
    const StageJob job = plot_job(folder, kind.name);
    TestContext context(job);
    run_plot(context);
    const Figure expected = figure_of(kind.name, example_of(kind.name));
    CHECK(output_of(job, "script") == expected.script);
    CHECK(output_of(job, "data") == expected.data);
    CHECK(contains(output_of(job, "svg"), "</svg>"));
    CHECK(output_of(job, "png").starts_with("\x89PNG"));
  }
}

TEST_CASE("a stage whose input is missing says so", "[report]") {
  const JobFolder folder;
  StageJob job = plot_job(folder, "attention");
  std::filesystem::remove(job.inputs[0].paths[0]);
  TestContext context(job);
  CHECK_THROWS_AS(run_plot(context), Error);
}

}  // namespace
}  // namespace headway::testing
