#include "lib/report/formula.h"

#include <fmt/format.h>

#include <vector>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/escape.h"
#include "lib/report/formula_letters.h"
#include "lib/report/formula_pieces.h"
#include "lib/report/formula_reader.h"
#include "lib/report/formula_symbols.h"

namespace headway {
namespace {

class FormulaParser : FormulaReader {
 public:
  using FormulaReader::FormulaReader;

  std::string whole() {
    const std::string mathml = joined_pieces(pieces());
    if (at_ == latex_.size()) return mathml;
    if (peek() == '}') fail("'}' closes nothing");
    if (peek() == '&') fail("'&' stands outside of a matrix");
    if (sees("\\\\")) fail("'\\\\' stands outside of a matrix");
    fail(fmt::format("'{}' without its beginning", sees("\\end") ? "\\end" : "\\right"));
  }

 private:
  // Formulas come from files: what is nested without end must not fill the stack.
  struct Deeper {
    explicit Deeper(FormulaParser& nesting) : parser(nesting) {
      if (++parser.depth_ > 100) parser.fail("nested too deeply");
    }
    ~Deeper() { --parser.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    FormulaParser& parser;
  };

  // Ends what is being read: a group, a cell, a row, an environment, the formula.
  bool at_end() {
    skip_spaces();
    return at_ == latex_.size() || peek() == '}' || peek() == '&' || sees("\\\\") ||
           sees_command("right") || sees_command("end");
  }

  std::vector<FormulaPiece> pieces() {
    const Deeper deeper(*this);
    std::vector<FormulaPiece> result;
    while (!at_end()) {
      const FormulaKind before = result.empty() ? FormulaKind::kOpening : result.back().kind;
      result.push_back(scripted(before));
    }
    return result;
  }

  // A piece with what stands above and below it.
  FormulaPiece scripted(FormulaKind before) {
    const bool bare = peek() == '^' || peek() == '_' || peek() == '\'';
    FormulaPiece base = bare ? FormulaPiece{"<mrow></mrow>"} : atom(before);
    std::string below, above;
    for (skip_spaces(); at_ < latex_.size(); skip_spaces()) {
      if (peek() == '\'') {
        if (!above.empty()) fail("a second superscript");
        above = primes();
      } else if (peek() == '^' || peek() == '_') {
        script(peek() == '^' ? above : below, peek() == '^' ? "superscript" : "subscript");
      } else {
        break;
      }
    }
    if (!above.empty() || !below.empty()) base.mathml = with_scripts(base, below, above);
    if (base.kind == FormulaKind::kBraced) base.kind = FormulaKind::kOrdinary;
    return base;
  }

  void script(std::string& place, std::string_view what) {
    const bool behind_primes = place.starts_with("<mo>′");
    if (!place.empty() && !behind_primes) fail(fmt::format("a second {}", what));
    ++at_;
    place = behind_primes ? "<mrow>" + place + argument() + "</mrow>" : argument();
  }

  static std::string with_scripts(const FormulaPiece& base, const std::string& below,
                                  const std::string& above) {
    const bool limits = base.kind == FormulaKind::kLimits || base.kind == FormulaKind::kBraced;
    const char* element = limits ? "munderover" : "msubsup";
    if (above.empty()) element = limits ? "munder" : "msub";
    if (below.empty()) element = limits ? "mover" : "msup";
    return fmt::format("<{0}>{1}{2}{3}</{0}>", element, base.mathml, below, above);
  }

  std::string primes() {
    std::string text;
    for (; peek() == '\''; ++at_) text += "′";
    return "<mo>" + text + "</mo>";
  }

  // One element: a group in braces, a digit, a letter or a command with its arguments.
  std::string argument() {
    const Deeper deeper(*this);
    if (at_end()) fail("something is missing");
    if (peek() == '{') return group();
    if (formula_is_digit(peek())) return fmt::format("<mn>{}</mn>", latex_[at_++]);
    return atom(FormulaKind::kOpening).mathml;
  }

  std::string group() {
    const std::size_t open = at_++;
    const std::string mathml = one_element(pieces());
    if (peek() != '}') fail_at(open, "'{' is not closed");
    ++at_;
    return mathml;
  }

