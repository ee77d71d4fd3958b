// `lines`, `points` and `bars`: what each option does with a table.
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include "lib/figures/gnuplot.h"
#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

FigureOptions of(const std::string& x, const std::vector<std::string>& y) {
  FigureOptions options;
  options.x = x;
  options.y = y;
  return options;
}

Figure drawn(const std::string& kind, const std::string& table, const FigureOptions& options) {
  const Figure figure = figure_of(kind, {csv("", table)}, options);
  CHECK(draw(figure).warnings == "");
  return figure;
}

const std::string kTable = "step,loss,rate\n1,4,1\n2,3,0.5\n3,1,0.25\n";

TEST_CASE("axes are named by their columns, or as asked", "[report]") {
  FigureOptions options = of("step", {"loss"});
  const Figure figure = drawn("lines", kTable, options);
  CHECK(title_of(figure) == "loss against step");
  CHECK(contains(figure.script, "set label 1 'step' at screen"));
  CHECK(contains(figure.script, "set label 2 'loss' at screen"));
  options.title = "Training";
  options.x_label = "time (h)";
  options.y_label = "loss (nats)";
  const Figure named = drawn("lines", kTable, options);
  CHECK(title_of(named) == "Training");
  CHECK(contains(named.script, "set label 1 'time (h)' at screen"));
  CHECK(contains(named.script, "set label 2 'loss (nats)' at screen"));
}

TEST_CASE("one series has no legend, several columns have", "[report]") {
  CHECK_FALSE(contains(drawn("lines", kTable, of("step", {"loss"})).script, "keyentry"));
  const Figure two = drawn("lines", kTable, of("step", {"loss", "rate"}));
  CHECK(contains(two.script, "title 'loss'"));
  CHECK(contains(two.script, "title 'rate'"));
  CHECK(contains(two.script, "set label 2 'loss, rate'"));
  CHECK(contains(two.data, "# 1: rate: values\n# x\tvalue\n1\t1\n2\t0.5\n3\t0.25\n"));
}

TEST_CASE("lines go from left to right, whatever the order of rows", "[report]") {
  CHECK(contains(drawn("lines", "x,y\n3,1\n1,5\n2,4\n", of("x", {"y"})).data,
                 "# x\tvalue\n1\t5\n2\t4\n3\t1\n"));
}

TEST_CASE("values are drawn with all their digits", "[report]") {
  CHECK(contains(
      drawn("lines", "x,y\n1700000000.25,0.123456789\n1700000001,1\n", of("x", {"y"})).data,
      "1700000000.25\t0.123456789\n"));
}

TEST_CASE("an empty cell is a gap in a line", "[report]") {
  const Figure figure = drawn("lines", "x,y\n1,1\n2,2\n3,\n4,4\n5,\n6,6\n7,7\n", of("x", {"y"}));
  CHECK(contains(figure.data, "1\t1\n2\t2\n\n4\t4\n\n6\t6\n7\t7\n"));
}

std::string long_table(int rows, int gap_every) {
  std::string table = "x,y\n";
  for (int i = 1; i <= rows; ++i) {
    table += i % gap_every == 0 ? fmt::format("{},\n", i) : fmt::format("{0},{0}\n", i);
  }
  return table;
}

TEST_CASE("a line of many points has no marks, but what stands alone is a point", "[report]") {
  const Figure few = drawn("lines", long_table(40, 2), of("x", {"y"}));
  CHECK(contains(few.script, "with linespoints"));
  const Figure many = drawn("lines", long_table(90, 1000), of("x", {"y"}));
  CHECK(contains(many.script, "with lines lw"));
  CHECK_FALSE(contains(many.script, "with points"));
  const Figure alone = drawn("lines", long_table(90, 2), of("x", {"y"}));
  CHECK(contains(alone.data, "single values\n# x\tvalue\n1\t1\n\n3\t3\n"));
  CHECK(contains(alone.script, "with points pt 7"));
}

FigureOptions with_interval(FigureOptions options) {
  options.low = {"low"};
  options.high = {"high"};
  return options;
}

TEST_CASE("intervals of lines are bands, of points and bars error bars", "[report]") {
  const std::string table = "x,y,low,high\n1,2,1,3\n2,3,2,4\n3,4,3,9\n";
  const FigureOptions options = with_interval(of("x", {"y"}));
  const Figure lines = drawn("lines", table, options);
  CHECK(contains(lines.script, "using 1:2:3 with filledcurves"));
  CHECK(contains(lines.data, "intervals\n# x\tlow\thigh\n1\t1\t3\n2\t2\t4\n3\t3\t9\n"));
  CHECK(contains(drawn("points", table, options).script, "with vectors heads"));
  CHECK(contains(drawn("bars", table, options).script, "with vectors heads"));
}

