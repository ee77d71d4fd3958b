#include "lib/report/markdown_html.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <pugixml.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;

std::string markdown_rendered(const std::string& markdown) {
  HeadingIds ids;
  return render_markdown(markdown, ids, "t.md").html;
}

bool markdown_is_xml(const std::string& html) {
  pugi::xml_document document;
  return static_cast<bool>(document.load_string(("<body>" + html + "</body>").c_str()));
}

TEST_CASE("paragraphs, emphasis, code and breaks become HTML", "[markdown]") {
  CHECK(markdown_rendered("a *b* **c** `d<e` ~~f~~\ng  \nh\\\ni\n") ==
        "<p>a <em>b</em> <strong>c</strong> <code>d&lt;e</code> <del>f</del>\n"
        "g<br/>\nh<br/>\ni</p>\n");
  CHECK(markdown_rendered("> quoted\n\n---\n") ==
        "<blockquote>\n<p>quoted</p>\n</blockquote>\n<hr/>\n");
  CHECK(markdown_rendered("```cpp\na < b\n\n c\td\n```\n") ==
        "<pre><code class=\"language-cpp\">a &lt; b\n\n c\td\n</code></pre>\n");
  CHECK(markdown_rendered("    *code*\n") == "<pre><code>*code*\n</code></pre>\n");
  CHECK(markdown_rendered("") == "");
}

TEST_CASE("lists become HTML", "[markdown]") {
  CHECK(markdown_rendered("- a\n- b\n") == "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n");
  CHECK(markdown_rendered("3. a\n4. b\n") == "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n");
  CHECK(markdown_rendered("1. a\n") == "<ol>\n<li>a</li>\n</ol>\n");
  CHECK(markdown_rendered("- [x] done\n- [ ] open\n") ==
        "<ul>\n"
        "<li class=\"task\"><input type=\"checkbox\" disabled=\"disabled\" checked=\"checked\"/> "
        "done</li>\n"
        "<li class=\"task\"><input type=\"checkbox\" disabled=\"disabled\"/> open</li>\n"
        "</ul>\n");
}

TEST_CASE("tables have a head, a body and alignments", "[markdown]") {
  CHECK(markdown_rendered("| a | b |\n|:--|--:|\n| 1 | x\\|y |\n") ==
        "<table>\n<thead>\n<tr>\n<th scope=\"col\" class=\"align-left\">a</th>\n"
        "<th scope=\"col\" class=\"align-right\">b</th>\n</tr>\n</thead>\n"
        "<tbody>\n<tr>\n<td class=\"align-left\">1</td>\n<td class=\"align-right\">x|y</td>\n"
        "</tr>\n</tbody>\n</table>\n");
  CHECK(markdown_rendered("|a|b|\n|:-:|---|\n|1|2|\n")
            .find("<td class=\"align-center\">1</td>\n<td>2</td>") != std::string::npos);
}

TEST_CASE("entities become characters valid in XML", "[markdown]") {
  CHECK(markdown_rendered("&lt;b&gt; &amp;amp; &nbsp;&mdash; &#60; &#x3C; &#0; &unknown;\n") ==
        "<p>&lt;b&gt; &amp;amp; \u00A0— &lt; &lt; \uFFFD &amp;unknown;</p>\n");
  CHECK(markdown_rendered("&#x1B; &#xD800; &#9999999;\n") == "<p>\uFFFD \uFFFD \uFFFD</p>\n");
}

TEST_CASE("headings get unique ids in GitHub's style", "[markdown]") {
  HeadingIds ids;
  const RenderedMarkdown first =
      render_markdown("# What *pruning* says\n## What pruning says\n", ids, "t.md");
  CHECK(first.html ==
        "<h1 id=\"what-pruning-says\">What <em>pruning</em> says</h1>\n"
        "<h2 id=\"what-pruning-says-1\">What pruning says</h2>\n");
  REQUIRE(first.headings.size() == 2);
  CHECK(first.headings[1].level == 2);
  CHECK(first.headings[1].id == "what-pruning-says-1");
  CHECK(first.headings[0].text == "What pruning says");

  CHECK(ids.id_for("What pruning says") == "what-pruning-says-2");
  CHECK(ids.id_for("What pruning says-1") == "what-pruning-says-1-1");
  CHECK(ids.id_for("Study 1: carry_chains — “x”?") == "study-1-carry_chains--x");
  CHECK(ids.id_for("Über α") == "Über-α");
  CHECK(ids.id_for("!!!") == "section");
  CHECK(ids.id_for("") == "section-1");
}

