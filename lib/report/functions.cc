#include "lib/report/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

using Value = TemplateValue;
using Rows = std::shared_ptr<const TableRows>;
using List = std::shared_ptr<const TemplateList>;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

Value list_value(TemplateList list) {
  return std::make_shared<const TemplateList>(std::move(list));
}

Value rows_value(const TableRows& table, std::vector<std::size_t> rows) {
  return std::make_shared<const TableRows>(TableRows{table.source, std::move(rows)});
}

// --- rows ---

Value where(FunctionCall& call) {
  const Rows table = call.table(0);
  std::vector<std::size_t> rows;
  for (const std::size_t row : table->rows) {
    if (call.evaluator().truth_in({table->source, row}, call.argument(1))) rows.push_back(row);
  }
  return rows_value(*table, std::move(rows));
}

// Without nothing first, so that -key keeps it last.
Value sort(FunctionCall& call) {
  const Rows table = call.table(0);
  const std::vector<Value> keys = call.for_each_row(*table, 1);
  for (const Value& key : keys) text_of(key);  // an Error where it has no order
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return compare(keys[a], keys[b]) < 0; });
  std::vector<std::size_t> rows;
  for (const std::size_t place : order) rows.push_back(table->rows[place]);
  return rows_value(*table, std::move(rows));
}

// The items from `begin` on, `count` of them at most.
Value slice(FunctionCall& call, const Value& all, std::size_t begin, std::size_t count) {
  const auto cut = [&](const auto& items) {
    const std::size_t from = std::min(begin, items.size());
    const std::size_t to = from + std::min(count, items.size() - from);
    return std::decay_t<decltype(items)>(items.begin() + static_cast<std::ptrdiff_t>(from),
                                         items.begin() + static_cast<std::ptrdiff_t>(to));
  };
  if (const Rows* table = std::get_if<Rows>(&all)) return rows_value(**table, cut((*table)->rows));
  if (const List* list = std::get_if<List>(&all)) return list_value(cut(**list));
  call.refuse(0, "a table or a list", all);
}

std::size_t size_of(FunctionCall& call, const Value& all) {
  if (const Rows* table = std::get_if<Rows>(&all)) return (*table)->rows.size();
  if (const List* list = std::get_if<List>(&all)) return (*list)->size();
  if (all.is_nothing()) return 0;
  call.refuse(0, "a table or a list", all);
}

Value item_at(const Value& all, std::size_t place) {
  if (const Rows* table = std::get_if<Rows>(&all))
    return TableRow{(*table)->source, (*table)->rows[place]};
  return (**std::get_if<List>(&all))[place];
}

Value first(FunctionCall& call) {
  const Value all = call.collection(0);
  if (call.size() == 2) return slice(call, all, 0, call.count(1));
  return size_of(call, all) == 0 ? Value() : item_at(all, 0);
}

Value last(FunctionCall& call) {
  const Value all = call.collection(0);
  const std::size_t size = size_of(call, all);
  if (call.size() == 2) {
    const std::size_t count = std::min(size, call.count(1));
    return slice(call, all, size - count, count);
  }
  return size == 0 ? Value() : item_at(all, size - 1);
}

Value rest(FunctionCall& call) {
  return slice(call, call.collection(0), 1, std::numeric_limits<std::size_t>::max());
}

// --- one value of many rows ---

Value count(FunctionCall& call) {
  return number_value(static_cast<double>(size_of(call, call.collection(0))));
}

// Of a table the argument for each row; of a list its items; of plain values all of them.
// Nothing is left out.
std::vector<Value> aggregated(FunctionCall& call) {
  const Value all = call.collection(0);
  std::vector<Value> values;
  if (const Rows* table = std::get_if<Rows>(&all)) {
    if (call.size() != 2) call.refuse(0, "a table with an expression for its rows", all);
    values = call.for_each_row(**table, 1);
  } else if (const List* list = std::get_if<List>(&all)) {
    values = **list;
  } else {
    for (std::size_t i = 0; i < call.size(); ++i) values.push_back(call.value(i));
  }
  std::erase_if(values, [](const Value& value) { return value.is_nothing(); });
  for (const Value& value : values) {
    if (!std::holds_alternative<TemplateNumber>(value)) call.refuse(0, "numbers", value);
  }
  return values;
}

std::vector<double> aggregated_numbers(FunctionCall& call) {
  std::vector<double> numbers;
  for (const Value& value : aggregated(call))
    numbers.push_back(std::get_if<TemplateNumber>(&value)->value);
  return numbers;
}

