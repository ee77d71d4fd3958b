// let, if and for: their results, and messages about mistakes in them.
#include "lib/report/report.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"

namespace headway::testing {
namespace {

Sources filler_sources() {
  Sources sources;
  sources.add("heads",
              {{"", "ablate.heads", "h.csv", "label,drop\nEncoder *H0*,30\nB|C,2\n<b>,12.5\n"}});
  sources.add("gaps", {{"", "fit.gaps", "g.csv", "name,best,x\na,,1\nb,yes,2\nc,,3\n"}});
  sources.add("evaluation", {{"", "evaluate.metrics", "m.json", R"({"greedy": 0.5})"}});
  sources.add("figure", {{"", "draw.svg", "f.svg",
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"3\" "
                          "viewBox=\"0 0 4 3\"></svg>"}});
  return sources;
}

// The Markdown, or the mistake.
std::string filled(const std::string& text) {
  const Sources sources = filler_sources();
  const Provenance provenance;
  Directives directives(sources, provenance);
  std::string markdown;
  try {
    for (const PlacedPiece& one : fill_template(parse_template(text, "t.md"), sources, directives))
      markdown += one.piece.markdown;
  } catch (const Error& error) {
    return error.what();
  }
  return markdown;
}

TEST_CASE("if chooses a branch by an expression, in a sentence and around lines", "[report]") {
  CHECK(filled("{{ if count(heads) > 5 }}many{{ else if count(heads) > 2 }}some{{ else }}few{{ end "
               "}} heads\n") == "some heads\n");
  CHECK(filled("One.\n\n{{ if evaluation.greedy < 0.1 }}\nTwo.\n{{ else }}\nThree.\n{{ end "
               "}}\n\nFour.\n") == "One.\n\nThree.\n\nFour.\n");
  CHECK(filled("One.\n\n{{ if false }}\nTwo.\n{{ end }}\n\nThree.\n") == "One.\n\nThree.\n");
  CHECK(filled("{{ if elsewhere and elsewhere.x > 1 }}a{{ else if not elsewhere }}b{{ end }}\n") ==
        "b\n");
}

TEST_CASE("for repeats rows of a table, which stays a single table", "[report]") {
  CHECK(filled("| head | drop |\n| --- | --- |\n{{ for head in sort(heads, -drop) }}\n| {{ "
               "head.label }} | {{ head.drop points }} |\n{{ end }}\n\nDone.\n") ==
        "| head | drop |\n| --- | --- |\n| Encoder \\*H0\\* | 30 points |\n| \\<b\\> | 12.5 points "
        "|\n"
        "| B\\|C | 2 points |\n\nDone.\n");
}

TEST_CASE("for joins its repetitions within a sentence", "[report]") {
  CHECK(
      filled(
          "Drops: {{ for h in heads separator=\", \" last=\" and \" }}{{ h.drop }}{{ end }}.\n") ==
      "Drops: 30, 2 and 12.5.\n");
  CHECK(filled("{{ for h in heads separator=\"; \" }}{{ h.drop }}{{ end }}\n") == "30; 2; 12.5\n");
  CHECK(filled("{{ for x in distinct(heads, drop > 10) separator=\" \" }}{{ x }}{{ end }}\n") ==
        "true false\n");
  CHECK(filled("None: {{ for h in where(heads, drop > 99) }}x{{ end }}.\n") == "None: .\n");
  CHECK(filled("{{ for a in first(heads, 2) }}{{ for b in first(heads, 2) }}{{ a.drop }}-{{ b.drop "
               "}} {{ end }}{{ end }}\n") == "30-30 30-2 2-30 2-2 \n");
}

TEST_CASE("let names a value to the end of its block", "[report]") {
  CHECK(filled("{{ let big = where(heads, drop > 10) }}\n{{ count(big) }} are big\n") ==
        "2 are big\n");
  CHECK(filled("{{ let x = 1 }}\n{{ if true }}\n{{ let x = 2 }}\n{{ x }}\n{{ end }}\n{{ x }}\n") ==
        "2\n1\n");
  CHECK(filled("{{ let least = 10 }}{{ count(where(heads, drop > least)) }}\n") == "2\n");
  CHECK(filled("{{ if true }}\n{{ let y = 1 }}\n{{ end }}\n{{ y + 1 }}\n") ==
        "t.md:4:1: 'y' is neither a directive nor a value of a connected input");
}

TEST_CASE("figures are allowed in conditions, but not in loops", "[report]") {
  CHECK(filled("{{ if count(heads) > 1 }}\n{{ figure figure }}\n{{ end }}\n")
            .find("figures/figure.svg") != std::string::npos);
  CHECK(filled("{{ for h in heads }}\n{{ figure figure }}\n{{ end }}\n") ==
        "t.md:2:1: 'figure' cannot stand in a loop");
}

TEST_CASE("mistakes in blocks are reported with their locations", "[report]") {
  CHECK(filled("{{ for }}\n{{ end }}\n") == "t.md:1:1: a name is expected at the end");
  CHECK(filled("{{ for x of heads }}\n{{ end }}\n") ==
        "t.md:1:1: 'in' is expected, not 'of heads'");
  CHECK(filled("{{ for x in heads by=1 }}\n{{ end }}\n") ==
        "t.md:1:1: separator=\"…\" or last=\"…\" is expected, not 'by=1'");
  CHECK(filled("{{ let x }}\n") == "t.md:1:1: '=' is expected at the end");
  CHECK(filled("{{ let a.b = 1 }}\n") == "t.md:1:1: a name is expected, not 'a.b = 1'");
  CHECK(filled("{{ for x in heads }}\n{{ else }}\n{{ end }}\n") ==
        "t.md:2:1: 'else' belongs to 'if', not 'for'");
  CHECK(filled("{{ for x in heads }}\n") == "t.md:1:1: 'for' is not closed: {{ end }} is missing");
  CHECK(filled("a {{ count(hedas) }}\n") ==
        "t.md:1:3: 'hedas' is neither a directive nor a value of a connected input; did you mean "
        "'heads'?");
  CHECK(filled("{{ let n = 3 }}\n{{ n-1 }}\n")
            .ends_with("(a difference has spaces around its minus)"));
  CHECK(filled("{{ count(heads, 1) }}\n") == "t.md:1:1: count(table) is expected, not 2 arguments");
  CHECK(filled("{{ counts(heads) }}\n") ==
        "t.md:1:1: there is no function 'counts'; did you mean 'count'?");
  CHECK(filled("{{ has(\"heads\") }}\n") == "t.md:1:1: has() takes the name of an input");
  CHECK(filled("x\n\n{{ for h in heads }}\n{{ h.drpo }}\n{{ end }}\n")
            .starts_with("t.md:4:1: ablate.heads has no column 'drpo'"));
  CHECK(filled("{{ for x in 1 }}\n{{ end }}\n") ==
        "t.md:1:1: a table or a list is expected, not a number");
}

TEST_CASE("formulas in branches and loops are checked before there are artifacts", "[report]") {
  Diagnostics diagnostics;
  check_directives(parse_template("{{ for h in heads }}\n$\\nope{x}$\n{{ end }}\n", "t.md"),
                   {"heads"}, diagnostics);
  CHECK(diagnostics.text().starts_with("t.md:2:1: "));
}

TEST_CASE("hostile templates are refused", "[report][long]") {
  std::string nested, loops, doubled = "{{ let a = \"0123456789\" }}\n";
  for (int i = 0; i < 40; ++i) nested += "{{ if heads }}\n", doubled += "{{ let a = a + a }}\n";
  for (int i = 0; i < 15; ++i) loops += "{{ for x in heads }}";
  std::string loop_ends, nested_ends;
  for (int i = 0; i < 15; ++i) loop_ends += "{{ end }}";
  for (int i = 0; i < 40; ++i) nested_ends += "{{ end }}\n";
  CHECK(filled(nested + nested_ends).find("'if' and 'for' are nested too deeply") !=
        std::string::npos);
  CHECK(filled(doubled).ends_with("a text is too long"));
  CHECK(filled(loops + loop_ends + "\n").ends_with("it computes too much"));
  CHECK(filled(loops + std::string(1000, 'x') + loop_ends + "\n")
            .ends_with("the report is too long"));
}

TEST_CASE("a column of an artifact does not hide a variable whose field is accessed", "[report]") {
  CHECK(
      filled("{{ let best = first(sort(gaps, -x)) }}{{ list(where(gaps, x < best.x), name) }}\n") ==
      "a and b\n");
  // One that the template has added does, even if it is empty.
  CHECK(
      filled(
          "{{ let top = first(gaps) }}{{ let with = add(gaps, \"top\", first(where(gaps, x > 9))) "
          "}}{{ count(where(with, is(top.x))) }}\n") == "0\n");
}

TEST_CASE("nested lists take no time that grows with their number", "[report]") {
  std::string text = "{{ let a0 = values(heads, 1) }}";
  for (int i = 1; i < 40; ++i)
    text += "{{ let a" + std::to_string(i) + " = values(heads, a" + std::to_string(i - 1) + ") }}";
  CHECK(filled(text + "{{ count(add(heads, \"c\", a39)) }}\n") == "3\n");
}

}  // namespace
}  // namespace headway::testing
