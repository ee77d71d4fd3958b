#include "lib/report/evaluator.h"

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/functions.h"
#include "lib/report/sources.h"

namespace headway {
namespace {

constexpr std::size_t kMostSteps = 10'000'000;
constexpr std::size_t kLongestText = 100'000;

double operand_number(const TemplateValue& value, std::string_view sign) {
  if (const TemplateNumber* number = std::get_if<TemplateNumber>(&value)) return number->value;
  if (const std::string* text = std::get_if<std::string>(&value))
    throw Error("'{}' needs numbers, not the text '{}'", sign, printable(fit(*text, 60)));
  throw Error("'{}' needs numbers, not {}", sign, kind_name(value));
}

TemplateValue arithmetic(std::string_view sign, const TemplateValue& left,
                         const TemplateValue& right) {
  const bool is_text =
      std::holds_alternative<std::string>(left) || std::holds_alternative<std::string>(right);
  if (sign == "+" && is_text) {
    std::string text = text_of(left) + text_of(right);
    if (text.size() > kLongestText) throw Error("a text is too long");
    return text;
  }
  const double a = operand_number(left, sign), b = operand_number(right, sign);
  if (sign == "+") return number_value(a + b);
  if (sign == "-") return number_value(a - b);
  return number_value(sign == "*" ? a * b : a / b);
}

TemplateValue comparison(std::string_view sign, const TemplateValue& left,
                         const TemplateValue& right) {
  const int order = compare(left, right);
  if (sign == "==") return order == 0;
  if (sign == "!=") return order != 0;
  // Texts and numbers have no common order.
  if (left.index() != right.index())
    throw Error("'{}' compares {} with {}", sign, kind_name(left), kind_name(right));
  if (sign == "<") return order < 0;
  if (sign == "<=") return order <= 0;
  return sign == ">" ? order > 0 : order >= 0;
}

}  // namespace

void Evaluator::count_steps(std::size_t steps) {
  steps_ += steps;
  if (steps_ > kMostSteps) throw Error("the template takes too long: it computes too much");
}

const TemplateValue* Evaluator::find_variable(std::string_view name) const {
  for (auto one = variables_.rbegin(); one != variables_.rend(); ++one) {
    if (one->first == name) return &one->second;
  }
  return nullptr;
}

TemplateValue Evaluator::input_value(const std::string& name) {
  const auto found = inputs_.find(name);
  if (found != inputs_.end()) return found->second;
  return inputs_.emplace(name, read_input(sources_, name)).first->second;
}

TemplateValue Evaluator::value(const Expression& expression) {
  count_steps(1);
  switch (expression.kind) {
    case Expression::Kind::kNumber:
      return TemplateNumber{expression.number, expression.text};
    case Expression::Kind::kText:
      return expression.text;
    case Expression::Kind::kBoolean:
      return expression.number != 0;
    case Expression::Kind::kPath:
      return path_value(expression);
    case Expression::Kind::kField:
      return field_value(value(expression.operands[0]), text_of(value(expression.operands[1])));
    case Expression::Kind::kCall: {
      FunctionCall call(*this, expression);
      return function_of(expression).run(call);
    }
    case Expression::Kind::kOperator:
      return operation(expression);
  }
  return {};
}

TemplateValue Evaluator::operation(const Expression& expression) {
  const std::string& sign = expression.text;
  const std::vector<Expression>& operands = expression.operands;
  if (sign == "not") return !truth(operands[0]);
  if (sign == "and") return truth(operands[0]) && truth(operands[1]);
  if (sign == "or") return truth(operands[0]) || truth(operands[1]);
  const TemplateValue left = value(operands[0]);
  if (operands.size() == 1)
    return left.is_nothing() ? left : number_value(-operand_number(left, sign));
  const TemplateValue right = value(operands[1]);
  if (left.is_nothing() || right.is_nothing()) return {};
  const bool is_arithmetic = sign == "+" || sign == "-" || sign == "*" || sign == "/";
  return is_arithmetic ? arithmetic(sign, left, right) : comparison(sign, left, right);
}

bool Evaluator::truth(const Expression& condition) {
  const bool asks_for_input = condition.is_name() && !in_row() && !find_variable(condition.text);
  return asks_for_input ? sources_.has(condition.text) : is_true(value(condition));
}

// Looks for columns of the rows (innermost first), then variables, then inputs.
TemplateValue Evaluator::path_value(const Expression& path) {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    if (std::optional<TemplateValue> found = find_in_row(*row, path.text)) return *found;
  }
  const std::string name(path.first_name());
  const std::string_view rest =
      path.is_name() ? "" : std::string_view(path.text).substr(name.size() + 1);
  if (in_row() && name == "row") return field_value(rows_.back(), rest);
  if (const TemplateValue* variable = find_variable(name)) return field_value(*variable, rest);
  if (sources_.has(name)) return field_value(input_value(name), rest);
  if (in_row()) return cell_at(rows_.back(), path.text);
  throw Error("'{}' is neither a variable nor a connected input", name);
}

