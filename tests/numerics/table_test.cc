#include "lib/numerics/table.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cmath>
#include <limits>

#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;

Table heads() {
  Table table({"head", "drop"});
  table.add({"Encoder L0 H2", "0.25"});
  table.add({"Decoder Self, \"last\"", ""});
  return table;
}

TEST_CASE("a table is written as CSV, quoted where necessary", "[table]") {
  CHECK(heads().to_csv() ==
        "head,drop\n"
        "Encoder L0 H2,0.25\n"
        "\"Decoder Self, \"\"last\"\"\",\n");
}

TEST_CASE("cells of any contents survive a round trip", "[table]") {
  Table table({"a", "b,\"c\""});
  for (const char* cell : {"", " ", ",", "\"", "\"\"", "\n", "\r\n", "a\nb", "é 😀", "x\r", "\r"}) {
    table.add({cell, "last"});
    table.add({"first", cell});
  }
  CHECK(parse_csv(table.to_csv(), "t.csv") == table);
}

TEST_CASE("a table with one column keeps its empty cells", "[table]") {
  Table table({"only"});
  table.add({""});
  table.add({"x"});
  table.add({""});
  CHECK(table.to_csv() == "only\n\"\"\nx\n\"\"\n");
  CHECK(parse_csv(table.to_csv(), "t.csv") == table);
}

TEST_CASE("a table without rows keeps its columns", "[table]") {
  const Table table = parse_csv("a,b\n", "t.csv");
  CHECK(table.columns() == std::vector<std::string>{"a", "b"});
  CHECK(table.size() == 0);
}

TEST_CASE("tables from other programs are read", "[table]") {
  const Table expected = parse_csv("a,b\n1,2\n3,4\n", "t.csv");
  CHECK(parse_csv("a,b\r\n1,2\r\n3,4\r\n", "t.csv") == expected);  // Windows
  CHECK(parse_csv("a,b\n1,2\n3,4", "t.csv") == expected);          // no end of the last line
  CHECK(parse_csv("\xEF\xBB\xBF"
                  "a,b\n1,2\n3,4\n",
                  "t.csv") == expected);                                     // a byte order mark
  CHECK(parse_csv("a,b\n1,2\n\n3,4\n\n", "t.csv") == expected);              // empty lines
  CHECK(parse_csv("\"a\",\"b\"\n\"1\",\"2\"\n3,4\n", "t.csv") == expected);  // needless quotes
}

TEST_CASE("cells are found by row and column, as text and as numbers", "[table]") {
  const Table table = heads();
  CHECK(table.has("drop"));
  CHECK_FALSE(table.has("Drop"));
  CHECK(table.column("drop") == 1);
  CHECK(table.text(0, "head") == "Encoder L0 H2");
  CHECK(table.number(0, "drop") == 0.25);
  CHECK(std::isnan(table.number(1, "drop")));
}

TEST_CASE("a missing row or column is an error that lists the existing ones", "[table]") {
  CHECK_THROWS_MATCHES(heads().column("x"), Error, Message("no column 'x'; there are head, drop"));
  CHECK_THROWS_MATCHES(heads().number(0, "head"), Error,
                       Message("row 1, column 'head': 'Encoder L0 H2' is not a number"));
  Table table({"n"});
  table.add({"1.5x"});
  table.add({" 1"});
  CHECK_THROWS_MATCHES(table.number(0, "n"), Error,
                       Message("row 1, column 'n': '1.5x' is not a number"));
  CHECK_THROWS_MATCHES(table.number(1, "n"), Error,
                       Message("row 2, column 'n': ' 1' is not a number"));
}

std::string refusal_of_csv(const std::string& csv) {
  try {
    parse_csv(csv, "t.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("an invalid table is refused with its line", "[table]") {
  CHECK(refusal_of_csv("") == "t.csv: empty; the first line should name the columns");
  CHECK(refusal_of_csv("\n\n") == "t.csv: empty; the first line should name the columns");
  CHECK(refusal_of_csv("a,b\n1,2\n3\n") == "t.csv:3: a row with 1 cell, but there are 2 columns");
  CHECK(refusal_of_csv("a,b\n1,2,\n") == "t.csv:2: a row with 3 cells, but there are 2 columns");
  CHECK(refusal_of_csv("a,b\n1,\"2\n3,4\n") == "t.csv:2: a quote is opened and never closed");
  CHECK(refusal_of_csv("a,b\n1,x\"y\"\n") ==
        "t.csv:2: a quote in the middle of a cell that does not start with one");
  CHECK(refusal_of_csv("a,b\n\"1\"x,2\n") == "t.csv:2: text after the closing quote of a cell");
  CHECK(refusal_of_csv("a,b,a\n") == "t.csv:1: two columns are called 'a'");
}

TEST_CASE("lines inside quotes are counted", "[table]") {
  CHECK(refusal_of_csv("a,b\n\"1\n\n\",2\n3\n") ==
        "t.csv:5: a row with 1 cell, but there are 2 columns");
}

TEST_CASE("rows are read one by one, with their lines", "[table]") {
  std::string rows;
  const auto read = [&](const char* csv) {
    read_csv(csv, "t.csv", [&](int line, const std::vector<std::string>& cells) {
      rows += fmt::format("{}: {}\n", line, fmt::join(cells, "|"));
    });
  };
  read("a,b\n\n1,\"2\n3\"\n4,5\n");
  CHECK(rows == "1: a|b\n3: 1|2\n3\n5: 4|5\n");
  rows.clear();
  CHECK_THROWS_MATCHES(read("a,b\n1,2\n3\n"), Error,
                       Message("t.csv:3: a row with 1 cell, but there are 2 columns"));
  CHECK(rows == "1: a|b\n2: 1|2\n");
}

TEST_CASE("every prefix of a table is a table or an error", "[table]") {
  const std::string csv = "a,\"b\"\"\"\r\n1,\"x\ny\"\n,\n";
  int tables = 0;
  for (std::size_t length = 0; length <= csv.size(); ++length) {
    tables += refusal_of_csv(csv.substr(0, length)) == "accepted";
  }
  CHECK(tables > 5);
  CHECK(tables < static_cast<int>(csv.size()));
}

TEST_CASE("numbers are formatted for people", "[table]") {
  CHECK(number_text(0.25) == "0.25");
  CHECK(number_text(3) == "3");
  CHECK(number_text(1e-9) == "1e-09");
  CHECK(number_text(1.0 / 3) == "0.333333");
  CHECK(number_text(-2.0 / 3) == "-0.666667");
  CHECK(number_text(0.9995) == "0.9995");
  CHECK(number_text(810000) == "810000");
  CHECK(number_text(12345678) == "12345678");
  CHECK(number_text(1234567.5) == "1.23457e+06");
  CHECK(number_text(1e300) == "1e+300");
  CHECK(number_text(0.0) == "0");
  CHECK(number_text(-0.0) == "0");
  CHECK(number_text(std::nan("")) == "");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "inf");
}

}  // namespace
}  // namespace headway
