// Template functions for texts, numbers and inputs.
#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/report/functions.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

using Rows = std::shared_ptr<const TableRows>;
using List = std::shared_ptr<const TemplateList>;

// list(table, expression [, most]) or list(list [, most])
TemplateValue list(FunctionCall& call) {
  const TemplateValue from = call.collection(0);
  std::vector<TemplateValue> items;
  const bool is_table = std::holds_alternative<Rows>(from);
  if (is_table) {
    if (call.size() < 2) call.refuse(0, "a list, or a table with an expression", from);
    items = call.for_each_row(**std::get_if<Rows>(&from), 1);
  } else if (const List* given = std::get_if<List>(&from)) {
    items = **given;
  } else {
    call.refuse(0, "a table or a list", from);
  }
  std::vector<std::string> words;
  for (const TemplateValue& item : items) {
    if (!item.is_nothing()) words.push_back(text_of(item));
  }
  const std::size_t place_of_most = is_table ? 2 : 1;
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

TemplateValue capital(FunctionCall& call) {
  return capitalised(call.text(0));
}

TemplateValue contains(FunctionCall& call) {
  const TemplateValue in = call.value(0);
  const std::string part = call.text(1);
  if (const List* list = std::get_if<List>(&in))
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
  const double scale = std::pow(10, call.number(1, 0));
  return number_value(std::round(call.number(0) * scale) / scale);
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
      {"list", "list(table, text [, most])", 1, 3, {1}, list},
      {"plural", "plural(count, \"head\" [, \"heads\"])", 2, 3, {}, plural},
      {"one", "one(count, \"is\", \"are\")", 3, 3, {}, one},
      {"choose", "choose(condition, value, otherwise)", 3, 3, {}, choose},
      {"capital", "capital(text)", 1, 1, {}, capital},
      {"contains", "contains(text or list, text)", 2, 2, {}, contains},
      {"percent", "percent(share)", 1, 1, {}, as_text<percent_text>},
      {"points", "points(number)", 1, 1, {}, as_text<points_text>},
      {"decimal", "decimal(number [, digits])", 1, 2, {}, decimal},
      {"percent_interval", "percent_interval(share, low, high)", 3, 3, {}, percent_interval},
      {"points_interval", "points_interval(points, low, high)", 3, 3, {}, points_interval},
      {"has", "has(input)", 1, 1, {}, has},
      {"is", "is(value)", 1, 1, {}, is},
      {"number", "number(text)", 1, 1, {}, number},
      {"parameter", "parameter(\"stage.name\")", 1, 1, {}, parameter},
      {"abs", "abs(number)", 1, 1, {}, of_number<std::fabs>},
      {"round", "round(number [, decimals])", 1, 2, {}, round},
      {"floor", "floor(number)", 1, 1, {}, of_number<std::floor>},
      {"sqrt", "sqrt(number)", 1, 1, {}, of_number<std::sqrt>},
      {"log", "log(number)", 1, 1, {}, of_number<std::log>},
      {"power",
       "power(base, exponent)",
       2,
       2,
       {},
       [](FunctionCall& call) { return number_value(std::pow(call.number(0), call.number(1))); }},
  };
}

}  // namespace headway
