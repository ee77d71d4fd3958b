#include "lib/report/pieces.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "lib/base/error.h"

namespace headway {
namespace {

Table heads_table() {
  return parse_csv(
      "label,drop,share,note\n"
      "Encoder L0 H1,78.15,0.9995,\n"
      "Encoder L0 H0,-0.5,1,fine\n"
      "Decoder Self L1 H2,,,\n",
      "heads.csv");
}

TableInReport all_of_it() {
  TableInReport options;
  options.id = "table-heads";
  return options;
}

bool table_has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string table_mistake(const TableInReport& options) {
  try {
    table_piece(heads_table(), options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_CASE("a table can be sorted and scrolls in its own box", "[table_piece]") {
  const std::string html = table_piece(heads_table(), all_of_it()).html;
  CHECK(
      html.starts_with("<figure class=\"table\" id=\"table-heads\">\n<div class=\"scroll\">\n"
                       "<table class=\"sortable\">\n<thead>"));
  CHECK(table_has(html, "<th scope=\"col\">label</th>"));
  CHECK(html.ends_with("</tbody>\n</table>\n</div>\n</figure>\n"));
}

TEST_CASE("numeric columns are marked, even with empty cells", "[table_piece]") {
  const std::string html = table_piece(heads_table(), all_of_it()).html;
  CHECK(table_has(html, "<th scope=\"col\" class=\"number\">drop</th>"));
  CHECK(table_has(html, "<td class=\"number\">-0.5</td>"));
  CHECK(table_has(html, "<td class=\"number\"></td>"));
  CHECK(table_has(html, "<th scope=\"col\">note</th>"));
}

TEST_CASE("in Markdown a table is GitHub's, with numbers right-aligned", "[table_piece]") {
  CHECK(table_piece(heads_table(), all_of_it()).markdown ==
        "| label | drop | share | note |\n"
        "| --- | ---: | ---: | --- |\n"
        "| Encoder L0 H1 | 78.15 | 0.9995 |  |\n"
        "| Encoder L0 H0 | -0.5 | 1 | fine |\n"
        "| Decoder Self L1 H2 |  |  |  |\n");
}

TEST_CASE("columns are selected in the requested order, and shares are percentages",
          "[table_piece]") {
  TableInReport options = all_of_it();
  options.columns = {"share", "label"};
  options.percent = {"share"};
  const Piece piece = table_piece(heads_table(), options);
  CHECK(piece.markdown ==
        "| share | label |\n"
        "| ---: | --- |\n"
        "| 99.95 % | Encoder L0 H1 |\n"
        "| 100 % | Encoder L0 H0 |\n"
        "|  | Decoder Self L1 H2 |\n");
  CHECK(table_has(piece.html, ">99.95 %</td>"));
  CHECK_FALSE(table_has(piece.html, "drop"));
}

TEST_CASE("a folded table is complete in the page and in Markdown", "[table_piece]") {
  TableInReport options = all_of_it();
  options.columns = {"label"};
  options.rows = 1;
  const Piece piece = table_piece(heads_table(), options);
  CHECK(table_has(piece.html, "<table class=\"sortable\" data-rows=\"1\">"));
  CHECK(table_has(piece.html, "Decoder Self L1 H2"));
  CHECK(piece.markdown ==
        "| label |\n| --- |\n| Encoder L0 H1 |\n| Encoder L0 H0 |\n| Decoder Self L1 H2 |\n");
  options.rows = 3;
  const Piece whole = table_piece(heads_table(), options);
  CHECK_FALSE(table_has(whole.html, "data-rows"));
}

TEST_CASE("a table too long to read is truncated, and says so", "[table_piece]") {
  Table table({"row"});
  for (std::size_t row = 0; row < TableInReport().most_page_rows + 1; ++row)
    table.add({std::to_string(row)});
  const Piece piece = table_piece(table, {});
  CHECK(table_has(piece.html, "<td class=\"number\">1999</td>"));
  CHECK_FALSE(table_has(piece.html, "<td class=\"number\">2000</td>"));
  CHECK(table_has(piece.html, "These are the first 2,000 of 2,001 rows."));
  CHECK(piece.markdown.ends_with("| 99 |\n\nThese are the first 100 of 2,001 rows.\n"));
}

TEST_CASE("numbers are shown with comparable digits, and sorted by all of them", "[table_piece]") {
  Table table({"number"});
  for (const char* cell : {"0.195605", "-1.89795", "810000", "1234.5678", "1e-09", "0.5", "1e-320"})
    table.add({cell});
  const Piece piece = table_piece(table, {});
  CHECK(piece.markdown ==
        "| number |\n| ---: |\n| 0.1956 |\n| -1.898 |\n| 810000 |\n| 1235 |\n| 1e-09 |\n| 0.5 |\n| "
        "1e-320 |\n");
  CHECK(table_has(piece.html, "data-sort=\"0.195605\" title=\"0.195605\">0.1956</td>"));
  CHECK(table_has(piece.html, "<td class=\"number\">0.5</td>"));
}

TEST_CASE("a table's caption and origin are with it", "[table_piece]") {
  TableInReport options = all_of_it();
  options.columns = {"label"};
  options.caption = "Heads by *importance*.";
  options.origin = {"stage `ablate`\n", "stage <code>ablate</code>\n"};
  const Piece piece = table_piece(heads_table(), options);
  CHECK(table_has(piece.html, "<p>Heads by <em>importance</em>.</p>"));
  CHECK(table_has(piece.html, "<p class=\"origin\">stage <code>ablate</code></p>"));
  CHECK(table_has(piece.html, "aria-label=\"Heads by importance.\""));
  CHECK(piece.markdown.ends_with("|\n\nHeads by *importance*.\n\nstage `ablate`\n"));
}

TEST_CASE("a missing column is named, with the existing ones", "[table_piece]") {
  TableInReport options = all_of_it();
  options.columns = {"lable"};
  CHECK(table_mistake(options) == "no column 'lable'; there are label, drop, share, note");
  options.columns = {"label"};
  options.percent = {"shares"};
  CHECK(table_mistake(options) == "no column 'shares'; there are label, drop, share, note");
  options.percent = {"note"};
  options.columns = {"note"};
  CHECK(table_mistake(options) == "row 2, column 'note': 'fine' is not a number");
}

TEST_CASE("hostile cells and column names stay text", "[table_piece]") {
  Table table({"<script>a_b", "x|y"});
  table.add({"<img src=x onerror=alert(1)>", "a|b\nc"});
  TableInReport options;
  options.id = "\"><script>";
  options.caption = "\"><script>alert(1)</script>";
  const Piece piece = table_piece(table, options);
  CHECK_FALSE(table_has(piece.html, "<script"));
  CHECK_FALSE(table_has(piece.html, "<img"));
  CHECK(table_has(piece.html, "&lt;script&gt;a_<wbr>b"));
  CHECK(table_has(piece.html, "&lt;img src=x onerror=alert(1)&gt;"));
  CHECK(table_has(piece.markdown, "a\\|b c |\n"));
}

TEST_CASE("only columns of short texts are kept from wrapping", "[table_piece]") {
  Table table({"head", "what it does"});
  table.add({"Encoder L0 H1", "looks at the column to the right, where the carry comes from"});
  const std::string html = table_piece(table, {}).html;
  CHECK(table_has(html, "<td class=\"short\">Encoder L0 H1</td><td>looks at"));
}

}  // namespace
}  // namespace headway
