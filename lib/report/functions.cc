#include "lib/report/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void FunctionCall::refuse(std::size_t argument, std::string_view expected,
                          const TemplateValue& got) const {
  throw Error(fmt::format("{}() expects {} as argument {}, not {}", call_.text, expected,
                          argument + 1, kind_name(got)));
}

double FunctionCall::number(std::size_t i) {
  const TemplateValue got = value(i);
  if (got.is_nothing()) return kNothing;
  if (const bool* yes = std::get_if<bool>(&got)) return *yes ? 1 : 0;
  const TemplateNumber* number = std::get_if<TemplateNumber>(&got);
  if (!number) refuse(i, "a number", got);
  return number->value;
}

double FunctionCall::number(std::size_t i, double otherwise) {
  return i < size() ? number(i) : otherwise;
}

std::size_t FunctionCall::count(std::size_t i) {
  const TemplateValue got = value(i);
  const TemplateNumber* number = std::get_if<TemplateNumber>(&got);
  constexpr double kMost = 1e15;
  if (!number) refuse(i, "a count", got);
  if (!(number->value >= 0 && number->value < kMost && number->value == std::floor(number->value)))
    throw Error(fmt::format("{}() expects a count as argument {}, not {}", call_.text, i + 1,
                            text_of(got)));
  return static_cast<std::size_t>(number->value);
}

std::string FunctionCall::text(std::size_t i) {
  return text_of(value(i));
}

std::shared_ptr<const TableRows> FunctionCall::table(std::size_t i) {
  const TemplateValue got = as_table(value(i));
  const auto* table = std::get_if<std::shared_ptr<const TableRows>>(&got);
  if (!table) refuse(i, "a table", got);
  return *table;
}

std::vector<std::string> FunctionCall::names(std::size_t i, std::size_t end) {
  std::vector<std::string> names;
  for (; i < end; ++i) {
    const TemplateValue got = value(i);
    if (const auto* list = std::get_if<std::shared_ptr<const TemplateList>>(&got)) {
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
    const TemplateNumber* number = std::get_if<TemplateNumber>(&value);
    if (!number && !value.is_nothing()) refuse(argument, "numbers", value);
    numbers.push_back(number ? number->value : kNothing);
  }
  return numbers;
}

const std::vector<TemplateFunction>& template_functions() {
  static const std::vector<TemplateFunction> kFunctions = [] {
    std::vector<TemplateFunction> all = table_functions();
    for (TemplateFunction& one : computed_column_functions()) all.push_back(std::move(one));
    for (TemplateFunction& one : text_functions()) all.push_back(std::move(one));
    for (TemplateFunction& one : statistics_functions()) all.push_back(std::move(one));
    return all;
  }();
  return kFunctions;
}

const TemplateFunction* find_function(std::string_view name) {
  const std::vector<TemplateFunction>& all = template_functions();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const TemplateFunction& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string mistake_in_call(const Expression& call) {
  const TemplateFunction* function = find_function(call.text);
  if (!function) {
    std::vector<std::string> names;
    for (const TemplateFunction& one : template_functions()) names.push_back(one.name);
    return fmt::format("there is no function '{}'{}", printable(call.text),
                       did_you_mean(call.text, names));
  }
  const std::size_t count = call.operands.size();
  if (count >= function->least && count <= function->most) return "";
  return fmt::format("{} is expected, not {}", function->usage, counted(count, "argument"));
}

TemplateValue call_function(Evaluator& evaluator, const Expression& call) {
  const std::string mistake = mistake_in_call(call);
  if (!mistake.empty()) throw Error(mistake);
  FunctionCall arguments(evaluator, call);
  return find_function(call.text)->run(arguments);
}

}  // namespace headway
