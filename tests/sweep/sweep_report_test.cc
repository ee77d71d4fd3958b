// The default report of a sweep for known results.
#include "lib/sweep/sweep_report.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/report.h"
#include "lib/sweep/comparison.h"
#include "stages/registry.h"
#include "stages/stages.h"
#include "tests/support/sweeping.h"

namespace headway::testing {
namespace {

const std::string kNoDecisions = "rung,amount,configuration,value,rank,goes_on,reason\n";

bool sweep_says(const std::string& text, const std::string& part) {
  UNSCOPED_INFO(text);
  return text.find(part) != std::string::npos;
}

// The text above the table of configurations.
std::string sweep_text(const std::string& table, const std::string& comparison,
                       const std::string& decisions, const std::string& failures = "") {
  Sources sources;
  sources.add("trials", {{"", "trials.table", "table.csv", table}});
  sources.add("comparison", {{"", "trials.comparison", "comparison.csv", comparison}});
  if (!decisions.empty())
    sources.add("decisions", {{"", "trials.decisions", "decisions.csv", decisions}});
  if (!failures.empty())
    sources.add("failures", {{"", "trials.failures", "failures.csv", failures}});
  const Provenance provenance;
  Directives directives(sources, provenance);
  return fill_template(parse_template(kSweepTemplate, "sweep"), sources, directives)
      .front()
      .piece.markdown;
}

// With the comparison that collect-trials would write.
std::string text_for(const std::string& table, const ComparisonOptions& options,
                     const std::string& decisions = kNoDecisions) {
  const Comparison comparison = compare_trials(parse_csv(table, "table"), options);
  return sweep_text(table, to_table(comparison).to_csv(), decisions);
}

ComparisonOptions aimed_at_score(bool maximise = true) {
  ComparisonOptions options;
  options.objective = "score";
  options.maximise = maximise;
  return options;
}

const std::string kSeeded =
    "heads,seed,trial,score\n"
    "1,1,h1s1,0.1\n1,2,h1s2,0.12\n1,3,h1s3,0.11\n"
    "2,1,h2s1,0.5\n2,2,h2s2,0.52\n2,3,h2s3,0.48\n"
    "4,1,h4s1,0.9\n4,2,h4s2,0.91\n4,3,h4s3,0.92\n";

TEST_CASE("a sweep with seeds names the best and says that it is significantly better",
          "[report]") {
  const std::string text = text_for(kSeeded, aimed_at_score());
  CHECK(sweep_says(text, "- 9 trials: 3 configurations of `heads` (3 values), 3 seeds each.\n"));
  CHECK(sweep_says(text,
                   "The best by `score` (more is better) is `heads` = 4, with 0.91 (mean over 3 "
                   "seeds, 95 % interval 0.8852 to 0.9348)."));
  CHECK(sweep_says(text,
                   "The next is `heads` = 2, with 0.5; these seeds can tell it apart "
                   "from the best (difference -0.41, 95 % interval -0.49"));
  CHECK(sweep_says(text,
                   ", as one of 2 comparisons). Of the 1 other, 0 cannot be told apart from it."));
  CHECK(sweep_says(text,
                   "Along `heads` the mean is lowest at `1` (0.11) and highest at `4` (0.91); "
                   "that is more than seeds explain (difference 0.8, interval "));
}

TEST_CASE("the report says which trials failed, and why", "[report]") {
  const auto text = [](const std::string& failures) {
    const Comparison comparison = compare_trials(parse_csv(kSeeded, "table"), aimed_at_score());
    return sweep_text(kSeeded, to_table(comparison).to_csv(), kNoDecisions,
                      "trial,stage,status,reason\n" + failures);
  };
  const std::string both =
      text("h1s1,train,failed,it has no result\nh1s2,train,warning,\"expected x > 1, got 0\"\n");
  CHECK(sweep_says(both, "- 1 of 9 trials failed: `h1s1` (`train`: it has no result).\n"));
  CHECK(sweep_says(both,
                   "- 1 of 9 trials misses an expectation that only warns: `h1s2` (`train`: "
                   "expected x \\> 1, got 0).\n"));
  CHECK_FALSE(sweep_says(text(""), "failed"));
}

TEST_CASE("a sweep of one or two axes gets a figure of the metric that leads", "[report]") {
  StageRegistry registry = sweep_stages();
  registry.add(plot_stage(all_figure_kinds()));
  RealFileSystem files;
  const auto figure = [&](const std::vector<std::string>& axis_values,
                          const std::string& sweep = "") -> Json {
    std::string yaml =
        "params: {a: 1, b: 1, c: 1, seed: 1}\n"
        "stages:\n"
        "  work: {uses: shell, outs: {metrics: m.json}, expect: {right: \"> 0\"}, with: {run: "
        "\"${a} ${b} ${c} ${seed} {out.metrics}\"}}\n";
    const Sweeping sweeping(yaml + sweep, axes(axis_values, "s"), registry);
    SweepPipeline merged = sweeping->load_all();
    std::vector<TrialResult> results;
    for (const SweepTrial& trial : merged.trials)
      results.push_back({trial.trial.name, trial.trial.overrides, {}, kTrialDone});
    CHECK(add_default_figure(merged, results, registry, files) != DefaultFigure::kAdded);
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i].metrics["work"] = {{"all", 100 * i}, {"right", 1}};
    if (add_default_figure(merged, results, registry, files) != DefaultFigure::kAdded) return {};
    CHECK(merged.pipeline.stages.back().name == kDefaultFigure);
    return to_json(merged.pipeline.stages.back().params);
  };
  const Json one = figure({"a=1,2", "seed=1,2"});
  CHECK(one["kind"] == "sweep-lines");
  CHECK(one["x"] == "a");
  CHECK(one["metric"] == "work.right");
  const Json two = figure({"a=1,2", "b=1,2"});
  CHECK(two["kind"] == "sweep-heatmap");
  CHECK(two["rows"] == "a");
  CHECK(two["x"] == "b");
  CHECK(figure({"a=1,2", "b=1,2", "c=1,2"}).is_null());
  CHECK(figure({"seed=1,2"}).is_null());
}

TEST_CASE("if less is better, the lowest is the best", "[report]") {
  const std::string text = text_for(kSeeded, aimed_at_score(false));
  CHECK(sweep_says(text, "The best by `score` (less is better) is `heads` = 1"));
}

TEST_CASE("means are distinguished by their difference, not by overlapping intervals", "[report]") {
  const std::string text = text_for(
      "lr,seed,trial,score\nx,1,a,1.0\nx,2,b,1.1\nx,3,c,1.2\nx,4,d,1.3\nx,5,e,1.4\n"
      "y,1,f,1.3\ny,2,g,1.4\ny,3,h,1.5\ny,4,i,1.6\ny,5,j,1.7\n",
      aimed_at_score());
  CHECK(
      sweep_says(text, "is `lr` = y, with 1.5 (mean over 5 seeds, 95 % interval 1.304 to 1.696)."));
  CHECK(sweep_says(text,
                   "with 1.2; these seeds can tell it apart from the best (difference "
                   "-0.3, 95 % interval -0.531 to -0.0694)."));
}

TEST_CASE("seeds that vary as much as configurations distinguish nothing", "[report]") {
  const std::string text = text_for(
      "lr,seed,trial,score\nx,1,a,0.9\nx,2,b,0.5\ny,1,c,0.8\ny,2,d,0.5\nz,1,e,0.7\nz,2,f,0.5\n",
      aimed_at_score());
  CHECK(sweep_says(text, "these seeds cannot tell it apart from the best (difference -0.05"));
  CHECK(sweep_says(text, "Of the 1 other, 1 cannot be told apart from it."));
  CHECK(sweep_says(text, "by these seeds that may be chance (difference 0.1, interval "));
}

TEST_CASE("a single seed says nothing about chance, and no interval is given", "[report]") {
  const std::string text = text_for("lr,trial,score\n0.1,a,0.9\n0.2,b,0.8\n", aimed_at_score());
  CHECK(sweep_says(text, "2 trials: 2 configurations of `lr` (2 values)."));
  CHECK(sweep_says(text, "is `lr` = 0.1, with 0.9."));
  CHECK(sweep_says(text, "without several seeds nothing says how much of that is chance"));
  CHECK(sweep_says(text, "One seed does not say how much of a difference is chance."));
  CHECK_FALSE(sweep_says(text, "interval"));
}

TEST_CASE("configurations that share the best value are all named", "[report]") {
  const std::string text = text_for("lr,trial,score\n1,a,1\n2,b,1\n3,c,1\n", aimed_at_score());
  CHECK(sweep_says(text,
                   "3 configurations share the best `score`, 1: `lr` = 1; `lr` = 2; `lr` = 3."));
  CHECK_FALSE(sweep_says(text, "is better"));  // no direction is known
  CHECK(sweep_says(text, "`lr` makes no difference to the mean."));
}

TEST_CASE("failed trials are counted and named, and the rest are judged", "[report]") {
  const std::string text =
      text_for("lr,seed,trial,score\n1,1,a,0.5\n1,2,b,\n2,1,c,0.75\n2,2,d,0.75\n3,1,`e`,\n3,2,f,\n",
               aimed_at_score());
  CHECK(sweep_says(text,
                   "3 of 6 trials did not reach `score` and are left out: `b`, `` `e` ``, `f`."));
  CHECK(sweep_says(text, "is `lr` = 2, with 0.75"));
}

// 3 x 3 values, with as many seeds, which change the score by so much; without the last rows.
std::string two_axes(int seeds, double chance, std::size_t left_out = 0) {
  std::vector<std::string> rows;
  for (const int a : {1, 2, 3}) {
    for (const int b : {1, 2, 3}) {
      for (int seed = 1; seed <= seeds; ++seed)
        rows.push_back(fmt::format("{0},{1},{2},a{0}b{1}s{2},{3}\n", a, b, seed,
                                   10 * b + (a == 2 ? 1 : 0) + chance * (seed - 2)));
    }
  }
  std::string table = "a,b,seed,trial,score\n";
  for (std::size_t i = 0; i + left_out < rows.size(); ++i) table += rows[i];
  return table;
}

TEST_CASE("an axis is judged by the seeds of its configurations", "[report]") {
  const std::string sure = text_for(two_axes(3, 0.5), aimed_at_score());
  const std::string noisy = text_for(two_axes(3, 30), aimed_at_score());
  const std::string alone = text_for(two_axes(1, 0), aimed_at_score());
  const std::string range =
      "- Along `b` the mean is lowest at `1` (10.33) and highest at `3` (30.33)";
  CHECK(sweep_says(sure, range + "; that is more than seeds explain (difference 20, interval "));
  CHECK(sweep_says(noisy, range + "; by these seeds that may be chance"));
  CHECK(sweep_says(alone, range + ".\n"));
  CHECK(sweep_says(sure, "allow for comparing every two values of every axis."));
}

TEST_CASE("randomly drawn values are judged by rank correlation, not by means", "[report]") {
  std::string table = "lr,width,trial,score\n";
  for (int i = 0; i < 8; ++i)
    table += fmt::format("{},{},t{},{}\n", 0.01 * (i + 1), (i * 5) % 8, i, i * i);
  const std::string text = text_for(table, aimed_at_score());
  CHECK(sweep_says(text, "`lr` has 8 values; its rank correlation with `score` is 1."));
  CHECK_FALSE(sweep_says(text, "Along `lr`"));
}

TEST_CASE("without an objective there is no best", "[report]") {
  const std::string text = text_for("lr,trial,score\n1,a,0.5\n2,b,\n", ComparisonOptions());
  CHECK(sweep_says(text, "The trials have no objective, so none is the best."));
  CHECK_FALSE(sweep_says(text, "Along"));
}

const std::string kHalved =
    "lr,epochs,trial,score\n1,1,a,0.1\n2,1,b,0.4\n3,1,c,0.4\n4,1,d,0.3\n"
    "2,3,e,0.5\n3,3,f,0.6\n3,9,g,0.8\n";
const std::string kHalvings =
    kNoDecisions +
    "1,1,lr=1,0.1,4,0,r\n1,1,lr=2,0.4,1,1,r\n1,1,lr=3,0.4,2,1,r\n1,1,lr=4,0.4,3,0,r\n"
    "2,3,lr=2,0.5,2,0,r\n2,3,lr=3,0.6,1,1,r\n";

TEST_CASE("halving's decisions are reported, and axes are judged where all took part", "[report]") {
  ComparisonOptions options = aimed_at_score();
  options.resource = "epochs";
  const std::string text = text_for(kHalved, options, kHalvings);
  CHECK(sweep_says(
      text, "7 trials: 4 configurations of `lr` (4 values), with up to 3 amounts of `epochs`."));
  CHECK(sweep_says(text, "The best by `score` is `lr` = 3, `epochs` = 9, with 0.8."));
  CHECK(
      sweep_says(text,
                 "- Successive halving, at 1 of `epochs`: 2 of 4 configurations went on; 1 stopped "
                 "though as good as the last that went on, by the order of the list.\n"
                 "- Successive halving, at 3 of `epochs`: 1 of 2 configurations went on.\n"));
  CHECK(sweep_says(text, "Along `lr` the mean is lowest at `1` (0.1) and highest at `2` (0.4)"));
  CHECK(sweep_says(text, ", at `epochs` = 1, which every configuration got."));
}

TEST_CASE("a rung from which none continued is reported as such", "[report]") {
  ComparisonOptions options = aimed_at_score();
  options.resource = "epochs";
  const std::string text = text_for("lr,epochs,trial,score\n1,1,a,\n2,1,b,\n", options,
                                    kNoDecisions + "1,1,lr=1,,1,0,failed\n1,1,lr=2,,2,0,failed\n");
  CHECK(sweep_says(text, "at 1 of the resource: 0 of 2 configurations went on."));
}

TEST_CASE("tables not written by collect-trials are errors that name them", "[report]") {
  const std::string good = "lr,score,score low,score high,seeds,failed,best\n1,0.5,,,1,0,1\n";
  const auto refusal = [&](const std::string& table, const std::string& comparison,
                           const std::string& decisions) -> std::string {
    try {
      sweep_text(table, comparison, decisions);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal("lr,trial,score\n1,a,0.5\n", good, kNoDecisions) == "");
  CHECK(refusal("lr,trial,score\n1,a,0.5\n", good, "") == "");  // no decisions are connected
  CHECK(sweep_says(refusal("x,trial\n1,a\n", good, kNoDecisions), "trials.table"));
  CHECK(sweep_says(refusal("lr,trial\n1,a\n", "lr\n1\n", kNoDecisions), "trials.comparison"));
  CHECK(sweep_says(refusal("lr,trial,score\n1,a,0.5\n", good, "rung\n1\n"), "trials.decisions"));
}

TEST_CASE("a metric that is not a number is an error, and not a finding", "[report]") {
  // collect-trials, which makes both tables, refuses it first.
  CHECK_THROWS_WITH(text_for("lr,trial,score\n1,a,much\n", aimed_at_score()),
                    "row 1, column 'score': 'much' is not a number");
  const std::string comparison =
      to_table(compare_trials(parse_csv(kSeeded, "table"), aimed_at_score())).to_csv();
  std::string trials = kSeeded;
  trials.replace(trials.find("0.91"), 4, "much");
  CHECK_THROWS_WITH(
      sweep_text(trials, comparison, kNoDecisions),
      Catch::Matchers::ContainsSubstring("expects numbers as argument 4, not a text"));
}

TEST_CASE("an empty sweep, and one of only the defaults, are reported too", "[report]") {
  CHECK(text_for("trial,score\n", aimed_at_score()).starts_with("The sweep has no trials.\n"));
  const std::string text = text_for("trial,score\ndefaults,0.5\n", aimed_at_score());
  CHECK(sweep_says(text, "1 trial: 1 configuration."));
  CHECK(sweep_says(text, "The best by `score` is the only one, with 0.5."));
}

TEST_CASE("hostile names of axes, values and trials stay text on one line", "[report]") {
  const std::string text = text_for(
      "\"<b>|x\",trial,score\n\"<script>\n|`\",\"`t`\n<i>\",0.5\nplain,u,\n", aimed_at_score());
  CHECK_FALSE(sweep_says(text, "| <script"));
  CHECK_FALSE(sweep_says(text, "= <script"));
  CHECK(sweep_says(text, "\\<script\\> \\|\\`"));
  for (const std::string& line : split(text, '\n')) {
    INFO(line);
    CHECK((line.empty() || line.starts_with("- ") || line.starts_with("The means along")));
  }
}

}  // namespace
}  // namespace headway::testing
