// The `plot` stage as a pipeline declares it and a worker runs it.
#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "stages/registry.h"
#include "stages/stages.h"
#include "tests/support/figure_examples.h"
#include "tests/support/job_folder.h"

namespace headway::testing {
namespace {

const std::string kFile = "p.yaml";

std::string mistakes_of(ValueMap given) {
  const SourceLocation place{&kFile, 1, 1};
  Diagnostics diagnostics;
  const StageType type = plot_stage(all_figure_kinds());
  const Value params =
      type.params->resolve(Value{std::move(given), place}, "stage 's'", place, diagnostics);
  type.check({"stage 's'", params, {}, type.outputs, {}}, diagnostics);
  return diagnostics.text();
}

MapEntry entry(const std::string& name, decltype(Value::data) data) {
  const SourceLocation place{&kFile, 7, 7};
  return {name, place, Value{std::move(data), place}};
}

TEST_CASE("a plot requires an existing kind", "[report]") {
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

MapEntry kind_of(const std::string& name) {
  return entry("kind", name);
}

TEST_CASE("parameters of some kinds are refused by every other kind", "[report]") {
  const auto x = entry("x", std::string("seed")), rows = entry("rows", std::string("lr"));
  const auto metric = entry("metric", std::string("loss")),
             goal = entry("goal", std::string("min")), y = entry("y", std::string("loss"));
  CHECK(mistakes_of({kind_of("sweep-lines"), x, metric, goal}) == "");
  CHECK(mistakes_of({kind_of("sweep-heatmap"), x, rows, metric, goal}) == "");
  CHECK(mistakes_of({kind_of("parallel-coordinates"), metric, goal}) == "");
  CHECK(mistakes_of({kind_of("sweep-lines"), rows}) ==
        "p.yaml:7:7: stage 's': kind 'sweep-lines' has no 'rows'; only heatmap and sweep-heatmap "
        "have one");
  CHECK(mistakes_of({kind_of("parallel-coordinates"), x}) ==
        "p.yaml:7:7: stage 's': kind 'parallel-coordinates' has no 'x'; only lines, points, bars, "
        "heatmap, sweep-lines and sweep-heatmap have one");
  CHECK(mistakes_of({kind_of("attention"), goal}) ==
        "p.yaml:7:7: stage 's': kind 'attention' has no 'goal'; only sweep-lines, sweep-heatmap "
        "and parallel-coordinates have one");
  CHECK(contains(mistakes_of({kind_of("attention"), metric}), "has no 'metric'"));
  CHECK(mistakes_of({kind_of("heatmap"), x, rows, metric, y}) ==
        "p.yaml:7:7: stage 's': kind 'heatmap' has no 'y'; only lines, points and bars have one");
}

ValueList texts(const std::vector<std::string>& items) {
  ValueList list;
  for (const std::string& item : items) list.push_back({item, {&kFile, 8, 8}});
  return list;
}

TEST_CASE("a chart takes one column or several, one log axis or both", "[report]") {
  const auto x = entry("x", std::string("step"));
  CHECK(mistakes_of({kind_of("lines"), x, entry("y", std::string("loss")),
                     entry("log", std::string("y"))}) == "");
  CHECK(mistakes_of({kind_of("lines"), x, entry("y", texts({"loss", "accuracy"})),
                     entry("log", texts({"x", "y"}))}) == "");
  CHECK(contains(mistakes_of({kind_of("lines"), x, entry("y", std::string("loss")),
                              entry("log", std::string("z"))}),
                 "parameter 'log' must be one of x, y, got 'z'"));
}

TEST_CASE("groups are one or several, of the kind that has them", "[report]") {
  CHECK(mistakes_of({kind_of("group-accuracy"), entry("groups", std::string("carries"))}) == "");
  CHECK(mistakes_of({kind_of("group-accuracy"), entry("groups", texts({"carries", "role"}))}) ==
        "");
  CHECK(mistakes_of({kind_of("attention"), entry("groups", std::string("carries"))}) ==
        "p.yaml:7:7: stage 's': kind 'attention' has no 'groups'; only group-accuracy has one");
}

TEST_CASE("chart options that do not fit together are reported before anything runs", "[report]") {
  const auto x = entry("x", std::string("step")), y = entry("y", std::string("loss")),
             low = entry("low", std::string("low"));
  CHECK(mistakes_of({kind_of("lines"), y}) ==
        "p.yaml:7:7: stage 's': kind 'lines': parameter 'x' is missing: the column that goes to "
        "the right");
  CHECK(contains(mistakes_of({kind_of("bars"), x}), "kind 'bars': parameter 'y' is missing"));
  CHECK(contains(mistakes_of({kind_of("points"), x, y, low}), "parameter 'high' is missing"));
  CHECK(contains(mistakes_of({kind_of("heatmap"), x}), "parameter 'rows' is missing"));
  const std::string message = mistakes_of({kind_of("lines"), x, entry("y", texts({}))});
  CHECK(contains(message, "parameter 'y' is missing"));
  const std::string number = mistakes_of({kind_of("lines"), x, entry("y", std::int64_t{3})});
  CHECK(contains(number, "parameter 'y' expects text, got the integer 3; put it in quotes"));
  CHECK_FALSE(contains(number, "missing"));
}

TEST_CASE("common parameters are refused by no kind", "[report]") {
  for (const FigureKind& kind : all_figure_kinds()) {
    if (kind.check_options) continue;  // has options that must be given
    CHECK(mistakes_of({entry("kind", kind.name), entry("title", std::string("t")),
                       entry("width", std::int64_t{500}), entry("height", std::int64_t{400})}) ==
          "");
  }
}

TEST_CASE("a parameter of the wrong type is reported once", "[report]") {
  const std::string message =
      mistakes_of({entry("kind", std::string("attention")), entry("goal", std::int64_t{1})});
  CHECK(contains(message, "parameter 'goal' expects text"));
  CHECK_FALSE(contains(message, "has no 'goal'"));
}

TEST_CASE("the help describes every kind", "[report]") {
  const std::string help = help_text(plot_stage(all_figure_kinds()));
  for (const FigureKind& kind : all_figure_kinds()) {
    CHECK(contains(help, "\n      - " + kind.name + ": "));
  }
  CHECK(contains(help, "(columns strategy,"));
}

class TestContext : public StageContext {
 public:
  using StageContext::StageContext;
  void progress(double, std::string_view) override {}
  bool cancelled() const override { return false; }
};

StageJob plot_job(const JobFolder& folder, const std::string& kind) {
  StageJob job = folder.job(kind, "plot", example_params(kind), {"svg", "png", "script", "data"});
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
  for (const FigureKind& kind : all_figure_kinds()) {
    INFO(kind.name);
    const StageJob job = plot_job(folder, kind.name);
    TestContext context(job);
    run_plot(all_figure_kinds(), context);
    const Figure expected = example_figure(kind.name);
    CHECK(output_of(job, "script") == expected.script);
    CHECK(output_of(job, "data") == expected.data);
    CHECK(contains(output_of(job, "svg"), "</svg>"));
    CHECK(output_of(job, "png").starts_with("\x89PNG"));
  }
}

TEST_CASE("the stage passes the sweep options to the figure", "[report]") {
  const JobFolder folder;
  StageJob job = plot_job(folder, "sweep-heatmap");
  job.params["x"] = "model.positions";
  job.params["rows"] = "seed";
  job.params["goal"] = "min";
  job.params["metric"] = "evaluate.greedy";
  TestContext context(job);
  FigureOptions options;
  options.x = "model.positions";
  options.rows = "seed";
  options.goal = Goal::kMin;
  options.metric = "evaluate.greedy";
  run_plot(all_figure_kinds(), context);
  CHECK(output_of(job, "script") ==
        figure_of("sweep-heatmap", example_of("sweep-heatmap"), options).script);
}

TEST_CASE("the stage passes the groups to the figure", "[report]") {
  const JobFolder folder;
  StageJob job = plot_job(folder, "group-accuracy");
  job.params["groups"] = {"role", "carries"};
  TestContext context(job);
  FigureOptions options;
  options.groups = {"role", "carries"};
  run_plot(all_figure_kinds(), context);
  CHECK(output_of(job, "data") ==
        figure_of("group-accuracy", example_of("group-accuracy"), options).data);
}

TEST_CASE("a stage whose input is missing says so", "[report]") {
  const JobFolder folder;
  StageJob job = plot_job(folder, "attention");
  std::filesystem::remove(job.inputs[0].paths[0]);
  TestContext context(job);
  CHECK_THROWS_AS(run_plot(all_figure_kinds(), context), Error);
}

}  // namespace
}  // namespace headway::testing