TEST_CASE("an interval has one end, none, or no value, and is drawn as far as it is there",
          "[report]") {
  const std::string table = "x,y,low,high\n1,2,1,\n2,3,,4\n3,4,,\n4,,5,6\n5,6,5,7\n";
  const Figure lines = drawn("lines", table, with_interval(of("x", {"y"})));
  CHECK(contains(lines.data, "intervals\n# x\tlow\thigh\n1\t1\t2\n2\t3\t4\n\n4\t5\t6\n5\t5\t7\n"));
  CHECK(contains(lines.data, "values\n# x\tvalue\n1\t2\n2\t3\n3\t4\n\n5\t6\n"));
  const Figure alone =
      drawn("lines", "x,y,low,high\n1,2,1,3\n2,2,,\n3,2,,\n", with_interval(of("x", {"y"})));
  CHECK(contains(alone.data, "single intervals\n# x\tlow\thigh\n1\t1\t3\n"));
  CHECK(contains(alone.script, "with vectors heads"));
}

TEST_CASE("several columns have intervals of their own", "[report]") {
  FigureOptions options = of("x", {"a", "b"});
  options.low = {"a0", "b0"};
  options.high = {"a1", "b1"};
  const Figure figure =
      drawn("points", "x,a,a0,a1,b,b0,b1\n1,5,4,6,15,14,16\n2,5,4,6,15,14,16\n", options);
  CHECK(contains(figure.data, "a: intervals\n# x\tlow\thigh\n1\t4\t6\n"));
  CHECK(contains(figure.data, "b: intervals\n# x\tlow\thigh\n1\t14\t16\n"));
}

TEST_CASE("axes are logarithmic where that is asked for", "[report]") {
  const std::string table = "x,y\n1,10\n10,1000\n100,100000\n";
  FigureOptions options = of("x", {"y"});
  CHECK_FALSE(contains(drawn("lines", table, options).script, "\nset logscale"));
  options.log = {"x"};
  const Figure x = drawn("points", table, options);
  CHECK(contains(x.script, "\nset logscale x\n"));
  CHECK_FALSE(contains(x.script, "\nset logscale y\n"));
  options.log = {"y", "x"};
  const Figure both = drawn("lines", table, options);
  CHECK(contains(both.script, "\nset logscale x\nset logscale y\n"));
  options.log = {"y"};
  CHECK(contains(drawn("bars", table, options).script, "\nset logscale y\n"));
}

TEST_CASE("several tables are series, named by their items", "[report]") {
  const Figure figure = figure_of(
      "lines", {csv("fair", "x,y\n1,1\n2,2\n"), csv("b'ad", "x,y\n1,3\n")}, of("x", {"y"}));
  CHECK(contains(figure.script, "title 'fair'"));
  CHECK(contains(figure.script, "title 'b’ad'"));
  CHECK(contains(figure.data, "# 1: b'ad: values\n"));
  CHECK(title_of(figure) == "y against x");
  CHECK(title_of(figure_of("lines", {csv("fair", "x,y\n1,1\n")}, of("x", {"y"}))) ==
        "y against x (fair)");
}

TEST_CASE("each value of a column is a series: numbers in order, texts as they appear",
          "[report]") {
  FigureOptions options = of("x", {"y"});
  options.series = "s";
  const Figure texts = drawn("lines", "x,y,s\n1,1,rope\n1,2,alibi\n2,3,rope\n1,4,\n", options);
  CHECK(contains(texts.data, "# 0: rope: values\n# x\tvalue\n1\t1\n2\t3\n"));
  CHECK(contains(texts.data, "# 1: alibi: values\n"));
  CHECK(contains(texts.data, "# 2: (none): values\n"));
  const Figure numbers = drawn("lines", "x,y,s\n1,1,10\n1,2,9\n", options);
  CHECK(contains(numbers.data, "# 0: s 9: values\n"));
  CHECK(contains(numbers.data, "# 1: s 10: values\n"));
}

TEST_CASE("tables, values and columns are combined, with colours and dashes", "[report]") {
  FigureOptions options = of("x", {"y", "z"});
  const std::string table = "x,y,z,s\n1,1,2,u\n1,1,2,v\n";
  options.series = "s";
  const Figure figure = figure_of("lines", {csv("a", table), csv("b", table)}, options);
  CHECK(contains(figure.script, "dt 1 lc '#0072B2' title 'a, u, y'"));
  CHECK(contains(figure.script, "dt 2 lc '#0072B2' title 'a, u, z'"));
  CHECK(contains(figure.script, "title 'b, v, z'"));
}