TEST_CASE("a heading's id and text are harmless, whatever it contains", "[markdown]") {
  HeadingIds ids;
  const RenderedMarkdown page =
      render_markdown("# <img src=x onerror=alert(1)> \" & `<b>` $a<b$\n", ids, "t.md");
  REQUIRE(page.headings.size() == 1);
  CHECK(page.headings[0].text == "<img src=x onerror=alert(1)> \" & <b> a<b");
  CHECK(page.headings[0].id == "img-srcx-onerroralert1---b-ab");
  CHECK(markdown_is_xml(page.html));
}

TEST_CASE("raw HTML is shown as text", "[markdown]") {
  CHECK(markdown_rendered("a <b onclick=x>b</b>\n") == "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n");
  for (const std::string hostile : {
           "<script>alert(1)</script>",
           "<SCRIPT SRC=//x>",
           "<img src=x onerror=alert(1)>",
           "<svg/onload=alert(1)>",
           "<iframe srcdoc='<script>1</script>'>",
           "<!-- <script> -->",
           "<![CDATA[<script>]]>",
           "<?php script ?>",
           "</p><script>",
           "`</code><script>`",
           "```\n</code></pre><script>\n```",
           "```\"><script>\n```",
           "``` js onload=\"x\"><script>\nx\n```",
           "# <script>",
           "| <script> |\n|---|\n| </td><script> |",
           "> <script>",
           "- <script>",
           "[<script>](#x \"<script>\")",
           "![<script>](x)",
           "&lt;script&gt;",
           "&#60;script&#62;",
           "$<script>$",
           "<style>*{}</style>",
           "<a\nhref='x'\nonclick='y'>",
       }) {
    CAPTURE(hostile);
    const std::string html = markdown_rendered(hostile + "\n");
    CHECK(markdown_is_xml(html));
    CHECK(html.find("<script") == std::string::npos);
    CHECK(html.find("<SCRIPT") == std::string::npos);
    for (const char* element : {"<img", "<svg", "<iframe", "<!", "<?", "<style"})
      CHECK(html.find(element) == std::string::npos);
  }
}

TEST_CASE("links lead to the page, to files and to the web", "[markdown]") {
  CHECK(markdown_rendered("[a](#b)\n") == "<p><a href=\"#b\">a</a></p>\n");
  CHECK(markdown_rendered("[a](../x/heads.csv \"T \\\"q\\\"\")\n") ==
        "<p><a href=\"../x/heads.csv\" title=\"T &quot;q&quot;\">a</a></p>\n");
  CHECK(markdown_rendered("[a](<b c.csv>)\n") == "<p><a href=\"b%20c.csv\">a</a></p>\n");
  CHECK(markdown_rendered("[a](HTTPS://x.y/?a=1&b=2)\n") ==
        "<p><a href=\"HTTPS://x.y/?a=1&amp;b=2\">a</a></p>\n");
  CHECK(markdown_rendered("<http://x.y> <a@b.c>\n") ==
        "<p><a href=\"http://x.y\">http://x.y</a> <a href=\"mailto:a@b.c\">a@b.c</a></p>\n");
  CHECK(markdown_rendered("[a](x?y=javascript:z)\n") ==
        "<p><a href=\"x?y=javascript:z\">a</a></p>\n");
  CHECK(markdown_rendered("www.x.y http://x.y\n") == "<p>www.x.y http://x.y</p>\n");
}

TEST_CASE("other addresses do not become links", "[markdown]") {
  for (const std::string address : {
           "javascript:alert(1)",
           "JaVaScRiPt:alert(1)",
           "&#106;avascript:alert(1)",
           "&#x6A;avascript&#58;alert(1)",
           "java&#10;script:alert(1)",
           "java&#9;script:alert(1)",
           "&#1;javascript:alert(1)",
           "&#32;javascript:alert(1)",
           "javascript\\:alert(1)",
           "vbscript:x",
           "data:text/html,&lt;script&gt;",
           "data:image/svg+xml;base64,PHN2",
           "file:///etc/passwd",
           "blob:x",
           "view-source:x",
           "//evil.example",
           "/\\\\evil.example",
           "\\\\\\\\evil.example",
           "/etc/passwd",
           "",
       }) {
    CAPTURE(address);
    CHECK(markdown_rendered("[t](<" + address + ">)\n") == "<p>t</p>\n");
    CHECK(markdown_rendered("![t](<" + address + ">)\n") == "<p>t</p>\n");
    CHECK(markdown_rendered("[t][r]\n\n[r]: <" + address + ">\n").find("href") ==
          std::string::npos);
  }
  CHECK(markdown_rendered("<javascript:alert(1)>\n") == "<p>javascript:alert(1)</p>\n");
}

