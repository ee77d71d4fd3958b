// How trials are joined over seeds, and messages about tables that do not come from a sweep.
#include "lib/sweep/figures/sweep_table.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

using Catch::Approx;

const std::vector<std::string> kSweepKinds = {"sweep-lines", "sweep-heatmap",
                                              "parallel-coordinates"};

Sweep sweep_of(const std::string& table, const FigureOptions& options = {}) {
  return read_sweep({{"", parse_csv(table, "table.csv")}}, options);
}

// The error message of every kind, which must be the same except for the kind's name.
std::string common_mistake(const std::string& table, const FigureOptions& options = {}) {
  std::string common;
  for (const std::string& kind : kSweepKinds) {
    const std::string message = mistake(kind, {csv("", table)}, options);
    const std::string before = "figure '" + kind + "': ";
    CHECK(message.starts_with(before));
    if (common.empty()) common = message.substr(before.size());
    CHECK(message == before + common);
  }
  return common;
}

TEST_CASE("trials that differ only by seed are one configuration", "[report]") {
  const Sweep sweep = sweep_of(
      "model.n_heads,data.seed,seed,trial,score\n"
      "4,1,1,a,10\n2,1,1,b,30\n4,2,1,c,20\n4,1,2,d,30\n");
  REQUIRE(sweep.axes.size() == 1);
  CHECK(sweep.axes[0].column == "model.n_heads");
  CHECK(sweep.axes[0].name == "n_heads");
  REQUIRE(sweep.configurations.size() == 2);
  CHECK(sweep.configurations[0].values == std::vector<std::size_t>{1});
  CHECK(sweep.configurations[0].metric.mean == Approx(20));
  CHECK(sweep.configurations[0].metric.count == 3);
  CHECK(sweep.configurations[0].metric.half_width == Approx(4.3027 * 10 / std::sqrt(3.0)));
  CHECK(sweep.configurations[1].metric.count == 1);
  CHECK(std::isnan(sweep.configurations[1].metric.half_width));
  CHECK(sweep.best == 1);
}

TEST_CASE("only axes whose last part is seed are replicates", "[report]") {
  CHECK(sweep_of("n_seed,seed.n,trial,score\n1,1,1,2\n").axes.size() == 2);
}

TEST_CASE("a requested seed axis is a normal axis", "[report]") {
  FigureOptions options;
  options.x = "seed";
  const Sweep sweep = sweep_of("seed,trial,score\n1,1,10\n2,2,20\n", options);
  CHECK(sweep.axes.size() == 1);
  CHECK(sweep.configurations.size() == 2);
}

TEST_CASE("failed trials do not count, and a configuration without any result is kept",
          "[report]") {
  const Sweep sweep = sweep_of("n,seed,trial,score\n1,1,1,5\n1,2,2,\n2,1,3,\n3,1,4,inf\n");
  REQUIRE(sweep.configurations.size() == 3);
  CHECK(sweep.configurations[0].metric.count == 1);
  CHECK(sweep.configurations[0].metric.mean == 5);
  CHECK_FALSE(sweep.configurations[1].has_result());
  CHECK_FALSE(sweep.configurations[2].has_result());
  CHECK(sweep.best == 0);
}

TEST_CASE("the goal determines the best", "[report]") {
  const std::string table = "n,trial,score\n1,1,7\n2,2,5\n3,3,9\n4,4,\n";
  FigureOptions options;
  CHECK(sweep_of(table, options).best == 2);
  options.goal = Goal::kMin;
  CHECK(sweep_of(table, options).best == 1);
}

TEST_CASE("shares are in percent, losses are not", "[report]") {
  const Sweep share = sweep_of("n,trial,greedy\n1,1,0.25\n2,2,1\n3,3,\n");
  CHECK(share.is_share);
  CHECK(share.configurations[0].metric.mean == Approx(25));
  CHECK(share.metric_name() == "greedy (%)");
  CHECK(share.value_text(99.999) == "99.99 %");
  CHECK_FALSE(sweep_of("n,trial,greedy\n1,1,0.25\n2,2,1.01\n").is_share);
  CHECK_FALSE(sweep_of("n,trial,delta\n1,1,-0.25\n").is_share);
  CHECK_FALSE(sweep_of("n,trial,train.val_loss\n1,1,0.25\n").is_share);
}

