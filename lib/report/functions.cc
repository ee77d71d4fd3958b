#include "lib/report/functions.h"

#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/phrases.h"

namespace headway {

void FunctionCall::refuse(std::size_t argument, std::string_view expected,
                          const TemplateValue& got) const {
  throw Error("{}() expects {} as argument {}, not {}", call_.text, expected, argument + 1,
              kind_name(got));
}

double FunctionCall::number(std::size_t i) {
  const TemplateValue got = value(i);
  const std::optional<double> number = as_number(got);
  if (!number) refuse(i, "a number", got);
  return *number;
}

std::size_t FunctionCall::count(std::size_t i) {
  const TemplateValue got = value(i);
  const TemplateNumber* number = std::get_if<TemplateNumber>(&got);
  constexpr double kMost = 1e15;
  if (!number) refuse(i, "a count", got);
  if (!(number->value >= 0 && number->value < kMost && number->value == std::floor(number->value)))
    throw Error("{}() expects a count as argument {}, not {}", call_.text, i + 1, text_of(got));
  return static_cast<std::size_t>(number->value);
}

RowsValue FunctionCall::table(std::size_t i) {
  const TemplateValue got = as_table(value(i));
  const RowsValue* table = std::get_if<RowsValue>(&got);
  if (!table) refuse(i, "a table", got);
  return *table;
}

std::vector<std::string> FunctionCall::names(std::size_t i, std::size_t end) {
  std::vector<std::string> names;
  for (; i < end; ++i) {
    const TemplateValue got = value(i);
    if (const ListValue* list = std::get_if<ListValue>(&got)) {
      for (const TemplateValue& name : **list) names.push_back(text_of(name));
    } else {
      names.push_back(text_of(got));
    }
  }
  return names;
}

std::vector<TemplateValue> FunctionCall::for_each_row(const TableRows& table,
                                                      std::size_t argument) {
  std::vector<TemplateValue> values;
  for (const std::size_t row : table.rows)
    values.push_back(evaluator_.value_in({table.source, row}, call_.operands[argument]));
  return values;
}

std::vector<double> FunctionCall::numbers(const TableRows& table, std::size_t argument) {
  std::vector<double> numbers;
  for (const TemplateValue& value : for_each_row(table, argument)) {
    const std::optional<double> number = as_number(value);
    if (!number || std::holds_alternative<bool>(value)) refuse(argument, "numbers", value);
    numbers.push_back(*number);
  }
  return numbers;
}

const std::vector<TemplateFunction>& template_functions() {
  static const std::vector<TemplateFunction> kFunctions = [] {
    std::vector<TemplateFunction> all = table_functions();
    for (TemplateFunction& one : text_functions()) all.push_back(std::move(one));
    for (TemplateFunction& one : statistics_functions()) all.push_back(std::move(one));
    return all;
  }();
  return kFunctions;
}

const TemplateFunction& function_of(const Expression& call) {
  const std::vector<TemplateFunction>& all = template_functions();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const TemplateFunction& one) { return one.name() == call.text; });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const TemplateFunction& one : all) names.emplace_back(one.name());
    throw Error("there is no function '{}'{}", printable(call.text),
                did_you_mean(call.text, names));
  }
  const std::size_t count = call.operands.size();
  if (count < found->least || count > found->most)
    throw Error("{} is expected, not {}", found->usage, counted(count, "argument"));
  return *found;
}

}  // namespace headway