TEST_CASE("an unknown entity does not hide a scheme", "[markdown]") {
  CHECK(markdown_rendered("[t](javascript&colon;alert(1))\n") ==
        "<p><a href=\"javascript&amp;colon;alert(1)\">t</a></p>\n");
}

TEST_CASE("images become links, because they would be fetched", "[markdown]") {
  CHECK(markdown_rendered("![Heads *by* drop](a.png)\n") ==
        "<p><a href=\"a.png\">Heads <em>by</em> drop</a></p>\n");
  CHECK(markdown_rendered("![](a.png)\n") == "<p><a href=\"a.png\">a.png</a></p>\n");
  CHECK(markdown_rendered("[![alt](a.png)](b.html)\n") == "<p><a href=\"b.html\">alt</a></p>\n");
  CHECK(markdown_rendered("![a [b](c)](d)\n") == "<p><a href=\"d\">a b</a></p>\n");
}

const std::string kDisplayed =
    "<math display=\"block\"><mstyle displaystyle=\"true\"><mi>x</mi></mstyle></math>";

TEST_CASE("formulas become MathML", "[markdown]") {
  CHECK(markdown_rendered("Here $x_1 * y * z$.\n") ==
        "<p>Here <math><msub><mi>x</mi><mn>1</mn></msub><mo>*</mo><mi>y</mi><mo>*</mo><mi>z</mi>"
        "</math>.</p>\n");
  CHECK(markdown_rendered("$$x$$\n") == "<p>" + kDisplayed + "</p>\n");
}

TEST_CASE("money is not a formula", "[markdown]") {
  CHECK(markdown_rendered("It costs $5 and $6.\n") == "<p>It costs $5 and $6.</p>\n");
  CHECK(markdown_rendered("It costs $5-$6.\n") == "<p>It costs $5-$6.</p>\n");
  CHECK(markdown_rendered("It costs $5.\n") == "<p>It costs $5.</p>\n");
  CHECK(markdown_rendered("It costs \\$5, $x$.\n") ==
        "<p>It costs $5, <math><mi>x</mi></math>.</p>\n");
  CHECK(markdown_rendered("`$5 $x$`\n") == "<p><code>$5 $x$</code></p>\n");
}

TEST_CASE("dollars next to words or spaces do not delimit a formula", "[markdown]") {
  for (const std::string text : {
           "$HOME/$USER",
           "$HOME and $USER",
           "US$5 or US$x",
           "a$b$ c",
           "2$b$ c",
           "$b$c",
           "$b$2",
           "$ b$ c",
           "$b $ c",
           "$b\n$ c",
           "a$",
           "$",
           "$$ alone",
           "$$$ and $$$",
           "$x $$ y$",
       }) {
    CAPTURE(text);
    CHECK(markdown_rendered(text + "\n") == "<p>" + text + "</p>\n");
    CHECK(markdown_rendered("| h |\n|---|\n| [" + text.substr(0, text.find('\n')) + "](#a) |\n")
              .find("<math") == std::string::npos);
  }
  CHECK(markdown_rendered("\\$b\\$ \\$b$\n") == "<p>$b$ $b$</p>\n");
}

TEST_CASE("formulas work beside punctuation and in every part of a text", "[markdown]") {
  const std::string x = "<math><mi>x</mi></math>";
  CHECK(markdown_rendered("($x$)-$x$, “$x$”: *$x$* $x$\n") ==
        "<p>(" + x + ")-" + x + ", “" + x + "”: <em>" + x + "</em> " + x + "</p>\n");
  CHECK(markdown_rendered("变量$x$是\n") == "<p>变量" + x + "是</p>\n");
  CHECK(markdown_rendered("# $x$\n") == "<h1 id=\"x\">" + x + "</h1>\n");
  CHECK(markdown_rendered("[$x$ y](#a)\n") == "<p><a href=\"#a\">" + x + " y</a></p>\n");
  CHECK(markdown_rendered("| $x$ | $5 |\n|---|---|\n| $6 | $x$ |\n").find(x + "</td>") !=
        std::string::npos);
  CHECK(markdown_rendered("\\\\$x$\n") == "<p>\\" + x + "</p>\n");
  CHECK(markdown_rendered("$5\\$$\n") == "<p><math><mn>5</mn><mo>$</mo></math></p>\n");
  CHECK(markdown_rendered("$x +\nx$\n") == "<p><math><mi>x</mi><mo>+</mo><mi>x</mi></math></p>\n");
  CHECK(markdown_rendered("> $x +\n> x$\n") ==
        "<blockquote>\n<p><math><mi>x</mi><mo>+</mo><mi>x</mi></math></p>\n</blockquote>\n");
}