  FormulaPiece atom(FormulaKind before) {
    const char c = peek();
    if (c == '{') return {group()};
    if (c == '\\') return command();
    if (formula_is_digit(c)) return {"<mn>" + take_number() + "</mn>"};
    if (formula_is_letter(c)) return {fmt::format("<mi>{}</mi>", latex_[at_++])};
    if (static_cast<unsigned char>(c) >= 0x80) return beyond_ascii();
    return operator_character(before);
  }

  FormulaPiece operator_character(FormulaKind before) {
    const char c = latex_[at_];
    if (std::string_view("+-*/=<>,;:.!?()[]|~").find(c) == std::string_view::npos)
      fail(fmt::format("'{}' cannot stand in a formula{}", printable(std::string(1, c)),
                       c == '%' || c == '#' ? fmt::format(" (write '\\{}')", c) : ""));
    ++at_;
    return character_piece(c, before);
  }

  FormulaPiece beyond_ascii() {
    const std::string character = take_character();
    for (const auto& [name, symbol] : formula_symbols()) {
      if (symbol.text == character) return symbol_piece(symbol);
    }
    return {"<mi>" + html_escaped(character) + "</mi>"};
  }

  FormulaPiece command() {
    const std::size_t begin = at_;
    const std::string name = take_command();
    if (const auto symbol = formula_symbols().find(name); symbol != formula_symbols().end())
      return symbol_piece(symbol->second);
    if (const auto space = formula_spaces().find(name); space != formula_spaces().end())
      return {math_space(space->second), FormulaKind::kSpace};
    if (const auto accent = formula_accents().find(name); accent != formula_accents().end())
      return {accented(name, accent->second)};
    if (const auto alphabet = formula_alphabet(name)) return {letters(name, *alphabet, begin)};
    if (name == "|" || name == "Vert") return {fence("‖", false)};
    if (name == "vert") return {fence("|", false)};
    if (name == "frac" || name == "tfrac" || name == "dfrac") return {fraction()};
    if (name == "binom") return {binomial()};
    if (name == "sqrt") return {root()};
    if (name == "underbrace") return {braced("munder", "⏟"), FormulaKind::kBraced};
    if (name == "overbrace") return {braced("mover", "⏞"), FormulaKind::kBraced};
    if (name == "text" || name == "mathrm") return {upright(name)};
    if (name == "operatorname")
      return {"<mi>" + html_escaped(take_text(name)) + "</mi>", FormulaKind::kFunction};
    if (name == "left") return {stretched(begin)};
    if (name == "begin") return {environment(begin)};
    fail_at(begin, fmt::format("'\\{}' is not known", printable(name)));
  }

  std::string fraction() {
    const std::string above = argument();
    return "<mfrac>" + above + argument() + "</mfrac>";
  }

  std::string binomial() {
    const std::string above = argument();
    return "<mrow>" + fence("(", true) + "<mfrac linethickness=\"0\">" + above + argument() +
           "</mfrac>" + fence(")", true) + "</mrow>";
  }

  std::string braced(std::string_view element, std::string_view brace) {
    return fmt::format(R"(<{0}>{1}<mo stretchy="true">{2}</mo></{0}>)", element, argument(), brace);
  }

  std::string root() {
    skip_spaces();
    if (peek() != '[') return "<msqrt>" + argument() + "</msqrt>";
    const std::size_t open = at_++;
    const std::size_t close = latex_.find(']', at_);
    if (close == std::string_view::npos) fail_at(open, "'[' is not closed");
    FormulaParser degree(latex_.substr(0, close));
    degree.at_ = at_;
    degree.depth_ = depth_ + 1;
    const std::string mathml = one_element(degree.pieces());
    if (degree.at_ != close) fail_at(open, "the root's degree is not understood");
    at_ = close + 1;
    return "<mroot>" + argument() + mathml + "</mroot>";
  }

