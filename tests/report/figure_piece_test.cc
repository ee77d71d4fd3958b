#include "lib/report/pieces.h"

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
  CHECK(figure_has(html,
                   "<div class=\"picture\" style=\"--natural: 640px\"><img alt=\"Lost "
                   "without each head.\" src=\"data:image/svg+xml,%3Csvg xmlns=%22http://"));
  CHECK(figure_has(html, "<div class=\"caption\"><p>Lost without <em>each</em> head.</p></div>"));
  CHECK(figure_has(html,
                   "<p class=\"origin\">stage <a href=\"#stage-importance\">importance</a></p>"));
  CHECK(html.ends_with("</figcaption>\n</figure>\n"));
}

TEST_CASE("screen readers get a figure's caption without markup", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.caption = "Heads with **less** than `1 < 2` & \"more\".";
  CHECK(caption_text(figure.caption, "x") == "Heads with less than 1 < 2 & \"more\".");
  CHECK(figure_has(figure_piece(figure).html,
                   "Heads with less than 1 &lt; 2 &amp; &quot;more&quot;."));
}

TEST_CASE("in Markdown a figure is an image followed by its caption and origin", "[figure_piece]") {
  CHECK(figure_piece(small_figure()).markdown ==
        "![Lost without each head.](figures/importance.svg)\n"
        "\n"
        "Lost without *each* head.\n"
        "\n"
        "stage `importance`\n");
}

TEST_CASE("a figure without caption and origin is labelled with its name", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.caption = "";
  figure.origin = {};
  const Piece piece = figure_piece(figure);
  CHECK(piece.markdown == "![importance.svg](figures/importance.svg)\n");
  CHECK_FALSE(figure_has(piece.html, "figcaption"));
  CHECK(figure_has(piece.html, "importance.svg"));
}

TEST_CASE("a figure's file name cannot end its link", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.file = "figures/a b)](x \"<script>.svg";
  CHECK(figure_has(figure_piece(figure).markdown,
                   "(figures/a%20b%29%5D%28x%20%22%3Cscript%3E.svg)\n"));
}

TEST_CASE("hostile text in a figure's caption and id stays text", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.caption = "<script>alert(1)</script> \"quoted\"";
  figure.id = "x\"><script>";
  const std::string html = figure_piece(figure).html;
  CHECK_FALSE(figure_has(html, "<script"));
  CHECK(figure_has(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK(figure_has(html, "id=\"x&quot;&gt;&lt;script&gt;\""));
}

TEST_CASE("nothing in an SVG becomes markup of the page", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert('\"#%')"
      "</script>\n<text>é &lt;b&gt;</text></svg>";
  const std::string html = figure_piece(figure).html;
  CHECK_FALSE(figure_has(html, "<script"));
  CHECK_FALSE(figure_has(html, "<svg"));
  CHECK(figure_has(html, "%3Cscript%3Ealert('%22%23%25')%3C/script%3E%0A%3Ctext%3E%C3%A9 %26lt;b"));
}

TEST_CASE("a figure that is not an SVG is an error with its name", "[figure_piece]") {
  FigureInReport figure = small_figure();
  for (const std::string svg : {"not a picture", "", "<svg xmlns=\"http://www.w3.org/2000/svg\">",
                                "<svg><path/></svg>", "<svg xmlns=\"x\"></svg>", "<b></b>"}) {
    CAPTURE(svg);
    figure.svg = svg;
    try {
      figure_piece(figure);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(figure_has(error.what(), "importance.svg: no SVG: "));
    }
  }
}

TEST_CASE("a picture's width is that of its viewBox, or its explicit one", "[figure_piece]") {
  FigureInReport figure = small_figure();
  const auto style_of = [&](const std::string& attributes) {
    figure.svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" " + attributes + "></svg>";
    const std::string html = figure_piece(figure).html;
    const std::size_t begin = html.find("<div class=\"picture\"") + 20;
    return html.substr(begin, html.find('>', begin) - begin);
  };
  CHECK(style_of("viewBox=\"0,0,300.4,20\" width=\"9in\"") == " style=\"--natural: 300px\"");
  CHECK(style_of("width=\"120px\"") == " style=\"--natural: 120px\"");
  CHECK(style_of("width=\"-3\"").empty());
  CHECK(style_of("viewBox=\"0 0 1e9 1\"").empty());
}

TEST_CASE("a picture of unknown size takes the available width", "[figure_piece]") {
  FigureInReport figure = small_figure();
  figure.svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0,0\"/></svg>";
  CHECK(figure_has(figure_piece(figure).html, "<div class=\"picture\"><img "));
}

}  // namespace
}  // namespace headway
