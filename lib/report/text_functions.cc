// Template functions for texts, numbers and inputs.
#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/report/functions.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

// list(table, expression [, most]) or list(list [, most])
TemplateValue list(FunctionCall& call) {
  const TemplateValue from = call.collection(0);
  const RowsValue* table = std::get_if<RowsValue>(&from);
  if (table && call.size() < 2) call.refuse(0, "a list, or a table with an expression", from);
  if (!table && !std::holds_alternative<ListValue>(from)) call.refuse(0, "a table or a list", from);
  std::vector<std::string> words;
  for (const TemplateValue& item : table ? call.for_each_row(**table, 1) : items_of(from)) {
    if (!item.is_nothing()) words.push_back(text_of(item));
  }
  const std::size_t place_of_most = table ? 2 : 1;
  return enumerated(words, call.size() > place_of_most ? call.count(place_of_most) : 0);
}

TemplateValue plural(FunctionCall& call) {
  const std::string one = call.text(1);
  return counted(call.count(0), one, call.size() > 2 ? call.text(2) : one + "s");
}

TemplateValue one(FunctionCall& call) {
  return call.value(call.number(0) == 1 ? 1 : 2);
}

TemplateValue choose(FunctionCall& call) {
  return call.value(call.evaluator().truth(call.argument(0)) ? 1 : 2);
}

TemplateValue contains(FunctionCall& call) {
  const TemplateValue in = call.value(0);
  const std::string part = call.text(1);
  if (const ListValue* list = std::get_if<ListValue>(&in))
    return std::any_of((*list)->begin(), (*list)->end(),
                       [&](const TemplateValue& item) { return text_of(item) == part; });
  return text_of(in).find(part) != std::string::npos;
}

TemplateValue decimal(FunctionCall& call) {
  constexpr std::size_t kMostDigits = 15;
  const std::size_t digits =
      call.size() > 1 ? std::clamp<std::size_t>(call.count(1), 1, kMostDigits) : 3;
  return decimal_text(call.number(0), static_cast<int>(digits));
}

TemplateValue percent_interval(FunctionCall& call) {
  return percent_with_interval(call.number(0), call.number(1), call.number(2));
}

TemplateValue points_interval(FunctionCall& call) {
  return points_with_interval(call.number(0), call.number(1), call.number(2));
}

TemplateValue has(FunctionCall& call) {
  if (!call.argument(0).is_name()) throw Error("has() takes the name of an input");
  return call.evaluator().has_input(call.argument(0).text);
}

TemplateValue is(FunctionCall& call) {
  return !call.value(0).is_nothing();
}

TemplateValue number(FunctionCall& call) {
  TemplateValue value = call.value(0);
  const std::string* text = std::get_if<std::string>(&value);
  if (text) value = cell_value(*text);
  return std::holds_alternative<TemplateNumber>(value) ? value : TemplateValue();
}

TemplateValue parameter(FunctionCall& call) {
  return cell_value(call.evaluator().parameter(call.text(0)));
}

TemplateValue round(FunctionCall& call) {
  const double scale = std::pow(10, call.size() > 1 ? call.number(1) : 0);
  return number_value(std::round(call.number(0) * scale) / scale);
}

TemplateValue power(FunctionCall& call) {
  return number_value(std::pow(call.number(0), call.number(1)));
}

template <double (*kFunction)(double)>
TemplateValue of_number(FunctionCall& call) {
  return number_value(kFunction(call.number(0)));
}

template <std::string (*kText)(double)>
TemplateValue as_text(FunctionCall& call) {
  return kText(call.number(0));
}

}  // namespace

std::vector<TemplateFunction> text_functions() {
  return {
      {"list(table, text [, most])", 1, 3, {1}, list},
      {"plural(count, \"head\" [, \"heads\"])", 2, 3, {}, plural},
      {"one(count, \"is\", \"are\")", 3, 3, {}, one},
      {"choose(condition, value, otherwise)", 3, 3, {}, choose},
      {"contains(text or list, text)", 2, 2, {}, contains},
      {"percent(share)", 1, 1, {}, as_text<percent_text>},
      {"points(number)", 1, 1, {}, as_text<points_text>},
      {"decimal(number [, digits])", 1, 2, {}, decimal},
      {"percent_interval(share, low, high)", 3, 3, {}, percent_interval},
      {"points_interval(points, low, high)", 3, 3, {}, points_interval},
      {"has(input)", 1, 1, {}, has},
      {"is(value)", 1, 1, {}, is},
      {"number(text)", 1, 1, {}, number},
      {"parameter(\"stage.name\")", 1, 1, {}, parameter},
      {"abs(number)", 1, 1, {}, of_number<std::fabs>},
      {"round(number [, decimals])", 1, 2, {}, round},
      {"floor(number)", 1, 1, {}, of_number<std::floor>},
      {"sqrt(number)", 1, 1, {}, of_number<std::sqrt>},
      {"log(number)", 1, 1, {}, of_number<std::log>},
      {"power(base, exponent)", 2, 2, {}, power},
  };
}

}  // namespace headway
