// What `lines`, `points` and `bars` say of options and tables that they cannot draw.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

FigureOptions of_columns(const std::string& x, const std::vector<std::string>& y) {
  FigureOptions options;
  options.x = x;
  options.y = y;
  return options;
}

std::string mistake_in(const std::string& kind, const std::string& table,
                       const FigureOptions& options = of_columns("x", {"y"})) {
  const std::string before = "figure '" + kind + "': ";
  const std::string message = mistake(kind, {csv("", table)}, options);
  if (!message.starts_with(before)) return message;
  return message.substr(before.size());
}

TEST_CASE("a column that is not there is reported with those that are", "[report]") {
  FigureOptions options = of_columns("step", {"los"});
  CHECK(mistake_in("lines", "step,loss,rate\n1,1,1\n", options) ==
        "the table has no column 'los'; it has step, loss, rate; did you mean 'loss'?");
  options.y = {"loss", "a\nb"};
  CHECK(mistake_in("lines", "step,loss\n1,1\n", options) ==
        "the table has no column 'a\\nb'; it has step, loss");
  options.y = {"loss"};
  options.series = "model";
  CHECK(mistake_in("bars", "step,loss\n1,1\n", options) ==
        "the table has no column 'model'; it has step, loss");
  options.series = "";
  options.panels = "task";
  CHECK(contains(mistake_in("points", "step,loss\n1,1\n", options), "no column 'task'"));
  options.panels = "";
  options.low = {"lo"};
  options.high = {"hi"};
  CHECK(contains(mistake_in("points", "step,loss,lo\n1,1,0\n", options), "no column 'hi'"));
  CHECK(
      mistake("lines", {csv("a", "x,y\n1,1\n"), csv("b", "x,z\n1,1\n")}, of_columns("x", {"y"})) ==
      "figure 'lines': table 'b' has no column 'y'; it has x, z; did you mean 'x'?");
}

TEST_CASE("a text where a number is needed is reported with its place", "[report]") {
  CHECK(mistake_in("lines", "x,y\n1,1\n2,many\n") ==
        "the table: row 2, column 'y': 'many' is not a number");
  CHECK(mistake_in("lines", "x,y\n1,1\ntwo,2\n") ==
        "the table, row 2: column 'x' must be a number (kinds 'points' and 'bars' also take "
        "texts), not 'two'");
  FigureOptions options = of_columns("x", {"y"});
  options.low = {"low"};
  options.high = {"high"};
  CHECK(contains(mistake_in("bars", "x,y,low,high\n1,1,?,2\n", options),
                 "column 'low': '?' is not a"));
  options = of_columns("x", {"y"});
  options.log = {"x"};
  CHECK(mistake_in("points", "x,y\n1,1\ntwo,2\n", options) ==
        "the table: row 2, column 'x': 'two' is not a number");
}

TEST_CASE("a row without a place along x is reported, not left out", "[report]") {
  for (const char* kind : {"lines", "points", "bars"}) {
    CHECK(mistake_in(kind, "x,y\n1,1\n,2\n") ==
          "the table, row 2: column 'x' must be a number, not ''");
    CHECK(mistake_in(kind, "x,y\n1,1\nnan,2\n") ==
          "the table, row 2: column 'x' must be a number, not 'nan'");
  }
}

TEST_CASE("numbers that cannot be drawn are reported", "[report]") {
  CHECK(mistake_in("lines", "x,y\n1,inf\n") ==
        "the table, row 1: column 'y' is too large to be drawn: 'inf'");
  CHECK(mistake_in("lines", "x,y\n1,-1e301\n") ==
        "the table, row 1: column 'y' is too large to be drawn: '-1e301'");
  CHECK(
      contains(mistake_in("points", "x,y\ninf,1\n"), "column 'x' is too large to be drawn: 'inf'"));
}

TEST_CASE("nan is reported, not left out like an empty cell", "[report]") {
  for (const char* kind : {"lines", "points", "bars"}) {
    CHECK(mistake_in(kind, "x,y\n1,5\n2,nan\n3,6\n") ==
          "the table, row 2: column 'y' cannot be drawn (only an empty cell is a gap): 'nan'");
  }
  FigureOptions options = of_columns("x", {"y"});
  options.low = {"low"};
  options.high = {"y"};
  CHECK(contains(mistake_in("lines", "x,y,low\n1,1,NaN\n", options), "column 'low' cannot be"));
  options = {};
  options.x = "x";
  options.rows = "r";
  options.metric = "y";
  CHECK(contains(mistake_in("heatmap", "x,r,y\n1,1,nan\n2,1,3\n", options),
                 "row 1: column 'y' cannot be drawn"));
}

