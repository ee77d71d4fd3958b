#include "lib/report/expression.h"

#include <array>
#include <charconv>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

// Bytes beyond ASCII count as letters.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_character(char c) {
  return is_letter(c) || is_digit(c);
}

// Binary operators, lowest precedence first. `not` is between `and` and the comparisons.
const std::array<std::vector<std::string_view>, 5> kLevels = {{
    {"or"},
    {"and"},
    {"==", "!=", "<=", ">=", "<", ">"},
    {"+", "-"},
    {"*", "/"},
}};
constexpr std::size_t kComparisons = 2;  // comparisons do not chain: a < b < c is a mistake

Expression pair(Expression::Kind kind, std::string_view text, Expression left, Expression right) {
  Expression result{kind, std::string(text), 0, {}};
  result.operands.push_back(std::move(left));
  result.operands.push_back(std::move(right));
  return result;
}

}  // namespace

std::string read_quoted(std::string_view text, std::size_t& at) {
  std::string result;
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') {
      ++at;
      return result;
    }
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    result += text[at];
  }
  throw Error("a quote is opened and not closed");
}

ExpressionReader::ExpressionReader(std::string_view text) : text_(trim(text)) {
  next();
}

void ExpressionReader::expect(std::string_view expected) const {
  if (at_end()) throw Error("{} is expected at the end", expected);
  throw Error("{} is expected, not '{}'", expected, printable(fit(text_.substr(token_.begin), 40)));
}

void ExpressionReader::next() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  token_ = Token{};
  token_.begin = at_;
  if (at_ == text_.size()) return;
  const char c = text_[at_];
  if (is_letter(c)) return read_name();
  if (is_digit(c)) return read_number();
  if (c == '"') {
    token_.kind = Token::Kind::kText;
    token_.text = read_quoted(text_, at_);
    return;
  }
  token_.kind = Token::Kind::kSymbol;
  const std::string_view two = text_.substr(at_, 2);
  const bool is_long = two == "==" || two == "!=" || two == "<=" || two == ">=";
  token_.text = is_long ? two : text_.substr(at_, 1);
  at_ += token_.text.size();
}

// A name with its dotted path: "evaluation.accuracy.swaps.256".
void ExpressionReader::read_name() {
  token_.kind = Token::Kind::kName;
  while (at_ < text_.size()) {
    const bool has_next = at_ + 1 < text_.size() && is_name_character(text_[at_ + 1]);
    const bool joins = (text_[at_] == '-' || text_[at_] == '.' || text_[at_] == '@') && has_next;
    if (!is_name_character(text_[at_]) && !joins) break;
    token_.text += text_[at_++];
  }
}

void ExpressionReader::read_number() {
  token_.kind = Token::Kind::kNumber;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), token_.number);
  if (error != std::errc()) throw Error("a number is too large or too small");
  at_ += static_cast<std::size_t>(end - begin);
  token_.text = std::string(begin, end);
  if (at_ < text_.size() && is_letter(text_[at_]))
    throw Error("'{}' is neither a number nor a name",
                printable(fit(text_.substr(token_.begin), 40)));
}

bool ExpressionReader::is_symbol(std::string_view symbol) const {
  const bool is_word = token_.kind == Token::Kind::kName || token_.kind == Token::Kind::kSymbol;
  return is_word && token_.text == symbol;
}

bool ExpressionReader::take(std::string_view symbol) {
  if (!is_symbol(symbol)) return false;
  next();
  return true;
}

std::optional<std::string> ExpressionReader::word() {
  if (token_.kind != Token::Kind::kName) return std::nullopt;
  std::string word = token_.text;
  next();
  return word;
}

std::string ExpressionReader::name() {
  if (token_.kind != Token::Kind::kName || token_.text.find('.') != std::string::npos)
    expect("a name");
  return *word();
}

std::string ExpressionReader::quoted() {
  if (token_.kind != Token::Kind::kText) expect("a text in quotes");
  std::string text = token_.text;
  next();
  return text;
}

Expression ExpressionReader::nested(Expression (ExpressionReader::*read)()) {
  if (++depth_ > kDeepestExpression) throw Error("an expression is nested too deeply");
  Expression inner = (this->*read)();
  --depth_;
  return inner;
}

Expression ExpressionReader::binary(std::size_t level) {
  const auto operand = [&] {
    if (level + 1 == kComparisons) return negation();
    return level + 1 == kLevels.size() ? unary() : binary(level + 1);
  };
  Expression left = operand();
  for (std::size_t chain = 0;; ++chain) {
    std::string_view found;
    for (const std::string_view sign : kLevels[level]) {
      if (found.empty() && take(sign)) found = sign;
    }
    if (found.empty()) return left;
    // Each step of a chain is a level of the tree.
    if (chain == kDeepestExpression || (level == kComparisons && chain > 0))
      throw Error("too many '{}' in a row: use parentheses", found);
    left = pair(Expression::Kind::kOperator, found, std::move(left), operand());
  }
}

Expression ExpressionReader::negation() {
  if (!take("not")) return binary(kComparisons);
  return {Expression::Kind::kOperator, "not", 0, {nested(&ExpressionReader::negation)}};
}

Expression ExpressionReader::unary() {
  if (!take("-")) return postfix();
  return {Expression::Kind::kOperator, "-", 0, {nested(&ExpressionReader::unary)}};
}

Expression ExpressionReader::postfix() {
  Expression result = primary();
  for (std::size_t chain = 0; is_symbol(".") || is_symbol("["); ++chain) {
    if (chain == kDeepestExpression) throw Error("too many fields in a row");
    Expression key;
    if (take(".")) {
      if (token_.kind != Token::Kind::kName && token_.kind != Token::Kind::kNumber)
        expect("the name of a field");
      key = {Expression::Kind::kText, token_.text, 0, {}};
      next();
    } else {
      next();
      key = expression();
      if (!take("]")) expect("']'");
    }
    result = pair(Expression::Kind::kField, "", std::move(result), std::move(key));
  }
  return result;
}

Expression ExpressionReader::primary() {
  const Token token = token_;
  if (take("(")) {
    Expression inner = expression();
    if (!take(")")) expect("')'");
    return inner;
  }
  if (token.kind == Token::Kind::kEnd || token.kind == Token::Kind::kSymbol) expect("a value");
  for (const std::string_view reserved : {"and", "or", "not", "in"}) {
    if (token.kind == Token::Kind::kName && token.text == reserved) expect("a value");
  }
  next();
  if (token.kind == Token::Kind::kNumber)
    return {Expression::Kind::kNumber, token.text, token.number, {}};
  if (token.kind == Token::Kind::kText) return {Expression::Kind::kText, token.text, 0, {}};
  if (token.text == "true" || token.text == "false")
    return {Expression::Kind::kBoolean, "", token.text == "true" ? 1.0 : 0.0, {}};
  if (is_symbol("(")) return call(token.text);
  return {Expression::Kind::kPath, token.text, 0, {}};
}

Expression ExpressionReader::call(std::string function) {
  next();
  Expression result{Expression::Kind::kCall, std::move(function), 0, {}};
  if (take(")")) return result;
  do {
    result.operands.push_back(expression());
  } while (take(","));
  if (!take(")")) expect("',' or ')'");
  return result;
}

}  // namespace headway
