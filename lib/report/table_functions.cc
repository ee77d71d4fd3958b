// Template functions for the rows of tables and the items of lists.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/functions.h"
#include "lib/report/text_pattern.h"

namespace headway {
namespace {

using Rows = std::shared_ptr<const TableRows>;
using List = std::shared_ptr<const TemplateList>;

TemplateValue list_value(TemplateList list) {
  return std::make_shared<const TemplateList>(std::move(list));
}

TemplateValue rows_value(const TableRows& table, std::vector<std::size_t> rows) {
  return std::make_shared<const TableRows>(TableRows{table.source, std::move(rows)});
}

TemplateValue where(FunctionCall& call) {
  const Rows table = call.table(0);
  std::vector<std::size_t> rows;
  for (const std::size_t row : table->rows) {
    if (call.evaluator().truth_in({table->source, row}, call.argument(1))) rows.push_back(row);
  }
  return rows_value(*table, std::move(rows));
}

// Rows without a key come last, also for -key.
TemplateValue sort(FunctionCall& call) {
  const Rows table = call.table(0);
  const std::vector<TemplateValue> keys = call.for_each_row(*table, 1);
  for (const TemplateValue& key : keys) text_of(key);  // throws Error if a key has no order
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return compare(keys[a], keys[b]) < 0; });
  std::vector<std::size_t> rows;
  for (const std::size_t place : order) rows.push_back(table->rows[place]);
  return rows_value(*table, std::move(rows));
}

// At most `count` items from `begin` on.
TemplateValue slice(FunctionCall& call, const TemplateValue& all, std::size_t begin,
                    std::size_t count) {
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

std::size_t size_of(FunctionCall& call, const TemplateValue& all) {
  if (const Rows* table = std::get_if<Rows>(&all)) return (*table)->rows.size();
  if (const List* list = std::get_if<List>(&all)) return (*list)->size();
  if (all.is_nothing()) return 0;
  call.refuse(0, "a table or a list", all);
}

TemplateValue item_at(const TemplateValue& all, std::size_t place) {
  if (const Rows* table = std::get_if<Rows>(&all))
    return TableRow{(*table)->source, (*table)->rows[place]};
  return (**std::get_if<List>(&all))[place];
}

TemplateValue first(FunctionCall& call) {
  const TemplateValue all = call.collection(0);
  if (call.size() == 2) return slice(call, all, 0, call.count(1));
  return size_of(call, all) == 0 ? TemplateValue() : item_at(all, 0);
}

TemplateValue last(FunctionCall& call) {
  const TemplateValue all = call.collection(0);
  const std::size_t size = size_of(call, all);
  if (call.size() == 2) {
    const std::size_t count = std::min(size, call.count(1));
    return slice(call, all, size - count, count);
  }
  return size == 0 ? TemplateValue() : item_at(all, size - 1);
}

TemplateValue rest(FunctionCall& call) {
  return slice(call, call.collection(0), 1, std::numeric_limits<std::size_t>::max());
}

TemplateValue count(FunctionCall& call) {
  return number_value(static_cast<double>(size_of(call, call.collection(0))));
}

// For a table, the argument for each row; for a list, its items; for plain values, all of them.
// Skips missing values.
std::vector<TemplateValue> aggregated(FunctionCall& call) {
  const TemplateValue all = call.collection(0);
  std::vector<TemplateValue> values;
  if (const Rows* table = std::get_if<Rows>(&all)) {
    if (call.size() != 2) call.refuse(0, "a table with an expression for its rows", all);
    values = call.for_each_row(**table, 1);
  } else if (const List* list = std::get_if<List>(&all)) {
    values = **list;
  } else {
    for (std::size_t i = 0; i < call.size(); ++i) values.push_back(call.value(i));
  }
  std::erase_if(values, [](const TemplateValue& value) { return value.is_nothing(); });
  for (const TemplateValue& value : values) {
    if (!std::holds_alternative<TemplateNumber>(value)) call.refuse(0, "numbers", value);
  }
  return values;
}

std::vector<double> aggregated_numbers(FunctionCall& call) {
  std::vector<double> numbers;
  for (const TemplateValue& value : aggregated(call))
    numbers.push_back(std::get_if<TemplateNumber>(&value)->value);
  return numbers;
}

TemplateValue sum(FunctionCall& call) {
  const std::vector<double> numbers = aggregated_numbers(call);
  return number_value(std::accumulate(numbers.begin(), numbers.end(), 0.0));
}

TemplateValue mean(FunctionCall& call) {
  const std::vector<double> numbers = aggregated_numbers(call);
  if (numbers.empty()) return {};
  return number_value(std::accumulate(numbers.begin(), numbers.end(), 0.0) /
                      static_cast<double>(numbers.size()));
}

TemplateValue median(FunctionCall& call) {
  std::vector<double> numbers = aggregated_numbers(call);
  if (numbers.empty()) return {};
  std::sort(numbers.begin(), numbers.end());
  const std::size_t half = numbers.size() / 2;
  return number_value(numbers.size() % 2 == 1 ? numbers[half]
                                              : (numbers[half - 1] + numbers[half]) / 2);
}

bool is_less(const TemplateValue& a, const TemplateValue& b) {
  return compare(a, b) < 0;
}

TemplateValue min(FunctionCall& call) {
  const std::vector<TemplateValue> values = aggregated(call);
  return values.empty() ? TemplateValue()
                        : *std::min_element(values.begin(), values.end(), is_less);
}

TemplateValue max(FunctionCall& call) {
  const std::vector<TemplateValue> values = aggregated(call);
  return values.empty() ? TemplateValue()
                        : *std::max_element(values.begin(), values.end(), is_less);
}

TemplateValue any(FunctionCall& call) {
  const Rows table = call.table(0);
  return std::any_of(table->rows.begin(), table->rows.end(), [&](std::size_t row) {
    return call.evaluator().truth_in({table->source, row}, call.argument(1));
  });
}

TemplateValue all(FunctionCall& call) {
  const Rows table = call.table(0);
  return std::all_of(table->rows.begin(), table->rows.end(), [&](std::size_t row) {
    return call.evaluator().truth_in({table->source, row}, call.argument(1));
  });
}

TemplateValue values(FunctionCall& call) {
  TemplateList list = call.for_each_row(*call.table(0), 1);
  std::erase_if(list, [](const TemplateValue& value) { return value.is_nothing(); });
  return list_value(std::move(list));
}

TemplateValue distinct(FunctionCall& call) {
  TemplateList list;
  std::set<std::string> seen;
  for (TemplateValue& value : call.for_each_row(*call.table(0), 1)) {
    if (!value.is_nothing() && seen.insert(text_of(value)).second) list.push_back(std::move(value));
  }
  return list_value(std::move(list));
}

TemplateValue columns(FunctionCall& call) {
  const Rows table = call.table(0);
  const std::vector<std::string>& names = table->source->table.columns();
  TemplateList list(names.begin(), names.end());
  for (const ComputedColumn& column : table->source->computed) list.emplace_back(column.name);
  return list_value(std::move(list));
}

TemplateValue entries(FunctionCall& call) {
  const TemplateValue from = call.value(0);
  const MetricsValue* metrics = std::get_if<MetricsValue>(&from);
  if (!metrics) call.refuse(0, "metrics", from);
  return entries_of(*metrics);
}

std::vector<std::string> cells_of(const Table& table, std::size_t row,
                                  const std::vector<std::size_t>& columns) {
  std::vector<std::string> cells;
  for (const std::size_t column : columns) cells.push_back(table.rows()[row][column]);
  return cells;
}

std::vector<std::size_t> named_columns(const std::vector<std::string>& names,
                                       const TemplateTable& source) {
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    if (!source.table.has(name))
      throw Error(fmt::format("{} has no column '{}' to join by", source.origin, printable(name)));
    columns.push_back(source.table.column(name));
  }
  return columns;
}