  std::string accented(std::string_view name, std::string_view accent) {
    const bool stretches = name.starts_with("wide") || name == "overline";
    return fmt::format(R"(<mover accent="true">{}<mo stretchy="{}">{}</mo></mover>)", argument(),
                       stretches, accent);
  }

  std::string letters(std::string_view command, const FormulaAlphabet& alphabet,
                      std::size_t begin) {
    std::string text;
    for (const char c : take_letters(command)) {
      const std::string letter = alphabet.letter(c);
      if (letter.empty())
        fail_at(begin, fmt::format("'\\{}' has no '{}'", command, printable(std::string(1, c))));
      text += letter;
    }
    return "<mi>" + text + "</mi>";
  }

  std::string upright(std::string_view command) {
    std::string text;
    for (const char c : command == "text" ? take_text(command) : take_letters(command)) {
      if (c == ' ')
        text += "\u00A0";  // a plain one at the ends would be taken off
      else
        text += c;
    }
    if (command == "text") return "<mtext>" + html_escaped(text) + "</mtext>";
    return "<mi mathvariant=\"normal\">" + html_escaped(text) + "</mi>";
  }

  // What follows \left or \right; empty for the dot, which is none.
  std::string delimiter(std::string_view command) {
    skip_spaces();
    if (peek() == '\\') {
      const std::size_t begin = at_;
      const std::string name = take_command();
      if (name == "|" || name == "Vert") return "‖";
      if (name == "vert") return "|";
      const auto symbol = formula_symbols().find(name);
      if (symbol != formula_symbols().end() && (symbol->second.kind == FormulaKind::kOpening ||
                                                symbol->second.kind == FormulaKind::kClosing))
        return std::string(symbol->second.text);
      fail_at(begin, fmt::format("'\\{}' is no delimiter", printable(name)));
    }
    if (peek() == '\0' || std::string_view("()[]|./").find(peek()) == std::string_view::npos)
      fail(fmt::format("'\\{}' is followed by a delimiter: ( [ \\{{ | or a dot", command));
    const char c = latex_[at_++];
    return c == '.' ? "" : std::string(1, c);
  }

  std::string stretched(std::size_t begin) {
    const std::string left = delimiter("left");
    const std::string inside = joined_pieces(pieces());
    if (!sees_command("right")) fail_at(begin, "'\\left' without its '\\right'");
    at_ += 6;
    return "<mrow>" + fence(left, true) + inside + fence(delimiter("right"), true) + "</mrow>";
  }

  std::string environment(std::size_t begin) {
    const std::string name = take_text("begin");
    const FormulaEnvironment* kind = formula_environment(name);
    if (kind == nullptr)
      fail_at(begin, fmt::format("the environment '{}' is not known", printable(name)));
    const std::string rows = table_rows(kind->first_cell, kind->other_cells);
    if (!sees_command("end")) fail_at(begin, fmt::format("'{}' has no '\\end'", name));
    const std::size_t end = at_;
    at_ += 4;
    if (take_text("end") != name) fail_at(end, fmt::format("'{}' is still open", name));
    return "<mrow>" + fence(kind->left, true) + "<mtable" + std::string(kind->attributes) + ">" +
           rows + "</mtable>" + fence(kind->right, true) + "</mrow>";
  }

  std::string table_rows(std::string_view first_cell, std::string_view other_cells) {
    std::string rows;
    while (true) {
      std::string cells;
      for (bool first = true;; first = false) {
        cells += fmt::format("<mtd{}>{}</mtd>", first ? first_cell : other_cells,
                             joined_pieces(pieces()));
        if (peek() != '&') break;
        ++at_;
      }
      rows += "<mtr>" + cells + "</mtr>";
      if (!sees("\\\\")) return rows;
      at_ += 2;
      skip_spaces();
      if (sees_command("end")) return rows;
    }
  }

  int depth_ = 0;
};

}  // namespace

std::string to_mathml(std::string_view latex, bool display) {
  if (!is_utf8(latex)) throw Error("the formula is no UTF-8");
  const std::string mathml = FormulaParser(latex).whole();
  return fmt::format("<math{}>{}</math>", display ? " display=\"block\"" : "", mathml);
}

}  // namespace headway
