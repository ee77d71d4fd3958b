#include "lib/report/escape.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/text.h"
#include "lib/report/markdown_html.h"

namespace headway {
namespace {

// What a reader of the Markdown sees, as HTML.
std::string escape_test_rendered(const std::string& markdown) {
  HeadingIds ids;
  return render_markdown(markdown, ids, "test").html;
}

const char* const kHostileTexts[] = {
    "plain",
    "<script>alert(1)</script>",
    "a & b &amp; &#60;",
    "*em* _em_ **strong** ~~gone~~ ~x~",
    "`code` ``more``",
    "[link](javascript:alert(1)) ![i](x) [ref]: x",
    "# no heading",
    "> no quote",
    "- no list",
    "+ no list",
    "* no list",
    "-",
    "---",
    "===",
    "1. no list",
    "12) no list",
    "1.",
    "a | b",
    "\\",
    "\\|",
    "a\\",
    "$x$ and $$y$$",
    "snake_case_name _x_ __y__ a__b_ _",
    "| a | b |",
    "```",
    "~~~",
    "<!-- -->",
    "-0.5",
    "=x",
    "é 😀",
};

TEST_CASE("text in HTML stays text", "[escape]") {
  CHECK(html_escaped("<b a=\"x\" c='y'>&amp;") ==
        "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;");
  CHECK(html_escaped("1 − 2 = é\n\tend") == "1 − 2 = é\n\tend");
  CHECK(html_escaped("") == "");
}

TEST_CASE("characters that HTML cannot represent are replaced", "[escape]") {
  CHECK(html_escaped("a\xFF"
                     "b\xC3") == "a\uFFFDb\uFFFD");
  CHECK(html_escaped(std::string("a\0b", 3)) == "a\uFFFDb");
  CHECK(html_escaped("\x1B[31m") == "\uFFFD[31m");
  CHECK(html_escaped("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // half of a pair
  CHECK(html_escaped("one\r\ntwo") == "one\ntwo");
}

TEST_CASE("any text in a Markdown paragraph is read back as that text", "[escape]") {
  for (const std::string text : kHostileTexts) {
    CAPTURE(text, markdown_escaped(text));
    CHECK(escape_test_rendered(markdown_escaped(text) + "\n") ==
          "<p>" + html_escaped(text) + "</p>\n");
    CHECK(escape_test_rendered("x " + markdown_escaped(text) + " y\n") ==
          "<p>x " + html_escaped(text) + " y</p>\n");
  }
}

TEST_CASE("any text in a Markdown cell is read back as that text", "[escape]") {
  for (const std::string text : kHostileTexts) {
    CAPTURE(text, markdown_escaped(text));
    const std::string table = "| a | b |\n|---|---|\n| " + markdown_escaped(text) + " | z |\n";
    const std::string html = escape_test_rendered(table);
    CHECK(html.find("<td>" + html_escaped(text) + "</td>\n<td>z</td>") != std::string::npos);
  }
}

TEST_CASE("escaped Markdown is one line, and no harder to read than necessary", "[escape]") {
  CHECK(markdown_escaped("a\nb\r\nc") == "a b  c");
  CHECK(markdown_escaped("    indented\n\n# x") == "indented  \\# x");
  CHECK(markdown_escaped("learned_positions, 0.5 (-1)") == "learned_positions, 0.5 (-1)");
  CHECK(markdown_escaped("-0.5") == "-0.5");
  CHECK(markdown_escaped("1.5 times") == "1.5 times");
}

TEST_CASE("code can hold any text, in a paragraph and in a cell", "[escape]") {
  for (const std::string text : {"x", "a b", "<b>&amp;", "a`b", "``", "`", " `x` ", "\\", "a\\",
                                 "*x*", "$x$", " x ", "   "}) {
    CAPTURE(text, markdown_code(text));
    const std::string code = "<code>" + html_escaped(text) + "</code>";
    CHECK(escape_test_rendered("x " + markdown_code(text) + " y\n") == "<p>x " + code + " y</p>\n");
    const std::string table = "| a | b |\n|---|---|\n| " + markdown_code(text) + " | z |\n";
    CHECK(escape_test_rendered(table).find("<td>" + code + "</td>\n<td>z</td>") !=
          std::string::npos);
  }
}

TEST_CASE("a pipe in code does not end its cell", "[escape]") {
  CHECK(markdown_code("a|b") == "`a`\\|`b`");
  const std::string table = "| a | b |\n|---|---|\n| " + markdown_code("a | `b`||") + " | z |\n";
  CHECK(escape_test_rendered(table).find(
            "<td><code>a </code>|<code> `b`</code>||</td>\n<td>z</td>") != std::string::npos);
}

TEST_CASE("empty code is nothing, and control characters are shown", "[escape]") {
  CHECK(markdown_code("") == "");
  CHECK(markdown_code("a\nb\x1B") == "`a\\nb\uFFFD`");
}

TEST_CASE("JSON in a script element cannot end it", "[escape]") {
  const Json json = {{"</script><script>alert(1)", "<!-- ]]> <script>"}};
  const std::string script = script_json(json);
  CHECK(script.find('<') == std::string::npos);
  CHECK(parse_json(script) == json);
  CHECK(script_json("\xFF") == "\"\uFFFD\"");
}

TEST_CASE("characters are made from their code points", "[escape]") {
  CHECK(utf8_of('a') == "a");
  CHECK(utf8_of(0xE9) == "é");
  CHECK(utf8_of(0x2212) == "−");
  CHECK(utf8_of(0x1F600) == "😀");
  for (const char32_t none : {0x0, 0x1B, 0x85, 0xD800, 0xDFFF, 0x110000})
    CHECK(utf8_of(none) == "\uFFFD");
  CHECK(is_utf8(utf8_of(0x10FFFF)));
}

}  // namespace
}  // namespace headway