TemplateValue join_tables(FunctionCall& call) {
  const Rows left = call.table(0), right = call.table(1);
  const Table &a = left->source->table, &b = right->source->table;
  const std::vector<std::string> by = call.names(2, call.size());
  const std::vector<std::size_t> keys = named_columns(by, *left->source);
  const std::vector<std::size_t> other_keys = named_columns(by, *right->source);
  std::vector<std::string> names = a.columns(), taken = names;
  for (const ComputedColumn& column : left->source->computed) taken.push_back(column.name);
  const auto new_name = [&](std::string name) {
    while (std::find(taken.begin(), taken.end(), name) != taken.end()) name += "_2";
    taken.push_back(name);
    return name;
  };
  std::vector<std::size_t> added;  // columns of the second table
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

// Rows whose text matches the pattern, with a column for each name in it.
TemplateValue parse(FunctionCall& call) {
  const Rows table = call.table(0);
  const std::vector<TemplateValue> texts = call.for_each_row(*table, 1);
  const TextPattern pattern(call.text(2));
  const Table& source = table->source->table;
  std::vector<std::string> names = source.columns();
  for (std::string name : pattern.names()) {
    while (std::find(names.begin(), names.end(), name) != names.end()) name += "_2";
    names.push_back(name);
  }
  Table parsed(names);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    call.evaluator().count_steps(names.size());
    const auto parts = pattern.match(text_of(texts[i]));
    if (!parts) continue;
    std::vector<std::string> cells = source.rows()[table->rows[i]];
    cells.insert(cells.end(), parts->begin(), parts->end());
    parsed.add(std::move(cells));
  }
  return all_rows(std::move(parsed), table->source->origin);
}

}  // namespace

std::vector<TemplateFunction> table_functions() {
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
      {"parse", "parse(table, text, \"{name}={value}\")", 3, 3, {1}, parse},
      {"join", "join(table, table, \"column\", …)", 3, kAnyNumber, {}, join_tables},
  };
}

}  // namespace headway
