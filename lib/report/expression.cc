#include "lib/report/expression.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "lib/base/error.h"
#include "lib/base/text.h"

namespace headway {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

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

Expression operation(std::string_view sign, std::vector<Expression> operands) {
  return {Expression::Kind::kOperator, std::string(sign), 0, std::move(operands)};
}

}  // namespace

std::string_view Expression::first_name() const {
  return std::string_view(text).substr(0, text.find('.'));
}

bool Expression::is_name() const {
  return kind == Kind::kPath && text.find('.') == std::string::npos;
}

class ExpressionReader::Depth {
 public:
  explicit Depth(std::size_t& depth) : depth_(depth) {
    if (++depth_ > kDeepestExpression) throw Error("an expression is nested too deeply");
  }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  ~Depth() { --depth_; }

 private:
  std::size_t& depth_;
};

ExpressionReader::ExpressionReader(std::string_view text) : text_(trim(text)) {
  next();
}

void ExpressionReader::expect(std::string_view expected) const {
  if (at_end()) throw Error(fmt::format("{} is expected at the end", expected));
  throw Error(fmt::format("{} is expected, not '{}'", expected,
                          printable(fit(text_.substr(token_.begin), 40))));
}

void ExpressionReader::next() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  token_ = Token{};
  token_.begin = at_;
  if (at_ == text_.size()) return;
  const char c = text_[at_];
  if (is_letter(c)) return read_name();
  if (is_digit(c)) return read_number();
  if (c == '"') return read_quoted();
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
    throw Error(fmt::format("'{}' is neither a number nor a name",
                            printable(fit(text_.substr(token_.begin), 40))));
}

void ExpressionReader::read_quoted() {
  token_.kind = Token::Kind::kText;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      ++at_;
      return;
    }
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    token_.text += text_[at_];
  }
  throw Error("a quote is opened and not closed");
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

Expression ExpressionReader::expression() {
  const Depth depth(depth_);
  return binary(0);
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
      throw Error(fmt::format("too many '{}' in a row: use parentheses", found));
    std::vector<Expression> operands;
    operands.push_back(std::move(left));
    operands.push_back(operand());
    left = operation(found, std::move(operands));
  }
}

Expression ExpressionReader::negation() {
  if (!take("not")) return binary(kComparisons);
  const Depth depth(depth_);
  return operation("not", {negation()});
}

Expression ExpressionReader::unary() {
  if (!take("-")) return postfix();
  const Depth depth(depth_);
  return operation("-", {unary()});
}

Expression ExpressionReader::postfix() {
  Expression result = primary();
  for (std::size_t chain = 0; is_symbol(".") || is_symbol("["); ++chain) {
    if (chain == kDeepestExpression) throw Error("too many fields in a row");
    const bool is_field = is_symbol(".");
    next();
    Expression outer;
    outer.kind = is_field ? Expression::Kind::kField : Expression::Kind::kIndex;
    outer.operands.push_back(std::move(result));
    if (is_field) {
      if (token_.kind != Token::Kind::kName && token_.kind != Token::Kind::kNumber)
        expect("the name of a field");
      outer.text = token_.text;
      next();
    } else {
      outer.operands.push_back(expression());
      if (!take("]")) expect("']'");
    }
    result = std::move(outer);
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
