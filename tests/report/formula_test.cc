#include "lib/report/markdown_html.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <filesystem>
#include <pugixml.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Message;
using Catch::Matchers::MessageMatches;

// Without the <math> around it.
std::string formula_inside(const std::string& latex) {
  const std::string mathml = to_mathml({{latex, false}}).at(0);
  REQUIRE(mathml.starts_with("<math>"));
  return mathml.substr(6, mathml.size() - 13);
}

TEST_CASE("formulas become MathML, inline and as blocks", "[formula]") {
  CHECK(to_mathml({}).empty());
  CHECK(to_mathml({{"x", false}, {"2x - 1 < y", true}}) ==
        std::vector<std::string>{
            "<math><mi>x</mi></math>",
            "<math display=\"block\"><mstyle displaystyle=\"true\"><mn>2</mn><mi>x</mi><mo>−</mo>"
            "<mn>1</mn><mo>&lt;</mo><mi>y</mi></mstyle></math>"});
  CHECK(formula_inside("\\omega_i^2") == "<msubsup><mi>ω</mi><mi>i</mi><mn>2</mn></msubsup>");
  CHECK(formula_inside("\\frac{a}{\\sqrt{b}}") ==
        "<mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac>");
  CHECK(formula_inside("\\mathbb{R}\\mathcal{L}") == "<mi>ℝ</mi><mi>ℒ</mi>");
  CHECK_THAT(formula_inside("\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}"),
             ContainsSubstring("<mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"));
}

TEST_CASE("an invalid formula is an error with its text", "[formula]") {
  const auto says = [](const std::string& latex, const std::string& message) {
    CAPTURE(latex);
    CHECK_THROWS_MATCHES(to_mathml({{"x", false}, {latex, false}}), Error,
                         Message("the formula '" + latex + "': " + message));
  };
  says("x + \\foo", "Unrecognised command \"\\foo\"");
  says("\\href{javascript:x}{y}", "Unrecognised command \"\\href\"");
  says("{x", "Encountered open brace \"{\" without matching close brace \"}\"");
  says("x^2^3", "Encountered two superscripts attached to the same base (only one is allowed)");
  for (const std::string latex : {"\x1B", "\xFF", "x\\", "a & b", "]]>"}) {
    CAPTURE(latex);
    try {
      to_mathml({{latex, false}});
    } catch (const Error&) {  // or a formula; never a crash
    }
  }
}

TEST_CASE("excessive nesting and expanding commands are errors", "[formula]") {
  for (const std::string open : {"{", "\\frac{", "x^{", "\\left(", "\\begin{matrix}", "\\hat"}) {
    std::string latex;
    for (int i = 0; i < 100000; ++i) latex += open;
    CAPTURE(open);
    CHECK_THROWS_AS(to_mathml({{latex, false}}), Error);
  }
  std::string bomb = "\\newcommand{\\a}{xx}";
  for (char name = 'b'; name < 'z'; ++name)
    bomb += std::string("\\newcommand{\\") + name + "}{\\" + char(name - 1) + "\\" +
            char(name - 1) + "}";
  CHECK_THROWS_AS(to_mathml({{bomb + "\\y", false}}), Error);
}

TEST_CASE("no markup gets through a formula", "[formula]") {
  for (const std::string latex :
       {"\\text{</mtext><script>alert(1)</script>}", "\\mathrm{<img src=x onerror=y>}",
        "\\operatorname{\"><b>}", "<script>", "a<!--b-->", "\\text{\\&lt;}", "x&lt;",
        "\"/><script/>"}) {
    CAPTURE(latex);
    try {
      const std::string mathml = to_mathml({{latex, false}}).at(0);
      pugi::xml_document document;
      CHECK(document.load_string(mathml.c_str()));
      CHECK(mathml.find("<script") == std::string::npos);
      CHECK(mathml.find("<img") == std::string::npos);
      CHECK(mathml.find("<b>") == std::string::npos);
      CHECK(mathml.find("<!") == std::string::npos);
    } catch (const Error&) {  // also good
    }
  }
}

TEST_CASE("without blahtexml a formula is an error that says what to install", "[formula]") {
  const std::string path = std::getenv("PATH");
  const auto folder = std::filesystem::temp_directory_path() / "headway-only-sh";
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / "sh");
  std::filesystem::create_symlink("/bin/sh", folder / "sh");
  ::setenv("PATH", folder.c_str(), 1);
  CHECK_THROWS_MATCHES(to_mathml({{"x", false}}), Error,
                       MessageMatches(ContainsSubstring("apt install blahtexml")));
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace headway