Value sum(FunctionCall& call) {
  const std::vector<double> numbers = aggregated_numbers(call);
  return number_value(std::accumulate(numbers.begin(), numbers.end(), 0.0));
}

Value mean(FunctionCall& call) {
  const std::vector<double> numbers = aggregated_numbers(call);
  if (numbers.empty()) return {};
  return number_value(std::accumulate(numbers.begin(), numbers.end(), 0.0) /
                      static_cast<double>(numbers.size()));
}

Value median(FunctionCall& call) {
  std::vector<double> numbers = aggregated_numbers(call);
  if (numbers.empty()) return {};
  std::sort(numbers.begin(), numbers.end());
  const std::size_t half = numbers.size() / 2;
  return number_value(numbers.size() % 2 == 1 ? numbers[half]
                                              : (numbers[half - 1] + numbers[half]) / 2);
}

bool is_less(const Value& a, const Value& b) {
  return compare(a, b) < 0;
}

Value min(FunctionCall& call) {
  const std::vector<Value> values = aggregated(call);
  return values.empty() ? Value() : *std::min_element(values.begin(), values.end(), is_less);
}

Value max(FunctionCall& call) {
  const std::vector<Value> values = aggregated(call);
  return values.empty() ? Value() : *std::max_element(values.begin(), values.end(), is_less);
}

Value any(FunctionCall& call) {
  const Rows table = call.table(0);
  return std::any_of(table->rows.begin(), table->rows.end(), [&](std::size_t row) {
    return call.evaluator().truth_in({table->source, row}, call.argument(1));
  });
}

Value all(FunctionCall& call) {
  const Rows table = call.table(0);
  return std::all_of(table->rows.begin(), table->rows.end(), [&](std::size_t row) {
    return call.evaluator().truth_in({table->source, row}, call.argument(1));
  });
}

// --- lists ---

Value values(FunctionCall& call) {
  TemplateList list = call.for_each_row(*call.table(0), 1);
  std::erase_if(list, [](const Value& value) { return value.is_nothing(); });
  return list_value(std::move(list));
}

Value distinct(FunctionCall& call) {
  TemplateList list;
  std::set<std::string> seen;
  for (Value& value : call.for_each_row(*call.table(0), 1)) {
    if (!value.is_nothing() && seen.insert(text_of(value)).second) list.push_back(std::move(value));
  }
  return list_value(std::move(list));
}

Value columns(FunctionCall& call) {
  const Rows table = call.table(0);
  const std::vector<std::string>& names = table->source->table.columns();
  TemplateList list(names.begin(), names.end());
  for (const ComputedColumn& column : table->source->computed) list.emplace_back(column.name);
  return list_value(std::move(list));
}

Value entries(FunctionCall& call) {
  const Value from = call.value(0);
  const MetricsValue* metrics = std::get_if<MetricsValue>(&from);
  if (!metrics) call.refuse(0, "metrics", from);
  return entries_of(*metrics);
}

// --- two tables ---

std::vector<std::string> cells_of(const Table& table, std::size_t row,
                                  const std::vector<std::size_t>& columns) {
  std::vector<std::string> cells;
  for (const std::size_t column : columns) cells.push_back(table.rows()[row][column]);
  return cells;
}

std::vector<std::size_t> named_columns(FunctionCall& call, const TemplateTable& source) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 2; i < call.size(); ++i) {
    const std::string name = call.text(i);
    if (!source.table.has(name))
      throw Error(fmt::format("{} has no column '{}' to join by", source.origin, printable(name)));
    columns.push_back(source.table.column(name));
  }
  return columns;
}

Value join_tables(FunctionCall& call) {
  const Rows left = call.table(0), right = call.table(1);
  const Table &a = left->source->table, &b = right->source->table;
  const std::vector<std::size_t> keys = named_columns(call, *left->source);
  const std::vector<std::size_t> other_keys = named_columns(call, *right->source);
  std::vector<std::string> names = a.columns();
  std::vector<std::size_t> added;  // columns of b
  const auto new_name = [&](std::string name) {
    while (left->source->find_computed(name) ||
           std::find(names.begin(), names.end(), name) != names.end())
      name += "_2";
    return name;
  };
  for (std::size_t i = 0; i < b.columns().size(); ++i) {
    if (std::find(other_keys.begin(), other_keys.end(), i) != other_keys.end()) continue;
    added.push_back(i);
    names.push_back(new_name(b.columns()[i]));
  }
  std::map<std::vector<std::string>, std::vector<std::size_t>> places;
  for (const std::size_t row : right->rows) places[cells_of(b, row, other_keys)].push_back(row);
  TemplateTable joined{Table(names), left->source->origin};
  for (const ComputedColumn& column : left->source->computed)
    joined.computed.push_back({column.name, {}});
  for (const ComputedColumn& column : right->source->computed)
    joined.computed.push_back({new_name(column.name), {}});
  for (const std::size_t row : left->rows) {
    call.evaluator().count_steps(1);
    const auto found = places.find(cells_of(a, row, keys));
    if (found == places.end()) continue;
    for (const std::size_t other : found->second) {
      call.evaluator().count_steps(names.size() + joined.computed.size());
      std::vector<std::string> cells = a.rows()[row];
      for (std::string& cell : cells_of(b, other, added)) cells.push_back(std::move(cell));
      joined.table.add(std::move(cells));
      auto to = joined.computed.begin();
      for (const ComputedColumn& column : left->source->computed)
        (to++)->values.push_back(column.values[row]);
      for (const ComputedColumn& column : right->source->computed)
        (to++)->values.push_back(column.values[other]);
    }
  }
  return rows_of(std::move(joined));
}