TEST_CASE("a price does not break the formula or the markup after it", "[markdown]") {
  const std::string x = "<math><mi>x</mi></math>";
  CHECK(markdown_rendered("It costs $5, and $x$ more, not $6.\n") ==
        "<p>It costs $5, and " + x + " more, not $6.</p>\n");
  CHECK(markdown_rendered("$5 and *not* $6 or `$7`\n") ==
        "<p>$5 and <em>not</em> $6 or <code>$7</code></p>\n");
  CHECK(markdown_rendered("$5 at last\n\n$x$\n") == "<p>$5 at last</p>\n<p>" + x + "</p>\n");
  CHECK(markdown_rendered("a $b\n\nc$ d $x$\n") == "<p>a $b</p>\n<p>c$ d " + x + "</p>\n");
  CHECK(markdown_rendered("$5 $$x$$\n") == "<p>$5 " + kDisplayed + "</p>\n");
  CHECK(markdown_rendered("```\n$5 $6\n```\n") == "<pre><code>$5 $6\n</code></pre>\n");
  CHECK(markdown_rendered("[a $5][]\n\n[a $5]: #b\n") == "<p><a href=\"#b\">a $5</a></p>\n");
  CHECK(markdown_rendered("[a](x$y) $z\n") == "<p><a href=\"x$y\">a</a> $z</p>\n");
}

TEST_CASE("a text that would parse differently without its formulas has none", "[markdown]") {
  CHECK(markdown_rendered("[a ($]][$)]: #x\n") == "<p>[a ($]][$)]: #x</p>\n");
}

TEST_CASE("there is no line break between a number and its percent sign", "[markdown]") {
  CHECK(markdown_rendered("5 % of 10.5 %, **5** %, 5% and x %\n") ==
        "<p>5\u00A0% of 10.5\u00A0%, <strong>5</strong>\u00A0%, 5% and x %</p>\n");
  CHECK(markdown_rendered("`5 % 2`\n\n    5 % 2\n") ==
        "<p><code>5 % 2</code></p>\n<pre><code>5 % 2\n</code></pre>\n");
  HeadingIds ids;
  const RenderedMarkdown page = render_markdown("# At 5 % noise\n", ids, "t.md");
  CHECK(page.html == "<h1 id=\"at-5--noise\">At 5\u00A0% noise</h1>\n");
  CHECK(page.headings.at(0).text == "At 5 % noise");
}

TEST_CASE("an invalid formula is reported with its text and the file", "[markdown]") {
  CHECK_THROWS_MATCHES(markdown_rendered("a $x \\foo$ b\n"), Error,
                       Message("t.md: the formula 'x \\foo': Unrecognised command \"\\foo\""));
}

TEST_CASE("bytes that are not text are replaced", "[markdown]") {
  CHECK(markdown_rendered(std::string("a\0b\xFF\x1B\n", 6)) == "<p>a\uFFFDb\uFFFD\uFFFD</p>\n");
}

TEST_CASE("deeply nested and long texts are read quickly", "[markdown]") {
  for (const std::string piece : {">", "- ", "*", "[", "`", "$", "![", "\\", "|", "<", "**a "}) {
    CAPTURE(piece);
    std::string text;
    for (int i = 0; i < 2000; ++i) text += piece;
    CHECK(markdown_is_xml(markdown_rendered(text + "\n")));
  }
}

TEST_CASE("a percent sign stays with the preceding number, even if that is in a formula",
          "[report]") {
  CHECK(markdown_rendered("5 %\n") == "<p>5\u00a0%</p>\n");
  CHECK(markdown_rendered("$y = 5$ %\n").ends_with("</math>\u00a0%</p>\n"));
}

}  // namespace
}  // namespace headway
