#include "lib/report/figure_piece.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "lib/base/error.h"

namespace headway {
namespace {

FigureInReport small_figure() {
  FigureInReport figure;
  figure.id = "figure.importance";
  figure.file = "figures/importance.svg";
  figure.svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"400\" viewBox=\"0 0 640 "
      "400\"><path id=\"dot\" d=\"M0,0\"/></svg>";
  figure.caption = "Lost without *each* head.";
  figure.origin = {"stage `importance`\n", "stage <a href=\"#stage-importance\">importance</a>\n"};
  figure.name = "importance.svg";
  return figure;
}

bool figure_has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a figure is its picture, its caption and its origin", "[figure_piece]") {
  const std::string html = figure_piece(small_figure()).html;
  CHECK(html.starts_with("<figure class=\"figure\" id=\"figure.importance\">\n"));
  CHECK(figure_has(html, "<div class=\"picture\" style=\"--natural: 640px\"><svg"));
  CHECK(figure_has(html, "id=\"figure_2Eimportance_dot\""));
  CHECK(figure_has(html, "<div class=\"caption\"><p>Lost without <em>each</em> head.</p></div>"));
  CHECK(figure_has(html,
                   "<p class=\"origin\">stage <a href=\"#stage-importance\">importance</a></p>"));
  CHECK(html.ends_with("</figcaption>\n</figure>\n"));
}

TEST_CASE("screen readers hear a figure's caption without markup", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.caption = "Heads with **less** than `1 < 2` & \"more\".";
  CHECK(caption_text(figure.caption, "x") == "Heads with less than 1 < 2 & \"more\".");
  CHECK(figure_has(figure_piece(figure).html,
                   "Heads with less than 1 &lt; 2 &amp; &quot;more&quot;."));
}

TEST_CASE("in Markdown a figure is an image with its caption and origin below", "[figure_piece]") {
  CHECK(figure_piece(small_figure()).markdown ==
        "![Lost without each head.](figures/importance.svg)\n"
        "\n"
        "Lost without *each* head.\n"
        "\n"
        "stage `importance`\n");
}

TEST_CASE("a figure without caption and origin goes by its name", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.caption = "";
  figure.origin = {};
  const Piece piece = figure_piece(figure);
  CHECK(piece.markdown == "![importance.svg](figures/importance.svg)\n");
  CHECK_FALSE(figure_has(piece.html, "figcaption"));
  CHECK(figure_has(piece.html, "importance.svg"));
}

TEST_CASE("an origin that is only Markdown is rendered, in small print too", "[figure_piece]") {
  const Piece piece = caption_piece("", {"from `heads`\n", ""}, "x");
  CHECK(piece.html == "<p class=\"origin\">from <code>heads</code></p>\n");
  CHECK(piece.markdown == "\nfrom `heads`\n");
}

TEST_CASE("a figure's file name cannot end its link", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.file = "figures/a b)](x \"<script>.svg";
  CHECK(figure_has(figure_piece(figure).markdown,
                   "(figures/a%20b%29%5D%28x%20%22%3Cscript%3E.svg)\n"));
}

TEST_CASE("what is hostile in a figure's caption and id stays text", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.caption = "<script>alert(1)</script> \"quoted\"";
  figure.id = "x\"><script>";
  const std::string html = figure_piece(figure).html;
  CHECK_FALSE(figure_has(html, "<script"));
  CHECK(figure_has(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK(figure_has(html, "id=\"x&quot;&gt;&lt;script&gt;\""));
}

TEST_CASE("a figure that is no SVG is an error with its name", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.svg = "not a picture";
  try {
    figure_piece(figure);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(figure_has(error.what(), "importance.svg"));
  }
}

TEST_CASE("a picture of unknown size takes the width there is", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0,0\"/></svg>";
  CHECK(figure_has(figure_piece(figure).html, "<div class=\"picture\"><svg"));
}

}  // namespace
}  // namespace headway
