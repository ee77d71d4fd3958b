#include "lib/report/inline_svg.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <pugixml.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;

const std::string kSvgHead = "<svg id=\"f-svg\" role=\"img\" aria-label=\"Figure\"";

std::string svg_document(const std::string& inside) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">" +
         inside + "</svg>";
}

// What is left of the inside of a drawing.
std::string svg_inside(const std::string& inside) {
  const std::string svg = inline_svg(svg_document(inside), "f-", "Figure", "x.svg");
  pugi::xml_document document;
  REQUIRE(document.load_string(svg.c_str()));
  const std::size_t begin = svg.find('>') + 1;
  return svg.substr(begin, svg.size() - begin - 6);
}

std::string svg_root(const std::string& attributes) {
  const std::string svg =
      inline_svg("<svg " + attributes + "><path/></svg>", "f-", "Figure", "x.svg");
  return svg.substr(0, svg.find('>') + 1);
}

TEST_CASE("a drawing keeps what draws", "[svg]") {
  const std::string drawing =
      "<g fill=\"none\" stroke=\"currentColor\" transform=\"translate(4,5)\" class=\"a b\">"
      "<path d=\"M0,0 L1,1\" stroke-width=\"0.5\"/>"
      "<text x=\"1\" font-family=\"&#39;DejaVu Sans&#39;, serif\">a <tspan>b</tspan> "
      "&lt;c&gt;</text>"
      "</g>";
  CHECK(svg_inside(drawing) == drawing);
}

TEST_CASE("the space between elements goes, that in texts stays", "[svg]") {
  CHECK(svg_inside("\n <g>\n\t<path/>\n stray </g><text> a <tspan> </tspan>\n</text>") ==
        "<g><path/></g><text> a <tspan> </tspan>\n</text>");
  CHECK(svg_inside("<text><![CDATA[a < b]]></text>") == "<text>a &lt; b</text>");
  CHECK(svg_inside("<g></g><g id=\"a\"></g><g><g fill=\"red\">\n</g></g>") ==
        "<g id=\"f-a\"/>");  // groups of nothing draw nothing
}

TEST_CASE("a drawing fits where it stands, up to its own width", "[svg]") {
  CHECK(svg_root("width=\"800\" height=\"500\"") ==
        "<svg id=\"f-svg\" viewBox=\"0 0 800 500\" style=\"max-width:800px\" role=\"img\" "
        "aria-label=\"Figure\">");
  CHECK(svg_root("width=\"72pt\" height=\"36pt\" viewBox=\"0 0 72 36\"") ==
        "<svg id=\"f-svg\" viewBox=\"0 0 72 36\" style=\"max-width:96px\" role=\"img\" "
        "aria-label=\"Figure\">");
  CHECK(svg_root("width=\"100%\" viewBox=\"0 0 7 3\"") ==
        "<svg id=\"f-svg\" viewBox=\"0 0 7 3\" role=\"img\" aria-label=\"Figure\">");
  CHECK(svg_root("width=\"-5\" height=\"1e999\"") == kSvgHead + ">");
  CHECK(svg_root("fill=\"red\" onload=\"x\" style=\"fill:blue;position:fixed\" role=\"button\"") ==
        "<svg id=\"f-svg\" style=\"fill:blue\" fill=\"red\" role=\"img\" aria-label=\"Figure\">");
}

TEST_CASE("the label is escaped, and links make a group of an image", "[svg]") {
  CHECK(inline_svg(svg_document(""), "f-", "\"><script>", "x.svg") ==
        "<svg id=\"f-svg\" role=\"img\" aria-label=\"&quot;&gt;&lt;script&gt;\"></svg>");
  CHECK(inline_svg(svg_document("<a href=\"#x\"><path/></a>"), "f-", "", "x.svg")
            .find("role=\"group\"") != std::string::npos);
}

