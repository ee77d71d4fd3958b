#include "lib/report/formula.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <pugixml.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

using Catch::Matchers::Message;

// Without the <math> around it.
std::string formula_inside(std::string_view latex) {
  const std::string mathml = to_mathml(latex, false);
  pugi::xml_document document;
  REQUIRE(document.load_string(mathml.c_str()));
  return mathml.substr(6, mathml.size() - 13);
}

std::string formula_fence(const std::string& text) {
  return "<mo stretchy=\"false\" lspace=\"0\" rspace=\"0\">" + text + "</mo>";
}

std::string formula_stretched(const std::string& text) {
  return "<mo stretchy=\"true\" lspace=\"0\" rspace=\"0\">" + text + "</mo>";
}

const std::string kFormulaThin = "<mspace width=\"0.1667em\"/>";

TEST_CASE("letters, numbers and operators are told apart", "[formula]") {
  CHECK(formula_inside("2x + 10.5 = y") ==
        "<mn>2</mn><mi>x</mi><mo>+</mo><mn>10.5</mn><mo>=</mo><mi>y</mi>");
  CHECK(formula_inside("810{,}000") == "<mn>810,000</mn>");
  CHECK(formula_inside("a<b") == "<mi>a</mi><mo>&lt;</mo><mi>b</mi>");
  CHECK(formula_inside("n!/|x|") == "<mi>n</mi>" + formula_fence("!") + formula_fence("/") +
                                        formula_fence("|") + "<mi>x</mi>" + formula_fence("|"));
  CHECK(formula_inside("") == "");
  CHECK(to_mathml("x", true) == "<math display=\"block\"><mi>x</mi></math>");
}

TEST_CASE("a minus is a sign where nothing stands before it", "[formula]") {
  CHECK(formula_inside("-x") == "<mo form=\"prefix\">−</mo><mi>x</mi>");
  CHECK(formula_inside("a-b") == "<mi>a</mi><mo>−</mo><mi>b</mi>");
  CHECK(formula_inside("a=-b") == "<mi>a</mi><mo>=</mo><mo form=\"prefix\">−</mo><mi>b</mi>");
}

TEST_CASE("scripts stand above, below and on both sides", "[formula]") {
  CHECK(formula_inside("x^2") == "<msup><mi>x</mi><mn>2</mn></msup>");
  CHECK(formula_inside("x_{ij}") == "<msub><mi>x</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub>");
  const std::string both = "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>";
  CHECK(formula_inside("x_i^2") == both);
  CHECK(formula_inside("x ^ 2 _ i") == both);
  CHECK(formula_inside("x^10") == "<msup><mi>x</mi><mn>1</mn></msup><mn>0</mn>");
  CHECK(formula_inside("x^\\top") == "<msup><mi>x</mi><mi>⊤</mi></msup>");
  CHECK(formula_inside("^2") == "<msup><mrow></mrow><mn>2</mn></msup>");
}

TEST_CASE("primes are superscripts", "[formula]") {
  CHECK(formula_inside("f'") == "<msup><mi>f</mi><mo>′</mo></msup>");
  CHECK(formula_inside("f''_1") == "<msubsup><mi>f</mi><mn>1</mn><mo>′′</mo></msubsup>");
  CHECK(formula_inside("f'^2") == "<msup><mi>f</mi><mrow><mo>′</mo><mn>2</mn></mrow></msup>");
}

TEST_CASE("fractions and roots take groups, digits and commands", "[formula]") {
  CHECK(formula_inside("\\frac{a}{b}") == "<mfrac><mi>a</mi><mi>b</mi></mfrac>");
  CHECK(formula_inside("\\frac12") == "<mfrac><mn>1</mn><mn>2</mn></mfrac>");
  CHECK(formula_inside("\\sqrt{d_k}") == "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>");
  CHECK(formula_inside("\\sqrt[3]x") == "<mroot><mi>x</mi><mn>3</mn></mroot>");
  CHECK(formula_inside("\\frac\\pi2") == "<mfrac><mi>π</mi><mn>2</mn></mfrac>");
}