// --- texts ---

// list(table, expression [, most]) or list(list [, most])
Value list(FunctionCall& call) {
  const Value from = call.collection(0);
  std::vector<Value> items;
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
  for (const Value& item : items) {
    if (!item.is_nothing()) words.push_back(text_of(item));
  }
  const std::size_t place_of_most = is_table ? 2 : 1;
  return enumerated(words, call.size() > place_of_most ? call.count(place_of_most) : 0);
}

Value plural(FunctionCall& call) {
  const std::string one = call.text(1);
  return counted(call.count(0), one, call.size() > 2 ? call.text(2) : one + "s");
}

Value one(FunctionCall& call) {
  return call.value(call.number(0) == 1 ? 1 : 2);
}

Value choose(FunctionCall& call) {
  return call.value(call.evaluator().truth(call.argument(0)) ? 1 : 2);
}

Value capital(FunctionCall& call) {
  return capitalised(call.text(0));
}

Value contains(FunctionCall& call) {
  const Value in = call.value(0);
  const std::string part = call.text(1);
  if (const List* list = std::get_if<List>(&in))
    return std::any_of((*list)->begin(), (*list)->end(),
                       [&](const Value& item) { return text_of(item) == part; });
  return text_of(in).find(part) != std::string::npos;
}

Value as_format(FunctionCall& call, const char* format) {
  return formatted(call.number(0), format);
}

Value decimal(FunctionCall& call) {
  return decimal_text(call.number(0), static_cast<int>(std::min(15.0, call.number(1, 3))));
}

Value percent_interval(FunctionCall& call) {
  return percent_with_interval(call.number(0), call.number(1), call.number(2));
}

Value points_interval(FunctionCall& call) {
  return points_with_interval(call.number(0), call.number(1), call.number(2));
}

// --- the rest ---

Value has(FunctionCall& call) {
  if (!call.argument(0).is_name()) throw Error("has() takes the name of an input");
  return call.evaluator().has_input(call.argument(0).text);
}

Value is(FunctionCall& call) {
  return !call.value(0).is_nothing();
}

Value number(FunctionCall& call) {
  Value value = call.value(0);
  const std::string* text = std::get_if<std::string>(&value);
  if (text) value = cell_value(*text);
  return std::holds_alternative<TemplateNumber>(value) ? value : Value();
}

Value parameter(FunctionCall& call) {
  return cell_value(call.evaluator().parameter(call.text(0)));
}

using Function = TemplateFunction;

std::vector<Function> table_functions() {
  return {
      {"where", "where(table, condition)", 2, 2, {1}, where},
      {"sort", "sort(table, key)", 2, 2, {1}, sort},
      {"first", "first(table [, count])", 1, 2, {}, first},
      {"last", "last(table [, count])", 1, 2, {}, last},
      {"rest", "rest(table)", 1, 1, {}, rest},
      {"count", "count(table)", 1, 1, {}, count},
      {"sum", "sum(table, number)", 1, kAnyNumber, {1}, sum},
      {"mean", "mean(table, number)", 1, kAnyNumber, {1}, mean},
      {"median", "median(table, number)", 1, kAnyNumber, {1}, median},
      {"min", "min(table, number)", 1, kAnyNumber, {1}, min},
      {"max", "max(table, number)", 1, kAnyNumber, {1}, max},
      {"any", "any(table, condition)", 2, 2, {1}, any},
      {"all", "all(table, condition)", 2, 2, {1}, all},
      {"values", "values(table, value)", 2, 2, {1}, values},
      {"distinct", "distinct(table, value)", 2, 2, {1}, distinct},
      {"columns", "columns(table)", 1, 1, {}, columns},
      {"entries", "entries(metrics)", 1, 1, {}, entries},
      {"join", "join(table, table, \"column\", …)", 3, kAnyNumber, {}, join_tables},
  };
}