TEST_CASE("ids and what refers to them get the prefix", "[svg]") {
  CHECK(svg_inside("<path id=\"a\"/><use xlink:href=\"#a\"/><use href=\" #a \"/>") ==
        "<path id=\"f-a\"/><use href=\"#f-a\"/><use href=\"#f-a\"/>");
  CHECK(svg_inside("<filter id=\"a\"/><g filter=\"url(#a)\" style=\"fill: url('#a') red\" "
                   "clip-path=\"URL( &quot;#a&quot; )\"><path/></g>") ==
        "<filter id=\"f-a\"/><g filter=\"url(#f-a)\" style=\"fill:url(#f-a) red\" "
        "clip-path=\"url(#f-a)\"><path/></g>");
  CHECK(svg_inside("<path id=\"a\"/><g aria-labelledby=\"a b\"><path/></g>") ==
        "<path id=\"f-a\"/><g aria-labelledby=\"f-a\"><path/></g>");
  CHECK(inline_svg(svg_document(""), "maps@0 (1)", "", "x.svg")
            .find("id=\"maps_400_20_281_29svg\"") != std::string::npos);
}

TEST_CASE("links lead to places of the page, other references stay inside", "[svg]") {
  CHECK(svg_inside("<a xlink:href=\"#stage-train\" xlink:title=\"t\"><path/></a>") ==
        "<a href=\"#stage-train\"><path/></a>");
  CHECK(svg_inside("<path id=\"a\"/><a href=\"#a\"><path/></a>") ==
        "<path id=\"f-a\"/><a href=\"#f-a\"><path/></a>");
  CHECK(svg_inside("<use href=\"#other-figure\"/><rect fill=\"url(#other)\"/>") == "<use/><rect/>");
}

TEST_CASE("the program's own title goes, those of parts stay", "[svg]") {
  CHECK(svg_inside("<title>Gnuplot</title>\n<desc>Produced by GNUPLOT</desc>"
                   "<g><title>a-&gt;b</title><path/></g>") ==
        "<g><title>a-&gt;b</title><path/></g>");
}

TEST_CASE("pictures inside of the drawing stay, others go", "[svg]") {
  const std::string picture = "<image width=\"1\" href=\"data:image/png;base64,iVBOR+/w0=\"/>";
  CHECK(svg_inside(picture) == picture);
  for (const std::string address :
       {"http://x/y.png", "data:image/svg+xml;base64,PHN2", "data:text/html;base64,PHN2",
        "data:image/png;base64,&quot;&gt;&lt;script&gt;", "x.png", "#a", ""}) {
    CAPTURE(address);
    CHECK(svg_inside("<image href=\"" + address + "\"/>") == "");
  }
  // both attributes: browsers take href, and so do we
  CHECK(svg_inside("<image xlink:href=\"http://x\" href=\"data:image/png;base64,AA\"/>") ==
        "<image href=\"data:image/png;base64,AA\"/>");
}

TEST_CASE("what could run or fetch is gone", "[svg]") {
  for (const std::string hostile : {
           "<script>alert(1)</script>",
           "<script xlink:href=\"http://x\"/>",
           "<SCRIPT>alert(1)</SCRIPT>",
           "<svg:script xmlns:svg=\"http://www.w3.org/2000/svg\">alert(1)</svg:script>",
           "<x:script xmlns:x=\"http://www.w3.org/1999/xhtml\">alert(1)</x:script>",
           "<foreignObject><body xmlns=\"http://www.w3.org/1999/xhtml\"/></foreignObject>",
           "<foreignobject><iframe src=\"javascript:alert(1)\"/></foreignobject>",
           "<g><handler type=\"application/ecmascript\">alert(1)</handler></g>",
           "<animate attributeName=\"href\" to=\"javascript:alert(1)\"/>",
           "<set attributeName=\"onmouseover\" to=\"alert(1)\"/>",
           "<animateTransform onbegin=\"alert(1)\"/>",
           "<animateMotion/>",
           "<feImage href=\"http://x\"/>",
           "<iframe src=\"x\"/>",
           "<embed src=\"x\"/>",
           "<object data=\"x\"/>",
           "<img src=\"x\" onerror=\"alert(1)\"/>",
           "<math><mi/></math>",
           "<p>out</p>",
           "<metadata><x/></metadata>",
           "<!-- <script> -->",
           "<?xml-stylesheet href=\"http://x\"?>",
           "<style>@import url(http://x);</style>",
           "<style>path{fill:url(http://x)}</style>",
           "<style>path{width:expression(alert(1))}</style>",
           "<style>p\\61th{fill:red}</style>",
           "<style>a{}&lt;/style&gt;&lt;script&gt;{fill:red}</style>",
           "<style>path{fill:red</style>",
           "<style>@media all{path{fill:red}}</style>",
           "<style>/*</style>",
           "<style>body{position:fixed}</style>",
           "<style>:root{fill:red}</style>",
           "<style>[href^=a]{fill:red}</style>",
       }) {
    CAPTURE(hostile);
    CHECK(svg_inside(hostile) == "");
  }
}