TEST_CASE("commands stand for symbols", "[formula]") {
  CHECK(formula_inside("\\alpha\\Omega") == "<mi>α</mi><mi mathvariant=\"normal\">Ω</mi>");
  for (const auto& [latex, symbol] :
       std::initializer_list<std::pair<std::string, std::string>>{{"\\cdot", "⋅"},
                                                                  {"\\times", "×"},
                                                                  {"\\le", "≤"},
                                                                  {"\\ge", "≥"},
                                                                  {"\\ne", "≠"},
                                                                  {"\\approx", "≈"},
                                                                  {"\\to", "→"},
                                                                  {"\\pm", "±"},
                                                                  {"\\in", "∈"},
                                                                  {"\\subset", "⊂"},
                                                                  {"\\cup", "∪"},
                                                                  {"\\cap", "∩"},
                                                                  {"\\mid", "∣"},
                                                                  {"\\propto", "∝"},
                                                                  {"\\odot", "⊙"},
                                                                  {"\\otimes", "⊗"}}) {
    CAPTURE(latex);
    CHECK(formula_inside(latex + " x") == "<mo>" + symbol + "</mo><mi>x</mi>");
  }
  CHECK(formula_inside("\\infty\\ldots\\top") == "<mi>∞</mi><mi>…</mi><mi>⊤</mi>");
  CHECK(formula_inside("\\partial\\nabla\\ell\\forall\\exists") ==
        "<mi>∂</mi><mi>∇</mi><mi>ℓ</mi><mi>∀</mi><mi>∃</mi>");
  CHECK(formula_inside("\\|x\\|") == formula_fence("‖") + "<mi>x</mi>" + formula_fence("‖"));
  CHECK(formula_inside("\\{1\\}") == formula_fence("{") + "<mn>1</mn>" + formula_fence("}"));
  CHECK(formula_inside("a\\quad b\\,c") ==
        "<mi>a</mi><mspace width=\"1em\"/><mi>b</mi>" + kFormulaThin + "<mi>c</mi>");
  CHECK(formula_inside("5\\%") == "<mn>5</mn><mi>%</mi>");
}

TEST_CASE("functions stand off from letters, not from parentheses", "[formula]") {
  CHECK(formula_inside("\\sin x") == "<mi>sin</mi>" + kFormulaThin + "<mi>x</mi>");
  CHECK(formula_inside("2\\cos(x)") == "<mn>2</mn>" + kFormulaThin + "<mi>cos</mi>" +
                                           formula_fence("(") + "<mi>x</mi>" + formula_fence(")"));
  CHECK(formula_inside("\\operatorname{softmax}(x)").starts_with("<mi>softmax</mi><mo"));
}

TEST_CASE("sums and maxima have limits", "[formula]") {
  CHECK(formula_inside("\\sum_{i}^n") ==
        "<munderover><mo movablelimits=\"true\">∑</mo><mi>i</mi><mi>n</mi></munderover>");
  CHECK(formula_inside("\\max_k") ==
        "<munder><mo movablelimits=\"true\" lspace=\"0\" rspace=\"0\">max</mo><mi>k</mi></munder>");
  CHECK(formula_inside("\\prod^n") == "<mover><mo movablelimits=\"true\">∏</mo><mi>n</mi></mover>");
}

TEST_CASE("the arguments of a maximum have limits", "[formula]") {
  const std::string begin = R"(<munder><mo movablelimits="true" lspace="0" rspace="0">arg)";
  const std::string end = "</mo><mi>k</mi></munder>" + kFormulaThin + "<mi>x</mi>";
  CHECK(formula_inside("\\argmax_k x") == begin + "\u2009max" + end);
  CHECK(formula_inside("\\argmin_k x") == begin + "\u2009min" + end);
}

TEST_CASE("what belongs to an integral stands behind it", "[formula]") {
  CHECK(formula_inside("\\int_0^1 -x") ==
        "<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup><mo form=\"prefix\">−</mo><mi>x</mi>");
  CHECK(formula_inside("a\\int x") == "<mi>a</mi><mo>∫</mo><mi>x</mi>");
}

