#include "lib/figures/pivot.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"

namespace headway::testing {
namespace {

using Catch::Matchers::Message;

NamedTable named(const std::string& name, const std::string& csv) {
  return {name, parse_csv(csv, name)};
}

const std::string kLengths = "length,negatives,accuracy,note\n";

TEST_CASE("each table becomes a row, each value of a column becomes a column", "[pivot]") {
  const std::vector<NamedTable> tables = {named("a", kLengths + "8,swaps,0.5,x\n16,swaps,0.25,x\n"),
                                          named("b", kLengths + "8,swaps,1,y\n16,swaps,0.999,y\n")};
  CHECK(pivot(tables, {.value = "accuracy", .across = "length"}).to_csv() ==
        "item,8,16\na,0.5,0.25\nb,1,0.999\n");
  CHECK(pivot(tables, {.value = "note", .across = "length"}).to_csv() ==
        "item,8,16\na,x,x\nb,y,y\n");
}

TEST_CASE("further columns distinguish rows of one table, and group the rows", "[pivot]") {
  const std::vector<NamedTable> tables = {
      named("a", kLengths + "8,swaps,1,\n8,adjacent,2,\n16,swaps,3,\n16,adjacent,4,\n"),
      named("b", kLengths + "8,adjacent,5,\n8,swaps,6,\n")};
  CHECK(pivot(tables, {.value = "accuracy", .across = "length", .by = {"negatives"}}).to_csv() ==
        "negatives,item,8,16\n"
        "swaps,a,1,3\n"
        "swaps,b,6,\n"
        "adjacent,a,2,4\n"
        "adjacent,b,5,\n");
}

TEST_CASE("requested columns come first, the others in order of appearance", "[pivot]") {
  const std::vector<NamedTable> tables = {named("a", kLengths + "8,,1,\n16,,2,\n32,,3,\n64,,4,\n"),
                                          named("b", kLengths + "128,,5,\n")};
  const PivotOptions options{.value = "accuracy", .across = "length", .first = {"64", "16"}};
  CHECK(pivot(tables, options).columns() ==
        std::vector<std::string>{"item", "64", "16", "8", "32", "128"});
}

TEST_CASE("shares as percentages have one decimal, and empty cells stay empty", "[pivot]") {
  const std::vector<NamedTable> tables = {
      named("a", kLengths + "8,,0.98765,\n16,,,\n32,,1,\n64,,0,\n")};
  CHECK(pivot(tables, {.value = "accuracy", .across = "length", .percent = true}).to_csv() ==
        "item,8,16,32,64\na,98.8,,100.0,0.0\n");
}

TEST_CASE("tables that cannot be compared are refused", "[pivot]") {
  const std::vector<NamedTable> twice = {named("a", kLengths + "8,swaps,1,\n8,adjacent,2,\n")};
  CHECK_THROWS_MATCHES(
      pivot(twice, {.value = "accuracy", .across = "length"}), Error,
      Message("table 'a': two rows have length 8; 'by' can name a column that tells them apart"));
  CHECK_THROWS_MATCHES(pivot({named("a", kLengths + "8,swaps,1,\n")},
                             {.value = "accuracy", .across = "length", .first = {"32"}}),
                       Error,
                       Message("no table has a row with length 32, which should stand first"));
  CHECK_THROWS_AS(pivot(twice, {.value = "loss", .across = "length"}), Error);
  CHECK_THROWS_AS(pivot(twice, {.value = "accuracy", .across = "size"}), Error);
  CHECK_THROWS_AS(pivot({named("a", kLengths + "8,swaps,many,\n")},
                        {.value = "accuracy", .across = "length", .percent = true}),
                  Error);
}

TEST_CASE("two rows sharing a cell are refused even if the first one's value is empty", "[pivot]") {
  CHECK_THROWS_AS(
      pivot({named("a", kLengths + "8,,,\n8,,1,\n")}, {.value = "accuracy", .across = "length"}),
      Error);
}

TEST_CASE("special characters are escaped in markdown", "[pivot]") {
  Table table({"item", "a|b"});
  table.add({"<script>", "x\ny"});
  table.add({"`c`", "d\\e"});
  CHECK(to_markdown(table) ==
        "| item | a\\|b |\n"
        "| --- | --- |\n"
        "| \\<script> | x y |\n"
        "| \\`c\\` | d\\\\e |\n");
}

}  // namespace
}  // namespace headway::testing