TEST_CASE("attributes that could run or fetch are gone", "[svg]") {
  for (const std::string hostile : {
           "onload=\"alert(1)\"",
           "ONLOAD=\"alert(1)\"",
           "onclick=\"alert(1)\"",
           "x:onload=\"alert(1)\"",
           "href=\"javascript:alert(1)\"",
           "xlink:href=\"javascript:alert(1)\"",
           "xlink:href=\"&#106;avascript:alert(1)\"",
           "href=\"http://x/y.svg#a\"",
           "href=\"x.svg#a\"",
           "href=\"data:image/svg+xml,x#a\"",
           "href=\"//x\"",
           "xml:base=\"http://x\"",
           "src=\"x\"",
           "style=\"fill:url(http://x)\"",
           "style=\"fill:u\\rl(http://x)\"",
           "style=\"fill:\\75 rl(http://x)\"",
           "style=\"fill:url(#nothing)\"",
           "style=\"fill:url(data:image/png,x)\"",
           "style=\"background:url(http://x)\"",
           "style=\"background-image:image-set('http://x' 1x)\"",
           "style=\"mask:image-set('http://x' 1x)\"",
           "style=\"fill:expression(alert(1))\"",
           "style=\"behavior:url(#x)\"",
           "style=\"position:fixed;inset:0\"",
           "style=\"@import 'http://x'\"",
           "style=\"fill:red/*\"",
           "style=\"fill:'\"",
           "style=\"fill:var(--x)\"",
           "fill=\"url(http://x)\"",
           "fill=\"url('http://x')\"",
           "fill=\"UrL(http://x)\"",
           "fill=\"url (http://x)\"",
           "fill=\"\\75rl(http://x)\"",
           "fill=\"url(http://x\"",
           "fill=\"r\\65 d\"",
           "fill=\"rgb(1,url(http://x))\"",
           "mask=\"url(http://x#y)\"",
           "filter=\"url(//x)\"",
           "cursor=\"url(http://x)\"",
           "target=\"_top\"",
           "data-x=\"y\"",
           "tabindex=\"1\"",
           "autofocus=\"\"",
           "contenteditable=\"\"",
       }) {
    CAPTURE(hostile);
    CHECK(svg_inside("<rect " + hostile + "/>") == "<rect/>");
    CHECK(svg_inside("<a " + hostile + "><path/></a>") == "<a><path/></a>");
  }
}

TEST_CASE("a style is that of its drawing alone", "[svg]") {
  CHECK(svg_inside("<style>*{stroke-linejoin: round; stroke-linecap:butt} path , #a .b&gt;c"
                   "{fill:red;position:fixed}</style>") ==
        "<style>#f-svg *{stroke-linejoin:round;stroke-linecap:butt}"
        "#f-svg path,#f-svg #f-a .b&gt;c{fill:red}</style>");
  CHECK(svg_inside("<style><![CDATA[path{fill:red}]]></style>") ==
        "<style>#f-svg path{fill:red}</style>");
}

TEST_CASE("a root's id does not end the rules that it is part of", "[svg]") {
  const std::string svg = inline_svg(
      "<svg id=\"a{}body{fill:red}\"><style>path{fill:red}</style></svg>", "f-", "", "x.svg");
  CHECK(
      svg ==
      "<svg id=\"f-svg\" role=\"img\" aria-label=\"\"><style>#f-svg path{fill:red}</style></svg>");
}

TEST_CASE("markup in texts, titles and values stays text", "[svg]") {
  CHECK(svg_inside("<text>&lt;script&gt;</text><g><title><b>x</b>y&lt;i&gt;</title></g>") ==
        "<text>&lt;script&gt;</text><g><title>y&lt;i&gt;</title></g>");
  CHECK(svg_inside("<path class=\"&quot;&gt;&lt;script&gt;\"/>") ==
        "<path class=\"&quot;&gt;&lt;script&gt;\"/>");
  CHECK(svg_inside("<text>&#1;&#27;</text>") == "<text>\uFFFD\uFFFD</text>");
}

