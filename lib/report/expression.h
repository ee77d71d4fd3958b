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
    kPath,     // text: "evaluation.by.carry"; begins with a variable, input or column
    kField,    // of operands[0]; text: the rest of the path
    kIndex,    // operands[0][operands[1]]
    kCall,     // text: the function; operands: its arguments
    kOperator  // text: "+", "and", …; one operand: "-" or "not"
  };
  Kind kind = Kind::kNumber;
  std::string text;
  double number = 0;
  std::vector<Expression> operands;

  // "heads" in "heads.drop"; only for kPath.
  std::string_view first_name() const;
  // Whether it is a path of one name.
  bool is_name() const;
};

// Reads expressions and the words around them, from left to right. All functions throw Error,
// without a location, if the text does not match.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text);

  Expression expression();
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
  class Depth;

  void next();
  void read_name();
  void read_number();
  void read_quoted();
  bool is_symbol(std::string_view symbol) const;
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
