// A formula's text, taken from the front piece by piece. Knows the words of LaTeX (commands,
// numbers, texts in braces), not what they mean.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {

inline bool formula_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

inline bool formula_is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline bool formula_is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class FormulaReader {
 public:
  explicit FormulaReader(std::string_view latex) : latex_(latex) {}

 protected:
  [[noreturn]] void fail(const std::string& problem) const { fail_at(at_, problem); }

  [[noreturn]] void fail_at(std::size_t at, const std::string& problem) const {
    throw Error(
        fmt::format("{}, at character {}", problem, display_width(latex_.substr(0, at)) + 1));
  }

  char peek() const { return at_ < latex_.size() ? latex_[at_] : '\0'; }

  bool sees(std::string_view text) const { return latex_.substr(at_).starts_with(text); }

  bool sees_command(std::string_view command) const {
    const std::size_t end = at_ + 1 + command.size();
    return peek() == '\\' && latex_.substr(at_ + 1).starts_with(command) &&
           (end >= latex_.size() || !formula_is_letter(latex_[end]));
  }

  void skip_spaces() {
    while (at_ < latex_.size() && formula_is_space(latex_[at_])) ++at_;
  }

  // A character beyond ASCII is several bytes.
  std::string take_character() {
    const std::size_t begin = at_++;
    while (at_ < latex_.size() && (static_cast<unsigned char>(latex_[at_]) & 0xC0) == 0x80) ++at_;
    return std::string(latex_.substr(begin, at_ - begin));
  }

  // "alpha" of \alpha, "," of \,
  std::string take_command() {
    const std::size_t begin = ++at_;
    while (formula_is_letter(peek())) ++at_;
    if (at_ == begin) {
      if (at_ == latex_.size()) fail_at(begin - 1, "a backslash stands at the end");
      return take_character();
    }
    return std::string(latex_.substr(begin, at_ - begin));
  }

  // The text between braces as it is.
  std::string take_text(std::string_view command) {
    skip_spaces();
    if (peek() != '{') fail(fmt::format("'\\{}' is followed by its text in braces", command));
    const std::size_t open = at_++;
    std::string text;
    for (; peek() != '}'; ++at_) {
      if (at_ >= latex_.size()) fail_at(open, "'{' is not closed");
      if (peek() == '{' || peek() == '$') fail("only plain text can stand here");
      if (peek() == '\\') {
        ++at_;
        if (std::string_view("%#&$_{} ").find(peek()) == std::string_view::npos)
          fail_at(at_ - 1, "only plain text can stand here");
      }
      text += peek();
    }
    ++at_;
    return text;
  }

  // The same, or one letter or digit without braces: \mathbb E.
  std::string take_letters(std::string_view command) {
    skip_spaces();
    if (formula_is_letter(peek()) || formula_is_digit(peek())) return {latex_[at_++]};
    return take_text(command);
  }

  // 0.95, and 810{,}000, which is how LaTeX writes thousands.
  std::string take_number() {
    std::string digits;
    const auto digit_at = [&](std::size_t at) {
      return at < latex_.size() && formula_is_digit(latex_[at]);
    };
    while (true) {
      if (digit_at(at_)) {
        digits += latex_[at_++];
      } else if (peek() == '.' && digit_at(at_ + 1)) {
        digits += latex_[at_++];
      } else if (sees("{,}") && digit_at(at_ + 3)) {
        digits += ',';
        at_ += 3;
      } else {
        return digits;
      }
    }
  }

  std::string_view latex_;
  std::size_t at_ = 0;
};

}  // namespace headway