TEST_CASE("zero and negative numbers are reported on a logarithmic axis alone", "[report]") {
  FigureOptions options = of_columns("x", {"y"});
  CHECK(mistake_in("lines", "x,y\n-1,0\n", options) == "");
  options.log = {"y"};
  CHECK(mistake_in("lines", "x,y\n1,1\n0,0\n", options) ==
        "the table, row 2: column 'y' must be above 0 on a logarithmic axis, not '0'");
  CHECK(contains(mistake_in("bars", "x,y\n1,-2\n", options), "must be above 0"));
  options.log = {"x"};
  CHECK(mistake_in("lines", "x,y\n1,1\n-3,0\n", options) ==
        "the table, row 2: column 'x' must be above 0 on a logarithmic axis, not '-3'");
  options.log = {"y"};
  options.low = {"low"};
  options.high = {"y"};
  CHECK(contains(mistake_in("lines", "x,y,low\n1,1,0\n", options), "column 'low' must be above 0"));
}

TEST_CASE("an interval that is upside down is reported", "[report]") {
  FigureOptions options = of_columns("x", {"y"});
  options.low = {"low"};
  options.high = {"high"};
  CHECK(mistake_in("points", "x,y,low,high\n1,1,2,0.5\n", options) ==
        "the table, row 1: column 'low' must not be above 'high', 0.5, but is '2'");
}

TEST_CASE("two rows at one place of a line or bar are reported", "[report]") {
  CHECK(mistake_in("lines", "x,y\n1,1\n2,1\n1.0,2\n") ==
        "the table, row 3: another row has the same x '1.0'; 'series' or 'panels' can name a "
        "column that tells them apart");
  CHECK(contains(mistake_in("bars", "x,y\na,1\na,2\n"), "row 2: another row has the same x 'a'"));
  FigureOptions options = of_columns("x", {"y"});
  options.panels = "p";
  CHECK(mistake_in("lines", "x,y,p\n1,1,a\n1,1,b\n", options) == "");
}

TEST_CASE("a column of gaps alone is reported", "[report]") {
  CHECK(mistake_in("lines", "x,y\n1,\n2,\n") == "the table: column 'y' has no number in any row");
  CHECK(mistake("bars", {csv("a", "x,y\n1,\n"), csv("b", "x,y\n1,\n")}, of_columns("x", {"y"})) ==
        "figure 'bars': the tables: column 'y' has no number in any row");
}

TEST_CASE("tables of one name are reported", "[report]") {
  CHECK(
      mistake("lines", {csv("a", "x,y\n1,1\n"), csv("a", "x,y\n1,1\n")}, of_columns("x", {"y"})) ==
      "figure 'lines': two tables are called 'a': they cannot be told apart");
}

TEST_CASE("more than can be shown is refused", "[report]") {
  std::string table = "x,y,s\n";
  for (int i = 0; i < 29; ++i) table += fmt::format("1,1,s{}\n", i);
  FigureOptions options = of_columns("x", {"y"});
  options.series = "s";
  CHECK(mistake_in("lines", table, options) ==
        "29 series that must be told apart are too many (at most 28); 'panels' can name a column "
        "that splits them");
  CHECK(contains(mistake_in("bars", table, options), "(at most 7)"));
  options.series = "";
  options.panels = "s";
  CHECK(mistake_in("lines", table, options) ==
        "29 panels are too many (at most 24); 'panels' should name a column with fewer values");
  std::string texts = "x,y\n";
  for (int i = 0; i < 101; ++i) texts += fmt::format("t{},1\n", i);
  CHECK(contains(mistake_in("points", texts), "101 values of 'x' are too many (at most 100)"));
  CHECK(contains(mistake_in("bars", texts), "101 values of 'x' are too many (at most 100)"));
}

TEST_CASE("options that are missing or contradict each other are reported", "[report]") {
  const std::string table = "x,y,low,high\n1,1,1,1\n";
  CHECK(mistake_in("lines", table, of_columns("", {"y"})) ==
        "parameter 'x' is missing: the column that goes to the right");
  CHECK(mistake_in("lines", table, of_columns("x", {})) ==
        "parameter 'y' is missing: the column, or columns, to draw");
  CHECK(mistake_in("lines", table, of_columns("x", {"y", "y"})) ==
        "parameter 'y' names column 'y' twice");
  FigureOptions options = of_columns("x", {"y"});
  options.high = {"high"};
  CHECK(mistake_in("lines", table, options) ==
        "parameter 'low' is missing: an interval has two ends, 'low' and 'high'");
  options.low = {"low", "high"};
  CHECK(mistake_in("lines", table, options) ==
        "parameter 'low' must name as many columns as 'y', 1, not 2");
  options = of_columns("x", {"y"});
  options.log = {"x"};
  CHECK(mistake_in("bars", table, options) ==
        "parameter 'log': bars stand side by side; only y can be logarithmic");
}

}  // namespace
}  // namespace headway::testing
