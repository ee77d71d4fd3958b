// Expressions of report templates: `count(where(heads, drop > 10)) > 0`. This file is their syntax;
// lib/report/evaluator.h gives them values. README.md describes the language for users.
//
// Operators, loosest first: or, and, not, comparisons (== != < <= > >=), + -, * /, unary -, then
// .field and [key]. A dash between two letters or digits belongs to a name: `a-b` is one name,
// `a - b` a difference.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

struct Expression {
  enum class Kind {
    kNumber,
    kText,
    kBoolean,  // number is 0 or 1
    kPath,     // text: "evaluation.by.length"; begins with a variable, input or column
    kField,    // operands[0][operands[1]]; the same as operands[0].field
    kCall,     // text: the function; operands: its arguments
    kOperator  // text: "+", "and", …; one operand: "-" or "not"
  };
  Kind kind = Kind::kNumber;
  std::string text;
  double number = 0;
  std::vector<Expression> operands;

  // "heads" in "heads.drop"; only for kPath.
  std::string_view first_name() const { return std::string_view(text).substr(0, text.find('.')); }
  // Whether it is a path of one name.
  bool is_name() const { return kind == Kind::kPath && text.find('.') == std::string::npos; }
};

// Reads the text in quotes that begins at `at`, and moves `at` behind it; a backslash quotes a
// character. Throws Error if the quote is not closed.
std::string read_quoted(std::string_view text, std::size_t& at);

// Reads expressions and the words around them, from left to right. All functions throw Error,
// without a location, if the text does not match; then the reader must not be used any more.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text);

  Expression expression() { return nested(&ExpressionReader::whole); }
  std::string name();                          // a name without dots
  std::string quoted();                        // a text in quotes
  bool take(std::string_view word_or_symbol);  // reads it if it is next, and returns whether it was
  bool at_end() const { return token_.kind == Token::Kind::kEnd; }
  std::optional<std::string> word();  // reads a name if one is next
  std::size_t offset() const { return token_.begin; }

  [[noreturn]] void expect(std::string_view expected) const;

 private:
  struct Token {
    enum class Kind { kEnd, kNumber, kText, kName, kSymbol };
    Kind kind = Kind::kEnd;
    std::string text;
    double number = 0;
    std::size_t begin = 0;
  };

  void next();
  Expression nested(Expression (ExpressionReader::*read)());
  void read_name();
  void read_number();
  bool is_symbol(std::string_view symbol) const;
  Expression whole() { return binary(0); }
  Expression binary(std::size_t level);
  Expression negation();
  Expression unary();
  Expression postfix();
  Expression primary();
  Expression call(std::string function);

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
  std::size_t depth_ = 0;
};

// Evaluation is recursive, so deeper expressions are refused.
inline constexpr std::size_t kDeepestExpression = 60;

}  // namespace headway