TEST_CASE("a binomial is a fraction without a line", "[formula]") {
  CHECK(formula_inside("\\binom n{k+1}") ==
        "<mrow>" + formula_stretched("(") +
            "<mfrac linethickness=\"0\"><mi>n</mi><mrow><mi>k</mi><mo>+</mo><mn>1</mn></mrow>"
            "</mfrac>" +
            formula_stretched(")") + "</mrow>");
}

TEST_CASE("braces stand below and above with what they say", "[formula]") {
  const std::string under = "<munder><mi>x</mi><mo stretchy=\"true\">⏟</mo></munder>";
  CHECK(formula_inside("\\underbrace{x}_{\\text{a}} - y") ==
        "<munder>" + under + "<mtext>a</mtext></munder><mo>−</mo><mi>y</mi>");
  CHECK(formula_inside("\\underbrace x - y") == under + "<mo>−</mo><mi>y</mi>");
  CHECK(formula_inside("\\overbrace{x}^n") ==
        "<mover><mover><mi>x</mi><mo stretchy=\"true\">⏞</mo></mover><mi>n</mi></mover>");
}

TEST_CASE("letters have alphabets", "[formula]") {
  CHECK(formula_inside("\\mathbb{R}\\mathbb{E}") == "<mi>ℝ</mi><mi>𝔼</mi>");
  CHECK(formula_inside("\\mathbf{Wx1}") == "<mi>𝐖𝐱𝟏</mi>");
  CHECK(formula_inside("\\mathcal{LN}") == "<mi>ℒ𝒩</mi>");
  CHECK(formula_inside("\\mathrm{PE}") == "<mi mathvariant=\"normal\">PE</mi>");
  CHECK(formula_inside("\\mathbb E\\mathbf xy\\mathcal{L}") ==
        "<mi>𝔼</mi><mi>𝐱</mi><mi>y</mi><mi>ℒ</mi>");
  CHECK(formula_inside("\\mathrm xy") == "<mi mathvariant=\"normal\">x</mi><mi>y</mi>");
  CHECK(formula_inside("x_\\mathrm d") ==
        "<msub><mi>x</mi><mi mathvariant=\"normal\">d</mi></msub>");
  CHECK(formula_inside("\\text{if x<1 }") == "<mtext>if\u00A0x&lt;1\u00A0</mtext>");
}

TEST_CASE("accents stand above", "[formula]") {
  CHECK(formula_inside("\\hat y") ==
        "<mover accent=\"true\"><mi>y</mi><mo stretchy=\"false\">^</mo></mover>");
  CHECK(formula_inside("\\bar{x}") ==
        "<mover accent=\"true\"><mi>x</mi><mo stretchy=\"false\">¯</mo></mover>");
}

TEST_CASE("delimiters stretch where they are told to", "[formula]") {
  CHECK(formula_inside("\\left( x \\right)^2") == "<msup><mrow>" + formula_stretched("(") +
                                                      "<mi>x</mi>" + formula_stretched(")") +
                                                      "</mrow><mn>2</mn></msup>");
  CHECK(formula_inside("\\left\\{ x \\right.") ==
        "<mrow>" + formula_stretched("{") + "<mi>x</mi></mrow>");
  CHECK(formula_inside("\\left\\|x\\right\\|") ==
        "<mrow>" + formula_stretched("‖") + "<mi>x</mi>" + formula_stretched("‖") + "</mrow>");
}

TEST_CASE("matrices have rows and cells", "[formula]") {
  CHECK(formula_inside("\\begin{pmatrix} a & b \\\\ c & -d \\end{pmatrix}") ==
        "<mrow>" + formula_stretched("(") +
            "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"
            "<mtr><mtd><mi>c</mi></mtd><mtd><mo form=\"prefix\">−</mo><mi>d</mi></mtd></mtr>"
            "</mtable>" +
            formula_stretched(")") + "</mrow>");
  // a line break at the end opens no row
  CHECK(formula_inside("\\begin{matrix} a \\\\ \\end{matrix}") ==
        "<mrow><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable></mrow>");
  CHECK(formula_inside("\\begin{cases} 1 & x \\\\ 0 \\end{cases}")
            .starts_with("<mrow>" + formula_stretched("{")));
  CHECK(formula_inside("\\begin{aligned} a &= b \\end{aligned}").find("displaystyle") !=
        std::string::npos);
}