std::vector<Function> text_functions() {
  return {
      {"list", "list(table, text [, most])", 1, 3, {1}, list},
      {"plural", "plural(count, \"head\" [, \"heads\"])", 2, 3, {}, plural},
      {"one", "one(count, \"is\", \"are\")", 3, 3, {}, one},
      {"choose", "choose(condition, value, otherwise)", 3, 3, {}, choose},
      {"capital", "capital(text)", 1, 1, {}, capital},
      {"contains", "contains(text or list, text)", 2, 2, {}, contains},
      {"percent",
       "percent(share)",
       1,
       1,
       {},
       [](FunctionCall& call) { return as_format(call, "percent"); }},
      {"points",
       "points(number)",
       1,
       1,
       {},
       [](FunctionCall& call) { return as_format(call, "points"); }},
      {"seconds",
       "seconds(number)",
       1,
       1,
       {},
       [](FunctionCall& call) { return as_format(call, "seconds"); }},
      {"decimal", "decimal(number [, digits])", 1, 2, {}, decimal},
      {"percent_interval", "percent_interval(share, low, high)", 3, 3, {}, percent_interval},
      {"points_interval", "points_interval(points, low, high)", 3, 3, {}, points_interval},
      {"has", "has(input)", 1, 1, {}, has},
      {"is", "is(value)", 1, 1, {}, is},
      {"number", "number(text)", 1, 1, {}, number},
      {"parameter", "parameter(\"stage.name\")", 1, 1, {}, parameter},
      {"abs",
       "abs(number)",
       1,
       1,
       {},
       [](FunctionCall& call) { return number_value(std::fabs(call.number(0))); }},
      {"round",
       "round(number [, decimals])",
       1,
       2,
       {},
       [](FunctionCall& call) {
         const double scale = std::pow(10, call.number(1, 0));
         return number_value(std::round(call.number(0) * scale) / scale);
       }},
      {"floor",
       "floor(number)",
       1,
       1,
       {},
       [](FunctionCall& call) { return number_value(std::floor(call.number(0))); }},
      {"sqrt",
       "sqrt(number)",
       1,
       1,
       {},
       [](FunctionCall& call) { return number_value(std::sqrt(call.number(0))); }},
      {"log",
       "log(number)",
       1,
       1,
       {},
       [](FunctionCall& call) { return number_value(std::log(call.number(0))); }},
  };
}

}  // namespace

void FunctionCall::refuse(std::size_t argument, std::string_view expected,
                          const TemplateValue& got) const {
  throw Error(fmt::format("{}() expects {} as argument {}, not {}", call_.text, expected,
                          argument + 1, kind_name(got)));
}

double FunctionCall::number(std::size_t i) {
  const Value got = value(i);
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
  const Value got = value(i);
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
  const Value got = collection(i);
  const Rows* table = std::get_if<Rows>(&got);
  if (!table) refuse(i, "a table", got);
  return *table;
}

std::vector<TemplateValue> FunctionCall::for_each_row(const TableRows& table,
                                                      std::size_t argument) {
  std::vector<Value> values;
  for (const std::size_t row : table.rows)
    values.push_back(evaluator_.value_in({table.source, row}, call_.operands[argument]));
  return values;
}

std::vector<double> FunctionCall::numbers(const TableRows& table, std::size_t argument) {
  std::vector<double> numbers;
  for (const Value& value : for_each_row(table, argument)) {
    const TemplateNumber* number = std::get_if<TemplateNumber>(&value);
    if (!number && !value.is_nothing()) refuse(argument, "numbers", value);
    numbers.push_back(number ? number->value : kNothing);
  }
  return numbers;
}

const std::vector<TemplateFunction>& template_functions() {
  static const std::vector<Function> kFunctions = [] {
    std::vector<Function> all = table_functions();
    for (Function& one : text_functions()) all.push_back(std::move(one));
    for (Function& one : statistics_functions()) all.push_back(std::move(one));
    for (Function& one : computed_column_functions()) all.push_back(std::move(one));
    return all;
  }();
  return kFunctions;
}

const TemplateFunction* find_function(std::string_view name) {
  const std::vector<Function>& all = template_functions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Function& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string mistake_in_call(const Expression& call) {
  const Function* function = find_function(call.text);
  if (!function) {
    std::vector<std::string> names;
    for (const Function& one : template_functions()) names.push_back(one.name);
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
