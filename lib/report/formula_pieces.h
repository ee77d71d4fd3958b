// Pieces of a formula as MathML, and what stands between them. Knows no commands of LaTeX.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "lib/report/escape.h"
#include "lib/report/formula_symbols.h"

namespace headway {

struct FormulaPiece {
  std::string mathml;
  FormulaKind kind = FormulaKind::kOrdinary;
};

inline std::string math_space(std::string_view width) {
  return fmt::format("<mspace width=\"{}\"/>", width);
}

inline bool is_function(FormulaKind kind) {
  return kind == FormulaKind::kFunction || kind == FormulaKind::kLimits;
}

// TeX's thin space beside names of functions; MathML has none of its own.
inline bool needs_thin_space(FormulaKind left, FormulaKind right) {
  using enum FormulaKind;
  if (is_function(left)) return right == kOrdinary || is_function(right);
  return is_function(right) && (left == kOrdinary || left == kClosing);
}

inline std::string joined_pieces(const std::vector<FormulaPiece>& pieces) {
  std::string mathml;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0 && needs_thin_space(pieces[i - 1].kind, pieces[i].kind))
      mathml += math_space("0.1667em");
    mathml += pieces[i].mathml;
  }
  return mathml;
}

inline std::string one_element(const std::vector<FormulaPiece>& pieces) {
  if (pieces.size() == 1) return pieces.front().mathml;
  return "<mrow>" + joined_pieces(pieces) + "</mrow>";
}

inline std::string fence(std::string_view text, bool stretches) {
  if (text.empty()) return "";
  return fmt::format(R"(<mo stretchy="{}" lspace="0" rspace="0">{}</mo>)", stretches,
                     html_escaped(text));
}

inline bool is_capital_greek(std::string_view text) {
  return text >= "Α" && text <= "Ω";
}

inline FormulaPiece symbol_piece(const FormulaSymbol& symbol) {
  using enum FormulaKind;
  const std::string text = html_escaped(symbol.text);
  switch (symbol.kind) {
    case kOrdinary:
      if (is_capital_greek(symbol.text))
        return {"<mi mathvariant=\"normal\">" + text + "</mi>", symbol.kind};
      return {"<mi>" + text + "</mi>", symbol.kind};
    case kOpening:
    case kClosing:
      return {fence(symbol.text, false), symbol.kind};
    case kFunction:
      return {"<mi>" + text + "</mi>", symbol.kind};
    case kLimits:
      if (text.front() >= 'A' && text.front() <= 'z')  // a name
        return {R"(<mo movablelimits="true" lspace="0" rspace="0">)" + text + "</mo>", symbol.kind};
      return {R"(<mo movablelimits="true">)" + text + "</mo>", symbol.kind};
    default:
      return {"<mo>" + text + "</mo>", symbol.kind};
  }
}

// One of ASCII's signs and parentheses; `before`: what stands before it.
inline FormulaPiece character_piece(char c, FormulaKind before) {
  using enum FormulaKind;
  const std::string text = c == '-' ? "−" : c == '*' ? "∗" : html_escaped(std::string(1, c));
  switch (c) {
    case '+':
    case '-': {
      const bool is_sign = before != kOrdinary && before != kClosing && before != kSpace;
      return {fmt::format("<mo{}>{}</mo>", is_sign ? " form=\"prefix\"" : "", text),
              is_sign ? kOpening : kBinary};
    }
    case '(':
    case '[':
      return {fence(text, false), kOpening};
    case ')':
    case ']':
    case '!':
      return {fence(text, false), kClosing};
    case '/':
    case '|':
    case '.':
    case '?':
      return {fence(text, false)};
    case '~':
      return {math_space("0.25em"), kSpace};
    case ',':
    case ';':
      return {"<mo>" + text + "</mo>", kPunctuation};
    default:
      return {"<mo>" + text + "</mo>", kRelation};
  }
}

}  // namespace headway