TEST_CASE("attributes that stand twice stand once", "[svg]") {
  CHECK(svg_inside("<rect fill=\"red\" fill=\"blue\"/>") == "<rect fill=\"red\"/>");
}

TEST_CASE("declarations, comments and plain document types go", "[svg]") {
  const std::string svg =
      "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/svg11.dtd\">\n"
      "<!-- made by -->\n" +
      svg_document("<path/>");
  CHECK(inline_svg(svg, "f-", "Figure", "x.svg") == kSvgHead + "><path/></svg>");
}

TEST_CASE("what is no SVG is told so", "[svg]") {
  const auto says = [](const std::string& svg, const std::string& message) {
    CAPTURE(svg);
    CHECK_THROWS_MATCHES(inline_svg(svg, "f-", "", "x.svg"), Error, Message("x.svg: " + message));
  };
  says("", "no SVG: no document element found, in line 1");
  says("plain text", "no SVG: no document element found, in line 1");
  says("<svg>\n<g>\n</svg>", "no SVG: start-end tags mismatch, in line 3");
  says("<html/>", "no SVG: its root is <html>");
  says("<x:svg xmlns:x=\"http://www.w3.org/2000/svg\"/>", "no SVG: its root is <x:svg>");
  says("<svg xmlns=\"http://www.w3.org/1999/xhtml\"/>",
       "no SVG: its namespace is 'http://www.w3.org/1999/xhtml'");
  says("<svg/><svg/>", "no SVG: there is more behind its root");
  says("<svg>\xFF</svg>", "no SVG: not UTF-8");
  says(std::string("<\0s\0v\0g\0/\0>\0", 12), "no SVG: not UTF-8");
  says("<!DOCTYPE svg [<!ENTITY a \"b\">]><svg>&a;</svg>",
       "declares entities, which no figure needs");
  says("<!DOCTYPE svg [<!ENTITY % a SYSTEM \"file:///etc/passwd\"> %a;]><svg/>",
       "declares entities, which no figure needs");
}

TEST_CASE("a drawing that unfolds without end is refused", "[svg]") {
  std::string bomb = "<path id=\"u0\"/>";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("<g id=\"u{}\">", i);
    for (int k = 0; k < 10; ++k) bomb += fmt::format("<use href=\"#u{}\"/>", i - 1);
    bomb += "</g>";
  }
  CHECK_THROWS_MATCHES(svg_inside(bomb), Error,
                       Message("x.svg: its <use> elements unfold to more than 1000000 elements"));
  CHECK_THROWS_MATCHES(
      svg_inside("<g id=\"a\"><use href=\"#b\"/></g><g id=\"b\"><use xlink:href=\"#a\"/></g>"),
      Error, Message("x.svg: its <use> elements refer to one another in a circle"));
}

TEST_CASE("nesting without end is an error and no crash", "[svg]") {
  std::string deep, closing;
  for (int i = 0; i < 100000; ++i) {
    deep += "<g>";
    closing += "</g>";
  }
  CHECK_THROWS_MATCHES(svg_inside(deep + closing), Error,
                       Message("x.svg: nested more than 200 elements deep"));
}

TEST_CASE("gnuplot's markers, which use one another, stay", "[svg]") {
  const std::string markers =
      "<defs><path id=\"p7\" d=\"M0,0\"/><use href=\"#p7\" id=\"p9\" transform=\"rotate(180)\"/>"
      "<use href=\"#p9\" id=\"p10\" fill=\"currentColor\"/></defs><use href=\"#p10\" x=\"3\"/>";
  CHECK(svg_inside(markers) ==
        "<defs><path id=\"f-p7\" d=\"M0,0\"/>"
        "<use href=\"#f-p7\" id=\"f-p9\" transform=\"rotate(180)\"/>"
        "<use href=\"#f-p9\" id=\"f-p10\" fill=\"currentColor\"/></defs>"
        "<use href=\"#f-p10\" x=\"3\"/>");
}

TEST_CASE("a drawing as a file of its own runs nothing either", "[svg]") {
  const std::string file =
      svg_file(svg_document("<script>alert(1)</script><path d=\"M0,0\"/>"), "A \"label\"", "x.svg");
  CHECK(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"_svg\""));
  CHECK(file.find("script") == std::string::npos);
  CHECK(file.find("<path d=\"M0,0\"/></svg>\n") != std::string::npos);
}

}  // namespace
}  // namespace headway
