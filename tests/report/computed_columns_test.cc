// group() and add(): tables with columns that no artifact has.
#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/report/evaluator.h"
#include "lib/report/functions.h"

namespace headway::testing {
namespace {

Sources tests_by_length() {
  Sources sources;
  sources.add("tests", {{"", "test.table", "t.csv",
                         "model,length,right,count\na,8,90,100\nb,8,80,100\na,16,50,100\nb,16,70,"
                         "100\n"}});
  sources.add("models", {{"", "models.table", "m.csv", "model,encoding\na,none\nb,rope\n"}});
  return sources;
}

// The value of an expression as Markdown, or the mistake in it.
std::string computed(const std::string& text, const std::string& format = "") {
  const Sources sources = tests_by_length();
  try {
    Evaluator evaluator(sources, nullptr);
    return evaluator.text(ExpressionReader(text).expression(), format);
  } catch (const Error& error) {
    return std::string("mistake: ") + error.what();
  }
}

const std::string kGroups = "group(tests, \"model\")";

TEST_CASE("a group has its key values and its rows", "[report]") {
  CHECK(computed("list(" + kGroups + ", model)") == "a and b");
  CHECK(computed("list(" + kGroups + ", sum(rows, right))") == "140 and 150");
  CHECK(computed("list(last(" + kGroups + ").rows, length)") == "8 and 16");
  CHECK(computed("count(group(tests, \"model\", \"length\"))") == "4");
  CHECK(computed("list(group(sort(tests, -length), \"length\"), length)") == "16 and 8");
  CHECK(computed("count(group(where(tests, right > 100), \"model\"))") == "0");
}

TEST_CASE("a computed column holds the result of an expression: numbers, rows, tables",
          "[report]") {
  const std::string shares = "add(tests, \"share\", right / count)";
  CHECK(computed("list(" + shares + ", share)") == "0.9, 0.8, 0.5 and 0.7");
  CHECK(computed("first(sort(" + shares + ", share)).model") == "a");
  const std::string best = "add(" + kGroups + ", \"best\", first(sort(rows, -right)))";
  CHECK(computed("first(" + best + ").best.length") == "8");
  CHECK(computed("list(where(" + best + ", best.right > 85), model)") == "a");
  CHECK(computed("is(first(add(tests, \"x\", first(where(tests, right > 100)))).x)") == "false");
  CHECK(computed("list(columns(" + shares + "))") == "model, length, right, count and share");
}

TEST_CASE("an inner row hides columns of the outer one, and sees its other columns", "[report]") {
  const std::string limits = "add(" + kGroups + ", \"limit\", max(rows, right))";
  CHECK(computed("list(" + limits + ", count(where(rows, right < limit)))") == "1 and 1");
  CHECK(computed("list(" + kGroups + ", count(where(tests, model == model)))") == "4 and 4");
}

TEST_CASE("computed columns are joined with their rows", "[report]") {
  CHECK(computed("list(join(" + kGroups + ", models, \"model\"), encoding + sum(rows, right))") ==
        "none140 and rope150");
  const std::string twice = "join(" + kGroups + ", " + kGroups + ", \"model\")";
  CHECK(computed("list(columns(" + twice + "))") == "model, rows and rows_2");
  CHECK(computed("list(" + twice + ", sum(rows_2, right))") == "140 and 150");
  CHECK(computed("list(join(tests, " + kGroups + ", \"model\"), count(rows))") == "2, 2, 2 and 2");
}

TEST_CASE("a list is written with commas, each item in the list's format", "[report]") {
  CHECK(computed("values(" + kGroups + ", model)", "code") == "`a` and `b`");
  CHECK(computed("values(tests, right / count)", "percent") == "90 %, 80 %, 50 % and 70 %");
  CHECK(computed("values(where(tests, right > 100), model)", "code").empty());
}

TEST_CASE("a share is written with its interval", "[report]") {
  CHECK(computed("share(379, 400)") == "94.8 % (92.1–96.5)");
  CHECK(computed("share(400, 400)") == "100 % (99.05–100)");
  CHECK(computed("share(0, 0)").empty());
  CHECK(computed("share(2, 1)").starts_with("mistake: "));
}

TEST_CASE("mistakes in groups and computed columns are reported", "[report]") {
  CHECK(computed("count(group(tests, \"modle\"))") ==
        "mistake: test.table has no column 'modle' to group by; did you mean 'model'?");
  CHECK(computed("count(add(tests, \"right\", 1))") ==
        "mistake: test.table has a column 'right' already");
  CHECK(computed("count(group(group(tests, \"model\"), \"rows\"))").starts_with("mistake: "));
  CHECK(computed("list(" + kGroups + ", rows)") ==
        "mistake: a number or a text is expected, not a table");
  CHECK(
      computed("list(" + kGroups + ", rows.length)").starts_with("mistake: test.table is a table"));
}

TEST_CASE("nesting of tables is limited", "[report]") {
  const Sources sources = tests_by_length();
  Evaluator evaluator(sources, nullptr);
  evaluator.define("t", evaluator.value(ExpressionReader(kGroups).expression()));
  const Expression deeper = ExpressionReader("group(t, \"model\")").expression();
  const auto nest = [&] {
    for (int i = 0; i < 100; ++i) evaluator.define("t", evaluator.value(deeper));
  };
  CHECK_THROWS_AS(nest(), Error);
}

}  // namespace
}  // namespace headway::testing