TEST_CASE("a range of means is never empty, and no share exceeds 100", "[report]") {
  CHECK(range_of_means(sweep_of("n,trial,m\n1,1,20\n2,2,40\n")).low == 20);
  CHECK(range_of_means(sweep_of("n,trial,m\n1,1,20\n2,2,40\n"), 0.1).high == Approx(42));
  for (const char* value : {"0", "1", "5", "-3"}) {
    const Range range = range_of_means(sweep_of(std::string("n,trial,m\n1,1,") + value + "\n"));
    CHECK(range.low < range.high);
  }
  CHECK(range_of_means(sweep_of("n,trial,m\n1,1,1\n2,2,0.9\n"), 0.1).high == 100);
}

TEST_CASE("tables that do not come from a sweep are reported", "[report]") {
  CHECK(common_mistake("a,b\n1,2\n") == "the table has no column 'trial'; it has a, b");
  CHECK(common_mistake("n,trial,score\n") == "the table has no rows: nothing to draw");
  CHECK(common_mistake("n,trial\n1,1\n") == "the table has no metrics: no column after 'trial'");
  CHECK(common_mistake("seed,trial,score\n1,1,5\n") ==
        "the table has no axes but seeds: before 'trial' it has seed");
  CHECK(common_mistake("trial,score\n1,5\n") ==
        "the table has no axes but seeds: before 'trial' it has none");
  CHECK(common_mistake("n,trial,score\n1,1,good\n") ==
        "the table: row 1, column 'score': 'good' is not a number");
  CHECK(common_mistake("n,trial,score\n1,1,\n2,2,nan\n") ==
        "the table: column 'score' has no number in any row");
  for (const std::string& kind : kSweepKinds) {
    const FigureSource table = csv("a", "n,m,trial,score\n1,1,1,5\n");
    CHECK(mistake(kind, {table, table}) ==
          "figure '" + kind + "': it is drawn from one table, not 2");
  }
}

TEST_CASE("a metric must be chosen if there are several", "[report]") {
  const std::string table = "n,m,trial,greedy,loss\n1,1,1,0.5,2\n";
  CHECK(common_mistake(table) ==
        "parameter 'metric' is missing: the table has several metrics, greedy, loss");
  FigureOptions options;
  options.metric = "gredy";
  CHECK(common_mistake(table, options) ==
        "parameter 'metric': the table has no metric 'gredy'; it has greedy, loss; did you mean "
        "'greedy'?");
  options.metric = "n";
  CHECK(common_mistake(table, options)
            .starts_with("parameter 'metric': the table has no metric 'n'"));
}

TEST_CASE("missing axes are reported with the existing ones", "[report]") {
  const std::string table = "model.n_heads,seed,trial,score\n1,1,1,5\n";
  FigureOptions options;
  options.x = "model.n_head";
  CHECK(mistake("sweep-lines", {csv("", table)}, options) ==
        "figure 'sweep-lines': parameter 'x': the table has no axis 'model.n_head'; it has "
        "model.n_heads, seed; did you mean 'model.n_heads'?");
  options.x = "score";
  CHECK(contains(mistake("sweep-lines", {csv("", table)}, options), "no axis 'score'; it has"));
}

TEST_CASE("names have as many parts as tell them apart", "[report]") {
  CHECK(short_names({"model.n_heads", "train.lr", "seed"}) ==
        std::vector<std::string>{"n_heads", "lr", "seed"});
  CHECK(short_names({"encoder.layer.size", "decoder.layer.size", "a.size"}) ==
        std::vector<std::string>{"encoder.layer.size", "decoder.layer.size", "a.size"});
  CHECK(short_names({"size", "a.size"}) == std::vector<std::string>{"size", "a.size"});
  CHECK(short_names({"x.", ".y", ""}) == std::vector<std::string>{"x.", "y", ""});
}

}  // namespace
}  // namespace headway::testing