TEST_CASE("a series without a value says so in the legend", "[report]") {
  FigureOptions options = of("x", {"y"});
  options.series = "s";
  CHECK(contains(drawn("lines", "x,y,s\n1,1,a\n1,,b\n", options).script, "title 'b (no value)'"));
}

TEST_CASE("each value of a column is a panel, with the same ranges", "[report]") {
  FigureOptions options = of("x", {"y"});
  options.panels = "p";
  const Figure figure = drawn("points", "x,y,p\n1,1,a\n9,9,b\n5,5,c\n2,2,d\n3,,e\n", options);
  for (const char* title : {"a", "b", "c", "d", "e"}) {
    CHECK(contains(figure.script, fmt::format("set title '{}' ", title)));
  }
  const std::size_t range = figure.script.find("set yrange");
  CHECK(figure.script.find("set yrange", range + 1) == std::string::npos);
  CHECK(contains(figure.script, "plot NaN notitle"));  // e has nothing but a gap
  CHECK(contains(drawn("lines", "x,y,p\n1,1,2\n9,9,1\n", options).script, "set title 'p 1' "));
}

TEST_CASE("texts along x are categories in the order of their appearance", "[report]") {
  for (const char* kind : {"points", "bars"}) {
    const Figure figure = drawn(kind, "x,y\nrope,5\nalibi,6\n10,7\n", of("x", {"y"}));
    CHECK(contains(figure.script, "set xtics ('rope' 1, 'alibi' 2, '10' 3)"));
    CHECK(contains(figure.script, "set xrange [0.5:3.5]"));
    CHECK(contains(figure.data, "1\t5\n2\t6\n3\t7\n"));
    CHECK(title_of(figure) == "y by x");
  }
}

TEST_CASE("points may share a place", "[report]") {
  CHECK(
      contains(drawn("points", "x,y\n1,5\n1,5\n1,6\n", of("x", {"y"})).data, "1\t5\n1\t5\n1\t6\n"));
}

TEST_CASE("bars of numbers stand side by side, in order", "[report]") {
  const Figure figure = drawn("bars", "x,y\n100,5\n1,6\n10,7\n", of("x", {"y"}));
  CHECK(contains(figure.script, "set xtics ('1' 1, '10' 2, '100' 3)"));
  CHECK(contains(figure.data, "3\t5\n1\t6\n2\t7\n"));
}

TEST_CASE("many bars of numbers have labels at round distances", "[report]") {
  std::string table = "x,y\n";
  for (int i = 1000; i < 1300; ++i) table += fmt::format("{},{}\n", i, i % 7);
  const Figure figure = drawn("bars", table, of("x", {"y"}));
  CHECK(contains(figure.script, "'1000' 1, '' 2, "));
  CHECK(contains(figure.script, "'1010' 11, '' 12"));
  CHECK(contains(figure.script, "'' 300)"));
}

TEST_CASE("bars begin at 0, below it too", "[report]") {
  const Figure above = drawn("bars", "x,y\na,5\nb,9\n", of("x", {"y"}));
  CHECK(contains(above.script, "set yrange [0:"));
  CHECK(contains(above.script, ":(0):2 with boxxyerror"));
  CHECK_FALSE(contains(above.script, "\nset xzeroaxis"));
  CHECK(contains(drawn("bars", "x,y\na,-5\nb,9\n", of("x", {"y"})).script, "set xzeroaxis"));
  CHECK(contains(drawn("bars", "x,y\na,-5\n", of("x", {"y"})).script, ":0]\n"));
  CHECK(contains(drawn("bars", "x,y\na,0\n", of("x", {"y"})).script, "set yrange [0:"));
}

TEST_CASE("single values, equal values and very large ones are drawn", "[report]") {
  for (const char* kind : {"lines", "points", "bars"}) {
    for (const char* rows : {"1,5\n", "0,0\n", "1,3\n2,3\n", "-1e300,-1e300\n1e300,1e300\n",
                             "1,1e16\n2,1.0000000000000002e16\n", "1,1e-310\n"}) {
      INFO(kind << " " << rows);
      drawn(kind, std::string("x,y\n") + rows, of("x", {"y"}));
    }
  }
}

TEST_CASE("long names and many categories are drawn without a warning", "[report]") {
  const std::string name(200, 'x');
  std::string table = name + ",y,s\n";
  for (int i = 0; i < 100; ++i) table += fmt::format("{0}{1},{1},{0}{2}\n", name, i, i % 3);
  FigureOptions options = of(name, {"y"});
  options.series = "s";
  drawn("bars", table, options);
  options.panels = "s";
  drawn("points", table, options);
  options.size = {400, 900};
  drawn("points", table, options);
}

}  // namespace
}  // namespace headway::testing
