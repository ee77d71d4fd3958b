#include "lib/report/reading.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/base/error.h"

namespace headway {
namespace {

template <class Read>
std::string reading_error(Read read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Table reading_table(const std::string& cell) {
  return parse_csv("count,other\n" + cell + ",1\n", "a.table");
}

TEST_CASE("counts of a table are whole numbers from 0, or named by row and column", "[reading]") {
  CHECK(whole_number(reading_table("24"), 0, "count", "a.table") == 24);
  CHECK(whole_number(reading_table("0"), 0, "count", "a.table") == 0);
  for (const char* cell : {"-1", "2.5", "1e300"}) {
    INFO(cell);
    CHECK(reading_error([&] { whole_number(reading_table(cell), 0, "count", "a.table"); }) ==
          std::string("a.table: row 1, column 'count': a whole number from 0 is expected, not '") +
              cell + "'");
  }
  for (const char* cell : {"", "nan", "inf", "x"}) {
    INFO(cell);
    CHECK(reading_error([&] {
            whole_number(reading_table(cell), 0, "count", "a.table");
          }).starts_with("a.table: "));
  }
}

TEST_CASE("a number may be missing only where it is not needed", "[reading]") {
  CHECK(std::isnan(optional_number(reading_table(""), 0, "count", "a.table")));
  CHECK(reading_error([] { needed_number(reading_table(""), 0, "count", "a.table"); }) ==
        "a.table: row 1, column 'count': a number is expected, not ''");
  CHECK(reading_error([] { optional_number(reading_table("inf"), 0, "count", "a.table"); }) ==
        "a.table: row 1, column 'count': a finite number is expected, not 'inf'");
  CHECK(needed_number(reading_table("-2.5"), 0, "count", "a.table") == -2.5);
}

TEST_CASE("shares are from 0 to 1, and rates above 0", "[reading]") {
  CHECK(share_number(reading_table("1"), 0, "count", "a.table") == 1);
  CHECK_FALSE(
      reading_error([] { share_number(reading_table("1.2"), 0, "count", "a.table"); }).empty());
  CHECK_FALSE(
      reading_error([] { positive_number(reading_table("0"), 0, "count", "a.table"); }).empty());
  CHECK_FALSE(reading_error([] {
                positive_number(reading_table("1e300"), 0, "count", "a.table");
              }).empty());
}

TEST_CASE("numbers of metrics are what they are said to be, or named", "[reading]") {
  const Json metrics = {{"heads", 24}, {"text", "26"}, {"less", -5}, {"in", {{"greedy", 0.5}}}};
  CHECK(metric_whole_number(metrics, "heads", "a.metrics") == 24);
  CHECK(metric_share(metrics, "in.greedy", "a.metrics") == 0.5);
  CHECK(reading_error([&] { metric_whole_number(metrics, "text", "a.metrics"); }) ==
        "a.metrics: 'text': a number is expected, not \"26\"");
  CHECK(reading_error([&] { metric_whole_number(metrics, "less", "a.metrics"); }) ==
        "a.metrics: 'less': a whole number from 0 is expected, not -5");
  CHECK(reading_error([&] {
          metric_number(metrics, "none", "a.metrics");
        }).starts_with("a.metrics has no number 'none'; it has "));
  CHECK(has_metric(metrics, "in.greedy"));
  CHECK_FALSE(has_metric(Json{{"null", nullptr}}, "null"));
}

TEST_CASE("columns that are missing are named, with what was expected", "[reading]") {
  CHECK(reading_error([] {
          require_columns(reading_table("1"), {"count", "label"}, "a table of heads", "a.table");
        }) == "a.table: a table of heads is expected, but there is no column 'label'");
}

}  // namespace
}  // namespace headway
