// How a template is parsed, and messages about mistakes in it, with their locations.
#include "lib/report/report_template.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/report/report.h"

namespace headway::testing {
namespace {

ReportTemplate template_of(std::string_view text) {
  return parse_template(text, "t.md");
}

std::string template_mistake(std::string_view text) {
  try {
    parse_template(text, "t.md");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// For each block, its directive's name; for the text between blocks, the text itself with filled-in
// values within < >.
std::vector<std::string> template_outline(std::string_view text) {
  std::vector<std::string> outline;
  bool in_text = false;
  const ReportTemplate parsed = template_of(text);
  for (const TemplatePart& part : parsed.parts) {
    if (part.is_alone) {
      outline.push_back("block " + part.directive.name);
    } else {
      if (!in_text) outline.emplace_back();
      const bool is_text = part.kind == TemplatePart::Kind::kText;
      outline.back() += is_text ? part.text : "<" + part.text + part.directive.name + ">";
    }
    in_text = !part.is_alone;
  }
  return outline;
}

using Outline = std::vector<std::string>;

Directive first_directive(std::string_view text) {
  const ReportTemplate parsed = template_of(text);
  const TemplatePart& part = parsed.parts.at(0);
  return part.directive;
}

TEST_CASE("the first heading is the title, and not part of the text", "[report]") {
  const ReportTemplate parsed = template_of("\n\n#  Does it add? \n\nYes.\n\n# Another\n");
  CHECK(parsed.title == "Does it add?");
  CHECK(template_outline("# T\n\nYes.\n\n# Another\n") == Outline{"Yes.\n\n# Another\n"});
  CHECK(template_of("Text first.\n# Not the title\n").title.empty());
  CHECK(template_of("## A section\n").title.empty());
  CHECK(template_of("").parts.empty());
}

TEST_CASE("a directive alone on its line is a block, and one within text is inline", "[report]") {
  CHECK(template_outline("One.\n\n{{ figure a }}\n  {{ all }}\nTwo {{ b.c percent }} three.\n") ==
        Outline{"One.\n\n", "block figure", "block all", "Two <b.c> three.\n"});
  CHECK(template_outline("{{ a.b }}{{ c.d }}\n") == Outline{"<a.b><c.d>\n"});
  CHECK(template_outline("No line end {{ a.b }}") == Outline{"No line end <a.b>\n"});
}

TEST_CASE("a value alone on its line stays in its paragraph", "[report]") {
  CHECK(template_outline("It took\n{{ parameter train.epochs }}\nepochs, and got\n{{ a.b count }}\n"
                         "{{ cell t c }}\nof {{ pipeline }}.\n") ==
        Outline{"It took\n<parameter>\nepochs, and got\n<a.b>\n<cell>\nof <pipeline>.\n"});
}

TEST_CASE("a directive has words, options and a caption, in any order", "[report]") {
  const Directive directive =
      first_directive("{{table  heads rows=3 \"A \\\"b\\\" \\\\ c = {d}}.\" columns=x,y}}");
  CHECK(directive.name == "table");
  CHECK(directive.words == std::vector<std::string>{"heads"});
  CHECK(directive.options == std::map<std::string, std::string>{{"rows", "3"}, {"columns", "x,y"}});
  CHECK(directive.caption == "A \"b\" \\ c = {d}}.");
}

TEST_CASE("the value of an option may be quoted, empty, or hold an equals sign", "[report]") {
  const Directive directive = first_directive("{{ table\ta b=\"c d\" e= f=g=h }}");
  CHECK(directive.options ==
        std::map<std::string, std::string>{{"b", "c d"}, {"e", ""}, {"f", "g=h"}});
  CHECK(directive.words == std::vector<std::string>{"a"});
}

TEST_CASE("braces in code are text", "[report]") {
  CHECK(template_outline("Write `{{ a.b }}` for {{ a.b }}.\n") ==
        Outline{"Write `{{ a.b }}` for <a.b>.\n"});
  CHECK(template_outline("Write `` `{{ a.b }} `` for `x` {{ a.b }}.\n") ==
        Outline{"Write `` `{{ a.b }} `` for `x` <a.b>.\n"});
  CHECK(template_outline("A lone ` and {{ a.b }}.\n") == Outline{"A lone ` and <a.b>.\n"});
  CHECK(template_outline("```\n{{ figure a }}\n{{ open\n```\n{{ all }}\n") ==
        Outline{"```\n{{ figure a }}\n{{ open\n```\n", "block all"});
}

TEST_CASE("a fence is closed only by its own kind, of at least the same length", "[report]") {
  CHECK(template_outline("~~~~\n```\n~~~\n{{ all }}\n~~~~~\n{{ all }}\n") ==
        Outline{"~~~~\n```\n~~~\n{{ all }}\n~~~~~\n", "block all"});
  CHECK(template_outline("```text\n``` no end\n{{ all }}\n```\n{{ all }}\n") ==
        Outline{"```text\n``` no end\n{{ all }}\n```\n", "block all"});
  CHECK(template_outline("``` code ``` in a line\n{{ all }}\n") ==
        Outline{"``` code ``` in a line\n", "block all"});
}

TEST_CASE("a template with Windows line endings is read like any other", "[report]") {
  const ReportTemplate parsed =
      template_of("\xEF\xBB\xBF# Title\r\n\r\nText.\r\n{{ figure a \"b\" }}\r\n");
  CHECK(parsed.title == "Title");
  REQUIRE(parsed.parts.size() == 2);
  CHECK(parsed.parts[0].text == "Text.\n");
  CHECK(parsed.parts[1].directive.caption == "b");
}

TEST_CASE("every part and every directive has its location", "[report]") {
  const ReportTemplate parsed = template_of("# T\n\nText.\n  {{ all }}\nMore {{ a.b }}.\n");
  REQUIRE(parsed.parts.size() == 5);
  CHECK(parsed.parts[0].location.text() == "t.md:3:1");
  CHECK(parsed.parts[1].location.text() == "t.md:4:3");
  CHECK(parsed.parts[1].directive.location.text() == "t.md:4:3");
  CHECK(parsed.parts[2].location.text() == "t.md:5:1");
  CHECK(parsed.parts[3].location.text() == "t.md:5:6");
}

TEST_CASE("mistakes in a template are reported with line and column", "[report]") {
  CHECK(template_mistake("Text {{ a.b\n") == "t.md:1:6: '{{' is not closed in its line");
  CHECK(template_mistake("\n {{ }}\n") ==
        "t.md:2:2: {{ }} is empty: a directive or a value is expected");
  CHECK(template_mistake("{{}}\n") ==
        "t.md:1:1: {{ }} is empty: a directive or a value is expected");
  CHECK(template_mistake("{{ figure a \"b }}\n") == "t.md:1:1: a quote is opened and not closed");
  CHECK(template_mistake("{{ table a rows=1 rows=2 }}\n") == "t.md:1:1: 'rows' is given twice");
  CHECK(template_mistake("{{ figure a \"b\" \"c\" }}\n") ==
        "t.md:1:1: two texts in quotes: a directive has one caption");
  CHECK(template_mistake("{{ a.b x=1 }}\n") ==
        "t.md:1:1: 'a.b' takes one format, and nothing else");
}

TEST_CASE("a directive of an older version is reported with its replacement", "[report]") {
  const std::string message =
      "t.md:3:1: there is no directive 'findings' any more: findings are written in the template, "
      "with let, if, for and expressions (README, \"Reports\")";
  CHECK(template_mistake("# T\n\n{{ findings ablation heads=ablation }}\n") == message);
  Diagnostics diagnostics;
  check_directives(template_of("# T\n\n{{ findings addition }}\n"), {"heads"}, diagnostics);
  CHECK(diagnostics.text() == message);
  CHECK(template_outline("{{ findings count }}\n") == Outline{"<findings>\n"});
}

TEST_CASE("all mistakes in a template are reported at once, in order", "[report]") {
  CHECK(template_mistake("{{ end }}\n{{ if a }}\nx {{ y\n") ==
        "t.md:1:1: 'end' without an 'if' above it\n"
        "t.md:2:1: 'if' is not closed: {{ end }} is missing\n"
        "t.md:3:3: '{{' is not closed in its line");
}

TEST_CASE("unbalanced conditions are mistakes", "[report]") {
  CHECK(template_mistake("{{ else }}\n") == "t.md:1:1: 'else' without an 'if' above it");
  CHECK(template_mistake("{{ if }}\n{{ end }}\n") == "t.md:1:1: a value is expected at the end");
  CHECK(template_mistake("{{ if a b }}\n{{ end }}\n") ==
        "t.md:1:1: nothing more is expected, not 'b'");
  CHECK(template_mistake("{{ if a }}\n{{ else }}\n{{ else }}\n{{ end }}\n") ==
        "t.md:3:1: a second 'else' of the same 'if'");
  CHECK(template_mistake("{{ if a }}\n{{ if b }}\n{{ end }}\n") ==
        "t.md:1:1: 'if' is not closed: {{ end }} is missing");
  CHECK(template_mistake("{{ if a }}\n{{ else }}\n{{ if b }}\n{{ else }}\n{{ end }}\n{{ end }}\n")
            .empty());
}

// The text that is left if these inputs are connected.
std::string shown_texts(std::string_view text, const std::vector<std::string>& inputs) {
  Sources sources;
  for (const std::string& input : inputs) sources.add(input, {{"", input, input + ".txt", ""}});
  const Provenance provenance;
  const std::string markdown =
      make_report(template_of(text), sources, provenance, std::filesystem::temp_directory_path())
          .markdown;
  const std::size_t begin = markdown.find("\n\n") + 2, end = markdown.find("## Where this comes");
  std::string shown = markdown.substr(begin, end - begin);
  if (!shown.empty()) shown.pop_back();  // the line before the next heading
  return shown;
}

TEST_CASE("a condition shows one of its branches", "[report]") {
  const std::string text = "1\n{{ if a }}\n2\n{{ else }}\n3\n{{ end }}\n4\n";
  CHECK(shown_texts(text, {"a"}) == "1\n2\n4\n");
  CHECK(shown_texts(text, {"b"}) == "1\n3\n4\n");
  CHECK(shown_texts("{{ if a }}\n{{ all }}\n{{ end }}\n", {"a"}).starts_with("a\n"));
  CHECK(shown_texts("{{ if a }}\n{{ all }}\n{{ end }}\n", {}).empty());
}

TEST_CASE("a nested condition cannot show what an outer one hides", "[report]") {
  const std::string text =
      "{{ if a }}\n1\n{{ if b }}\n2\n{{ else }}\n3\n{{ end }}\n4\n{{ else }}\n5\n{{ if b }}\n6\n"
      "{{ end }}\n{{ end }}\n7\n";
  CHECK(shown_texts(text, {"a", "b"}) == "1\n2\n4\n7\n");
  CHECK(shown_texts(text, {"a"}) == "1\n3\n4\n7\n");
  CHECK(shown_texts(text, {"b"}) == "5\n6\n7\n");
  CHECK(shown_texts(text, {}) == "5\n7\n");
}

TEST_CASE("directives are not allowed where nothing is filled in", "[report]") {
  CHECK(template_mistake("# Of {{ m.x }}\n") ==
        "t.md:1:6: the title is not filled in: no directives in the first heading");
  CHECK(template_mistake("{{ figure a \"Of {{ m.x }}\" }}\n").find("captions are not filled in") !=
        std::string::npos);
}

}  // namespace
}  // namespace headway::testing