TEST_CASE("characters beyond ASCII are letters, or the symbols they are", "[formula]") {
  CHECK(formula_inside("α≤é") == "<mi>α</mi><mo>≤</mo><mi>é</mi>");
  CHECK(formula_inside("∑_i") == formula_inside("\\sum_i"));
}

TEST_CASE("what is not understood is told with its place", "[formula]") {
  const auto says = [](std::string_view latex, const std::string& message) {
    CAPTURE(latex);
    CHECK_THROWS_MATCHES(to_mathml(latex, false), Error, Message(message));
  };
  says("x + \\foo", "'\\foo' is not known, at character 5");
  says("α \\href{javascript:x}{y}", "'\\href' is not known, at character 3");
  says("\\<", "'\\<' is not known, at character 1");
  says("\\é", "'\\é' is not known, at character 1");
  says("x\\", "a backslash stands at the end, at character 2");
  says("{x", "'{' is not closed, at character 1");
  says("x}", "'}' closes nothing, at character 2");
  says("a & b", "'&' stands outside of a matrix, at character 3");
  says("a \\\\ b", "'\\\\' stands outside of a matrix, at character 3");
  says("x^2^3", "a second superscript, at character 4");
  says("x_1_2", "a second subscript, at character 4");
  says("x^2'", "a second superscript, at character 4");
  says("x^", "something is missing, at character 3");
  says("\\frac{1}", "something is missing, at character 9");
  says("\\left( x", "'\\left' without its '\\right', at character 1");
  says("x \\right)", "'\\right' without its beginning, at character 3");
  says("\\left x \\right)",
       "'\\left' is followed by a delimiter: ( [ \\{ | or a dot, at character 7");
  says("\\left\\alpha", "'\\alpha' is no delimiter, at character 6");
  says("\\begin{tabular}", "the environment 'tabular' is not known, at character 1");
  says("\\begin{matrix} a", "'matrix' has no '\\end', at character 1");
  says("\\begin{matrix} a \\end{pmatrix}", "'matrix' is still open, at character 18");
  says("\\text{a", "'{' is not closed, at character 6");
  says("\\text{a \\alpha}", "only plain text can stand here, at character 9");
  says("\\text x", "'\\text' is followed by its text in braces, at character 7");
  says("\\mathrm+", "'\\mathrm' is followed by its text in braces, at character 8");
  says("\\mathbb", "'\\mathbb' is followed by its text in braces, at character 8");
  says("\\binom n", "something is missing, at character 9");
  says("\\underbrace", "something is missing, at character 12");
  says("\\mathbb{+}", "'\\mathbb' has no '+', at character 1");
  says("\\sqrt[3", "'[' is not closed, at character 6");
  says("50%", "'%' cannot stand in a formula (write '\\%'), at character 3");
  says("\"", "'\"' cannot stand in a formula, at character 1");
  says("\x1B", "'\uFFFD' cannot stand in a formula, at character 1");
  says("\xFF", "the formula is no UTF-8");
}

TEST_CASE("nesting without end is an error, not a crash", "[formula]") {
  for (const std::string open :
       {"{", "\\frac{", "x^{", "\\left(", "\\begin{matrix}", "\\sqrt[", "\\hat", "\\sqrt",
        "\\frac1", "x_", "^", "\\binom", "\\underbrace"}) {
    std::string latex;
    for (int i = 0; i < 100000; ++i) latex += open;
    CAPTURE(open);
    CHECK_THROWS_AS(to_mathml(latex, false), Error);
  }
}

TEST_CASE("no markup comes through a formula", "[formula]") {
  for (const std::string latex :
       {"\\text{</mtext><script>alert(1)</script>}", "\\mathrm{<img src=x onerror=y>}",
        "\\operatorname{\"><b>}", "<script>", "a<!--b-->", "\\text{\\&lt;}", "x&lt;"}) {
    CAPTURE(latex);
    try {
      const std::string mathml = to_mathml(latex, false);
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

}  // namespace
}  // namespace headway
