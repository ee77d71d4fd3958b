// Letters of other alphabets, and the environments of formulas. MathML as browsers know it has no
// attribute for bold or blackboard letters: they are characters of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/report/escape.h"

namespace headway {

struct FormulaAlphabet {
  char32_t capitals = 0;  // where 'A' is; 0: has none
  char32_t smalls = 0;
  char32_t digits = 0;
  std::string_view replaced;      // letters that Unicode had before, in order …
  std::u32string_view replacing;  // … and where they are

  // Empty where the alphabet has no such letter.
  std::string letter(char c) const;
};

// For \mathbf, \mathbb and \mathcal; nothing for other commands.
inline std::optional<FormulaAlphabet> formula_alphabet(std::string_view command) {
  if (command == "mathbf") return FormulaAlphabet{0x1D400, 0x1D41A, 0x1D7CE, "", U""};
  if (command == "mathbb") return FormulaAlphabet{0x1D538, 0x1D552, 0x1D7D8, "CHNPQRZ", U"ℂℍℕℙℚℝℤ"};
  if (command == "mathcal")
    return FormulaAlphabet{0x1D49C, 0x1D4B6, 0, "BEFHILMRego", U"ℬℰℱℋℐℒℳℛℯℊℴ"};
  return std::nullopt;
}

inline std::string FormulaAlphabet::letter(char c) const {
  char32_t code = 0;
  if (const std::size_t at = replaced.find(c); at != std::string_view::npos)
    code = replacing[at];
  else if (c >= 'A' && c <= 'Z' && capitals != 0)
    code = capitals + static_cast<char32_t>(c - 'A');
  else if (c >= 'a' && c <= 'z' && smalls != 0)
    code = smalls + static_cast<char32_t>(c - 'a');
  else if (c >= '0' && c <= '9' && digits != 0)
    code = digits + static_cast<char32_t>(c - '0');
  return code == 0 ? "" : utf8_of(code);
}

struct FormulaEnvironment {
  std::string_view name;
  std::string_view left, right;  // delimiters
  std::string_view attributes;   // of the table
  std::string_view first_cell, other_cells;
};

// None where there is no such environment.
inline const FormulaEnvironment* formula_environment(std::string_view name) {
  static constexpr std::string_view kLeft = " style=\"text-align:left\"";
  static constexpr std::string_view kRight = " style=\"text-align:right;padding-right:0\"";
  static constexpr std::string_view kJoined = " style=\"text-align:left;padding-left:0\"";
  static constexpr std::string_view kDisplayed = " displaystyle=\"true\"";
  static constexpr FormulaEnvironment kEnvironments[] = {
      {"matrix", "", "", "", "", ""},       {"pmatrix", "(", ")", "", "", ""},
      {"bmatrix", "[", "]", "", "", ""},    {"vmatrix", "|", "|", "", "", ""},
      {"cases", "{", "", "", kLeft, kLeft}, {"aligned", "", "", kDisplayed, kRight, kJoined},
  };
  for (const FormulaEnvironment& environment : kEnvironments) {
    if (environment.name == name) return &environment;
  }
  return nullptr;
}

}  // namespace headway
