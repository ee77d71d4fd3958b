#include "lib/sweep/comparison.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>
#include <ctime>
#include <limits>

#include "lib/base/error.h"
#include "tests/support/sanitized.h"

namespace headway {
namespace {

using Catch::Matchers::Message;
using Names = std::vector<std::string>;

ComparisonOptions aim(const std::string& objective, bool maximise = true) {
  ComparisonOptions options;
  options.objective = objective;
  options.maximise = maximise;
  return options;
}

// Two head counts and three seeds; the width is the same everywhere, and one trial failed.
Table heads() {
  return parse_csv(
      "model.width,model.heads,seed,trial,evaluate.count,evaluate.greedy,train.loss\n"
      "64,2,1,a,810,0.5,1\n"
      "64,2,2,b,810,0.6,1.1\n"
      "64,2,3,c,810,0.7,1.2\n"
      "64,4,1,d,810,0.9,0.1\n"
      "64,4,2,e,810,0.95,0.2\n"
      "64,4,3,f,,,\n",
      "trials.csv");
}

Table one_seed() {
  return parse_csv(
      "norm,lr,trial,evaluate.greedy\n"
      "pre,0.1,a,0.5\n"
      "post,0.01,b,0.87654\n"
      "pre,0.001,c,\n",
      "trials.csv");
}

TEST_CASE("a result that does not depend on the seeds is a single measurement", "[comparison]") {
  ComparisonOptions options = aim("evaluate.greedy");
  options.without_seeds = {"train"};
  options.metrics = {"train.loss"};
  const Comparison comparison = compare_trials(heads(), options);
  REQUIRE(comparison.metrics == Names{"evaluate.greedy", "train.loss"});
  CHECK(comparison.rows[1].metrics[0].count == 3);
  CHECK(comparison.rows[1].metrics[1].count == 1);
  CHECK(std::isnan(comparison.rows[1].metrics[1].half_width));
  options.objective = "train.loss";
  CHECK(compare_trials(heads(), options).rows[0].seeds == 3);
}

TEST_CASE("trials that differ only in their seed are one row", "[comparison]") {
  const Comparison comparison = compare_trials(heads(), aim("evaluate.greedy"));
  CHECK(comparison.replicated);
  CHECK(comparison.axes == Names{"model.heads"});
  REQUIRE(comparison.rows.size() == 2);
  CHECK(comparison.rows[0].values == Names{"4"});
  CHECK(comparison.rows[0].trials == 3);
  CHECK(comparison.rows[0].seeds == 2);
  CHECK(comparison.rows[0].metrics[0].count == 2);
  CHECK(comparison.rows[1].seeds == 3);
  CHECK(std::abs(comparison.rows[1].metrics[0].mean - 0.6) < 1e-12);
  CHECK(std::abs(comparison.rows[1].metrics[0].half_width - 4.3026527 * 0.1 / std::sqrt(3)) < 1e-6);
}

TEST_CASE("only what differs is shown, the objective first", "[comparison]") {
  const Comparison comparison = compare_trials(heads(), aim("train.loss", false));
  CHECK(comparison.metrics == Names{"train.loss", "evaluate.greedy"});
  CHECK(comparison.metrics_left_out == 1);  // the count, although one trial has none
  CHECK(comparison.common ==
        std::vector<std::pair<std::string, std::string>>{{"model.width", "64"}});
}

TEST_CASE("if all metrics are equal, they are shown anyway", "[comparison]") {
  const Table table = parse_csv("a,trial,x.m,x.n\n1,t,3,4\n2,u,3,4\n", "t");
  CHECK(compare_trials(table, {}).metrics == Names{"x.m", "x.n"});
  CHECK(compare_trials(table, aim("x.n")).metrics == Names{"x.n", "x.m"});
}

TEST_CASE("an objective that is the same everywhere is still shown", "[comparison]") {
  const Comparison comparison = compare_trials(heads(), aim("evaluate.count"));
  CHECK(comparison.metrics[0] == "evaluate.count");
  CHECK(comparison.metrics_left_out == 0);
}

TEST_CASE("metrics that are expected come first, then those that seeds explain least",
          "[comparison]") {
  // `b` differs more between the values of n than between seeds, `a` does not; `size` only depends
  // on n.
  const Table table = parse_csv(
      "n,seed,trial,x.a,x.b,x.kept,x.size\n"
      "1,1,t,0.1,0.50,0.97,100\n"
      "1,2,u,0.9,0.51,0.96,100\n"
      "2,1,v,0.2,0.70,0.97,200\n"
      "2,2,w,0.8,0.71,0.98,200\n",
      "t");
  CHECK(compare_trials(table, {}).metrics == Names{"x.b", "x.kept", "x.a", "x.size"});
  ComparisonOptions options;
  options.expected = {"x.kept", "y.none"};
  CHECK(compare_trials(table, options).metrics == Names{"x.kept", "x.b", "x.a", "x.size"});
  options.objective = "x.a";
  CHECK(compare_trials(table, options).metrics == Names{"x.a", "x.kept", "x.b", "x.size"});
  options.most_metrics = 2;
  CHECK(compare_trials(table, options).metrics == Names{"x.a", "x.kept"});
}

TEST_CASE("without seeds, metrics that differ most for their size come first", "[comparison]") {
  const Table table = parse_csv(
      "n,trial,x.a,x.b,x.c\n"
      "1,t,1000,0.1,5\n"
      "2,u,1001,0.4,5\n"
      "3,v,1002,0.2,4\n",
      "t");
  CHECK(compare_trials(table, {}).metrics == Names{"x.b", "x.c", "x.a"});
}

TEST_CASE("requested metrics are shown in their order, after the objective", "[comparison]") {
  ComparisonOptions options = aim("evaluate.greedy");
  options.metrics = {"train.loss", "evaluate"};
  options.most_metrics = 1;
  const Comparison comparison = compare_trials(heads(), options);
  CHECK(comparison.metrics == Names{"evaluate.greedy", "train.loss", "evaluate.count"});
  CHECK(comparison.metrics_left_out == 0);
  CHECK(comparison.rows[0].values == Names{"4"});  // still sorted by the objective
}

TEST_CASE("a failed trial is marked, and is never the best, whatever it reached", "[comparison]") {
  ComparisonOptions options = aim("evaluate.greedy");
  options.failed = {"b"};
  const Comparison comparison = compare_trials(one_seed(), options);
  CHECK(comparison.rows[0].values == Names{"post", "0.01"});
  CHECK(comparison.rows[0].failed == 1);
  CHECK_FALSE(comparison.rows[0].best);
  CHECK(comparison.rows[1].best);
  CHECK(to_text(comparison).find("! 1 failed") != std::string::npos);
  CHECK(to_table(comparison).to_csv().find("post,0.01,0.87654,,,1,1,0") != std::string::npos);
}

TEST_CASE("rows with more of the resource come first, and the best is among those with the most",
          "[comparison]") {
  ComparisonOptions options = aim("x.m");
  options.resource = "epochs";
  const Comparison comparison = compare_trials(
      parse_csv("lr,epochs,trial,x.m\n1,3,a,9\n2,3,b,8\n1,27,c,5\n2,27,d,6\n", "t"), options);
  Names order;
  for (const Comparison::Row& row : comparison.rows) {
    order.push_back(row.values[0] + " " + row.values[1]);
    CHECK(row.best == (order.size() == 1));
  }
  CHECK(order == Names{"2 27", "1 27", "1 3", "2 3"});
  // The star is not at the highest value, so the text says among whom it is the best.
  CHECK(to_text(comparison).ends_with("\n* best x.m (highest) of those with epochs=27\n"));
  CHECK(to_markdown(comparison).ends_with("\nbold: best x.m (highest)\n"));
}

TEST_CASE("if all rows have the same of the resource, the best is simply the best",
          "[comparison]") {
  ComparisonOptions options = aim("x.m");
  options.resource = "epochs";
  const Table table = parse_csv("lr,epochs,trial,x.m\n1,3,a,9\n2,3,b,8\n", "t");
  CHECK(to_text(compare_trials(table, options))
            .ends_with("\n* best x.m (highest)\nthe same everywhere: epochs=3\n"));
}

TEST_CASE("rows and metrics can be limited", "[comparison]") {
  ComparisonOptions options = aim("evaluate.greedy");
  options.most_metrics = 1;
  options.most_rows = 1;
  const Comparison comparison = compare_trials(heads(), options);
  CHECK(comparison.metrics == Names{"evaluate.greedy"});
  CHECK(comparison.metrics_left_out == 2);
  CHECK(comparison.rows.size() == 1);
  CHECK(comparison.rows_left_out == 1);
  CHECK(to_text(comparison).ends_with("\n1 more row\n2 more metrics: --metrics all\n"));
}

TEST_CASE("each trial can have its own row", "[comparison]") {
  ComparisonOptions options = aim("evaluate.greedy");
  options.each = true;
  const Comparison comparison = compare_trials(heads(), options);
  CHECK_FALSE(comparison.replicated);
  CHECK(comparison.axes == Names{"model.heads", "seed"});
  REQUIRE(comparison.rows.size() == 6);
  CHECK(comparison.rows[0].values == Names{"4", "2"});
  CHECK(comparison.rows[5].values == Names{"4", "3"});  // without a value: last
  CHECK(comparison.rows[5].seeds == 0);
}

TEST_CASE("rows are sorted by the objective, the best first, and stay in order without one",
          "[comparison]") {
  const auto order = [](const ComparisonOptions& options) {
    std::string rates;
    for (const Comparison::Row& row : compare_trials(one_seed(), options).rows) {
      rates += row.values[1] + (row.best ? "* " : " ");
    }
    return rates;
  };
  CHECK(order(aim("evaluate.greedy")) == "0.01* 0.1 0.001 ");
  CHECK(order(aim("evaluate.greedy", false)) == "0.1* 0.01 0.001 ");
  CHECK(order({}) == "0.1 0.01 0.001 ");
}

TEST_CASE("rows that are equally good are all the best, in order", "[comparison]") {
  const Table table = parse_csv("a,trial,x.m\n1,t,0.5\n2,u,1\n3,v,1\n", "t");
  const Comparison comparison = compare_trials(table, aim("x.m"));
  CHECK(comparison.rows[0].values == Names{"2"});
  CHECK(comparison.rows[0].best);
  CHECK(comparison.rows[1].best);
  CHECK_FALSE(comparison.rows[2].best);
}

TEST_CASE("no row is the best if none has a value", "[comparison]") {
  const Comparison comparison =
      compare_trials(parse_csv("a,trial,x.m\n1,t,\n2,u,\n", "t"), aim("x.m"));
  CHECK_FALSE(comparison.rows[0].best);
  CHECK(to_text(comparison).find("best") == std::string::npos);
}

TEST_CASE("a metric that its stage does not have is a mistake", "[comparison]") {
  CHECK_THROWS_MATCHES(compare_trials(heads(), aim("evaluate.gredy")), Error,
                       Message("no trial has the metric 'evaluate.gredy'; did you mean "
                               "'evaluate.greedy'?"));
  ComparisonOptions options;
  options.metrics = {"evaluate.something_else"};
  CHECK_THROWS_MATCHES(compare_trials(heads(), options), Error,
                       Message("no trial has the metric 'evaluate.something_else'; there are "
                               "evaluate.count, evaluate.greedy"));
}

TEST_CASE("a metric of a stage that has not run has no values yet", "[comparison]") {
  const Comparison comparison = compare_trials(one_seed(), aim("prune.kept"));
  CHECK(comparison.metrics == Names{"prune.kept", "evaluate.greedy"});
  CHECK(comparison.metrics_left_out == 0);
  CHECK(std::isnan(comparison.rows[0].metrics[0].mean));
}

TEST_CASE("a cell that is not a number is reported with its location", "[comparison]") {
  CHECK_THROWS_MATCHES(compare_trials(parse_csv("a,trial,x.m\n1,t,lots\n", "t"), {}), Error,
                       Message("row 1, column 'x.m': 'lots' is not a number"));
}

TEST_CASE("a comparison is aligned for a terminal", "[comparison]") {
  CHECK(to_text(compare_trials(heads(), aim("evaluate.greedy"))) ==
        "  model.heads    evaluate.greedy         train.loss   seeds\n"
        "*           4  0.93 [0.61, 1.00]  0.15 [0.00, 0.79]  2 of 3\n"
        "            2        0.60 ± 0.25        1.10 ± 0.25       3\n"
        "\n"
        "* best evaluate.greedy (highest)\n"
        "± 95 % interval of the mean over seeds\n"
        "[low, high]: the same interval, cut where the metric cannot be (a share: 0 to 1; a count: "
        "from 0)\n"
        "the same everywhere: model.width=64\n"
        "1 more metric: --metrics all\n");
}

TEST_CASE("a comparison without seeds or objective is plain", "[comparison]") {
  CHECK(to_text(compare_trials(one_seed(), {})) ==
        "norm     lr  evaluate.greedy\n"
        "pre     0.1              0.5\n"
        "post   0.01           0.8765\n"
        "pre   0.001                –\n");
}

TEST_CASE("a comparison of a single trial lists its axes below", "[comparison]") {
  const Table table = parse_csv("lr,seed,trial,x.m\n0.1,1,t,0.5\n", "t");
  CHECK(to_text(compare_trials(table, aim("x.m"))) ==
        "  x.m\n"
        "* 0.5\n"
        "\n"
        "* best x.m (highest)\n"
        "the same everywhere: lr=0.1, seed=1\n");
  CHECK(to_text(compare_trials(parse_csv("lr,trial,x.m\n", "t"), aim("x.m"))) == "no trials\n");
}

TEST_CASE("a comparison is a table in markdown, with the best in bold", "[comparison]") {
  CHECK(to_markdown(compare_trials(parse_csv("n|m,seed,trial,x.m\na*b,1,t,0.5\nc,1,u,1\n", "t"),
                                   aim("x.m", false))) ==
        "| n\\|m | x.m |\n"
        "| --- | ---: |\n"
        "| **a\\*b** | **0.5** |\n"
        "| c | 1 |\n"
        "\n"
        "bold: best x.m (lowest)\n"
        "\n"
        "the same everywhere: seed=1\n");
}

TEST_CASE("a comparison is a table of numbers for spreadsheets", "[comparison]") {
  ComparisonOptions options = aim("x.m");
  CHECK(to_table(
            compare_trials(parse_csv("a,seed,trial,x.m\n1,1,t,1\n1,2,u,3\n2,1,v,9\n2,2,w,\n", "t"),
                           options))
            .to_csv() ==
        "a,x.m,x.m low,x.m high,seeds,failed,best\n"
        "2,9,,,1,0,1\n"
        "1,2,0,14.7062,2,0,0\n");
}

TEST_CASE("a comparison is JSON for programs", "[comparison]") {
  const Json json = to_json(compare_trials(one_seed(), aim("evaluate.greedy")));
  CHECK(json["axes"] == Json{"norm", "lr"});
  CHECK(json["objective"] == "evaluate.greedy");
  CHECK(json["rows"][0] ==
        Json{{"axes", {{"norm", "post"}, {"lr", 0.01}}},
             {"metrics",
              {{"evaluate.greedy",
                {{"mean", 0.87654}, {"low", nullptr}, {"high", nullptr}, {"count", 1}}}}},
             {"trials", 1},
             {"seeds", 1},
             {"failed", 0},
             {"best", true}});
  CHECK(json["rows"][2]["metrics"]["evaluate.greedy"]["mean"].is_null());
}

TEST_CASE("a mean is shown with the digits that its interval justifies", "[comparison]") {
  CHECK(interval_text({0.99312, 0.00423, 3}) == "0.9931 ± 0.0042");
  CHECK(interval_text({0.5, 0.0996, 3}) == "0.50 ± 0.10");
  CHECK(interval_text({1234.56, 12.3, 3}) == "1235 ± 12");
  CHECK(interval_text({-0.001, 0.12, 3}) == "0.00 ± 0.12");
  CHECK(interval_text({0.25, 0, 3}) == "0.25 ± 0");
  CHECK(interval_text({0.9997, 0.0012, 3, {0, 1}}) == "0.9997 [0.9985, 1.0000]");
  CHECK(interval_text({8, 12.1, 3, {.low = 0}}) == "8 [0, 20]");
  CHECK(interval_text({0.5, 0.12, 3, {0, 1}}) == "0.50 ± 0.12");
  CHECK(interval_text({3e-12, 1.26e-13, 3}) == "3e-12 ± 1.3e-13");
}

TEST_CASE("a mean without an interval has four significant digits, and integers all of theirs",
          "[comparison]") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  CHECK(interval_text({0.876543, kNone, 1}) == "0.8765");
  CHECK(interval_text({12345.6, kNone, 1}) == "12346");
  CHECK(interval_text({12345678, kNone, 1}) == "12345678");
  CHECK(interval_text({0.0000123456, kNone, 1}) == "1.235e-05");
  CHECK(interval_text({1, kNone, 1}) == "1");
  CHECK(interval_text({kNone, kNone, 0}).empty());
  CHECK(interval_text({std::numeric_limits<double>::infinity(), kNone, 1}) == "inf");
  CHECK(interval_text({5e199, std::numeric_limits<double>::infinity(), 2}) == "5e+199 ± inf");
}

TEST_CASE("a thousand trials are compared quickly", "[comparison]") {
  Names columns = {"lr", "seed", "trial"};
  for (int i = 0; i < 10; ++i) columns.push_back("evaluate.m" + std::to_string(i));
  Table table(columns);
  for (int trial = 0; trial < 1000; ++trial) {
    Names row = {std::to_string(trial / 2), std::to_string(trial % 2), std::to_string(trial)};
    for (int i = 0; i < 10; ++i) row.push_back(std::to_string(trial * i));
    table.add(row);
  }
  const std::clock_t start = std::clock();  // of the processor: others may keep the machine busy
  const std::string text = to_text(compare_trials(table, aim("evaluate.m1")));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(text.size() > 10'000);
  CHECK(seconds < (testing::kSanitized ? 20 : 1));  // some milliseconds
}

}  // namespace
}  // namespace headway