// A column, or a field of a computed one: "best.accuracy".
std::optional<TemplateValue> Evaluator::find_in_row(const TableRow& row, std::string_view path) {
  if (const TemplateValue* cell = find_cell(row, path)) return *cell;
  const std::size_t dot = path.find('.');
  const std::string_view column = path.substr(0, dot);
  if (dot == std::string_view::npos || !row.source->computed.contains(column)) return std::nullopt;
  return field_value(*find_cell(row, column), path.substr(dot + 1));
}

TemplateValue Evaluator::field_value(const TemplateValue& value, std::string_view path) {
  if (path.empty() || value.is_nothing()) return value;
  if (const TableRow* row = std::get_if<TableRow>(&value)) {
    const std::optional<TemplateValue> found = find_in_row(*row, path);
    return found ? *found : cell_at(*row, path);
  }
  if (const MetricsValue* metrics = std::get_if<MetricsValue>(&value)) {
    const Json* found = find_metric(*metrics->json, path);
    return found ? metric_value({metrics->file, found}) : TemplateValue();
  }
  if (const RowsValue* table = std::get_if<RowsValue>(&value))
    throw Error("{} is a table, of which '{}' is a column: name a row, as in first(…).{}",
                (*table)->source->origin, path, path);
  throw Error("{} has no '{}'", kind_name(value), path);
}

TemplateValue Evaluator::value_in(const TableRow& row, const Expression& expression) {
  rows_.push_back(row);
  TemplateValue result = value(expression);
  rows_.pop_back();
  return result;
}

std::string Evaluator::text(const Expression& expression, const std::string& format) {
  const TemplateValue result = value(expression);
  // A metric that is printed but does not exist is a spelling mistake.
  if (result.is_nothing() && expression.kind == Expression::Kind::kPath && !expression.is_name()) {
    const std::string name(expression.first_name());
    const std::string path = expression.text.substr(name.size() + 1);
    const TemplateValue* variable = find_variable(name);
    const TemplateValue from = variable ? *variable : input_value(name);
    if (const MetricsValue* metrics = std::get_if<MetricsValue>(&from))
      metric_at(*metrics->json, path, metrics->file->origin);
  }
  if (std::holds_alternative<MetricsValue>(result))
    throw Error("'{}' has several values: which of them?",
                expression.kind == Expression::Kind::kField ? expression.operands[1].text
                                                            : expression.text);
  return printed(result, format);
}

std::vector<TemplateValue> items_of(const TemplateValue& from) {
  const TemplateValue value = as_collection(from);
  std::vector<TemplateValue> items;
  if (const RowsValue* table = std::get_if<RowsValue>(&value)) {
    for (const std::size_t row : (*table)->rows) items.push_back(TableRow{(*table)->source, row});
  } else if (const ListValue* list = std::get_if<ListValue>(&value)) {
    items = **list;
  } else if (!value.is_nothing()) {
    throw Error("a table or a list is expected, not {}", kind_name(value));
  }
  return items;
}

}  // namespace headway
