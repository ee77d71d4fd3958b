// Template functions for the rows of tables and the items of lists.

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/functions.h"
#include "lib/report/text_pattern.h"

namespace headway {
namespace {

TemplateValue list_value(TemplateList list) {
  return std::make_shared<const TemplateList>(std::move(list));
}

TemplateValue rows_value(const TableRows& table, std::vector<std::size_t> rows) {
  return std::make_shared<const TableRows>(TableRows{table.source, std::move(rows)});
}

TemplateValue where(FunctionCall& call) {
  const RowsValue table = call.table(0);
  std::vector<std::size_t> rows;
  for (const std::size_t row : table->rows) {
    if (is_true(call.evaluator().value_in({table->source, row}, call.argument(1))))
      rows.push_back(row);
  }
  return rows_value(*table, std::move(rows));
}

// Rows without a key come last, also for -key.
TemplateValue sort(FunctionCall& call) {
  const RowsValue table = call.table(0);
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

// The items of the first argument: rows of a table or values of a list.
struct Items {
  explicit Items(FunctionCall& function_call) : call(function_call), all(call.collection(0)) {
    if (const RowsValue* table = std::get_if<RowsValue>(&all))
      size = (*table)->rows.size();
    else if (const ListValue* list = std::get_if<ListValue>(&all))
      size = (*list)->size();
    else if (!all.is_nothing())
      call.refuse(0, "a table or a list", all);
  }

  TemplateValue at(std::size_t place) const {
    if (place >= size) return {};
    if (const RowsValue* table = std::get_if<RowsValue>(&all))
      return TableRow{(*table)->source, (*table)->rows[place]};
    return (**std::get_if<ListValue>(&all))[place];
  }

  // Those from `begin` to before `end`, both at most `size`. Of no value, there are none to take.
  TemplateValue slice(std::size_t begin, std::size_t end) const {
    const auto cut = [&](const auto& items) {
      return std::decay_t<decltype(items)>(items.begin() + static_cast<std::ptrdiff_t>(begin),
                                           items.begin() + static_cast<std::ptrdiff_t>(end));
    };
    if (const RowsValue* table = std::get_if<RowsValue>(&all))
      return rows_value(**table, cut((*table)->rows));
    if (const ListValue* list = std::get_if<ListValue>(&all)) return list_value(cut(**list));
    call.refuse(0, "a table or a list", all);
  }

  FunctionCall& call;
  TemplateValue all;
  std::size_t size = 0;
};

TemplateValue first(FunctionCall& call) {
  const Items items(call);
  return call.size() == 1 ? items.at(0) : items.slice(0, std::min(items.size, call.count(1)));
}

TemplateValue last(FunctionCall& call) {
  const Items items(call);
  if (call.size() == 1) return items.at(items.size - 1);  // of none: past the end
  return items.slice(items.size - std::min(items.size, call.count(1)), items.size);
}

TemplateValue rest(FunctionCall& call) {
  const Items items(call);
  return items.slice(std::min<std::size_t>(1, items.size), items.size);
}

TemplateValue count(FunctionCall& call) {
  return number_value(static_cast<double>(Items(call).size));
}

// For a table, the argument for each row; for a list, its items; for plain values, all of them.
// Skips missing values.
std::vector<TemplateNumber> aggregated(FunctionCall& call) {
  const TemplateValue all = call.collection(0);
  std::vector<TemplateValue> values;
  if (const RowsValue* table = std::get_if<RowsValue>(&all)) {
    if (call.size() != 2) call.refuse(0, "a table with an expression for its rows", all);
    values = call.for_each_row(**table, 1);
  } else if (const ListValue* list = std::get_if<ListValue>(&all)) {
    values = **list;
  } else {
    for (std::size_t i = 0; i < call.size(); ++i) values.push_back(call.value(i));
  }
  std::vector<TemplateNumber> numbers;
  for (const TemplateValue& value : values) {
    const TemplateNumber* number = std::get_if<TemplateNumber>(&value);
    if (!number && !value.is_nothing()) call.refuse(0, "numbers", value);
    if (number) numbers.push_back(*number);
  }
  return numbers;
}

bool is_less(const TemplateNumber& a, const TemplateNumber& b) {
  return a.value < b.value;
}

double total(const std::vector<TemplateNumber>& numbers) {
  double sum = 0;
  for (const TemplateNumber& number : numbers) sum += number.value;
  return sum;
}

TemplateValue sum(FunctionCall& call) {
  return number_value(total(aggregated(call)));
}

TemplateValue mean(FunctionCall& call) {
  const std::vector<TemplateNumber> numbers = aggregated(call);
  return number_value(total(numbers) / static_cast<double>(numbers.size()));  // none: NaN
}

TemplateValue median(FunctionCall& call) {
  std::vector<TemplateNumber> numbers = aggregated(call);
  if (numbers.empty()) return {};
  std::sort(numbers.begin(), numbers.end(), is_less);
  const double upper = numbers[numbers.size() / 2].value;
  return number_value((numbers[(numbers.size() - 1) / 2].value + upper) / 2);
}

TemplateValue min(FunctionCall& call) {
  const std::vector<TemplateNumber> numbers = aggregated(call);
  const auto least = std::min_element(numbers.begin(), numbers.end(), is_less);
  return least == numbers.end() ? TemplateValue() : *least;
}

TemplateValue max(FunctionCall& call) {
  const std::vector<TemplateNumber> numbers = aggregated(call);
  const auto most = std::max_element(numbers.begin(), numbers.end(), is_less);
  return most == numbers.end() ? TemplateValue() : *most;
}

// Whether the condition has this truth in one of the rows; stops at the first.
bool has_row(FunctionCall& call, bool truth) {
  const RowsValue table = call.table(0);
  return std::ranges::any_of(table->rows, [&](std::size_t row) {
    return is_true(call.evaluator().value_in({table->source, row}, call.argument(1))) == truth;
  });
}

TemplateValue any(FunctionCall& call) {
  return has_row(call, true);
}

TemplateValue all(FunctionCall& call) {
  return !has_row(call, false);
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
    if (!value.is_nothing() && seen.insert(exact_text(value)).second)
      list.push_back(std::move(value));
  }
  return list_value(std::move(list));
}

TemplateValue columns(FunctionCall& call) {
  const RowsValue table = call.table(0);
  return list_value({table->source->columns.begin(), table->source->columns.end()});
}

// The places of the columns; `verb` is for the message.
std::vector<std::size_t> places_of(const std::vector<std::string>& names,
                                   const TemplateTable& source, std::string_view verb) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto found = std::find(source.columns.begin(), source.columns.end(), name);
    if (found == source.columns.end())
      throw Error("{} has no column '{}' to {} by{}", source.origin, printable(name), verb,
                  did_you_mean(name, source.columns));
    places.push_back(static_cast<std::size_t>(found - source.columns.begin()));
  }
  return places;
}

std::vector<std::string> key_of(const TemplateList& row, const std::vector<std::size_t>& places) {
  return texts_of(places, [&](std::size_t place) { return exact_text(row[place]); });
}

void add_column(std::string name, bool is_computed, TemplateTable& table) {
  while (table.has(name)) name += "_2";
  if (is_computed) table.computed.insert(name);
  table.columns.push_back(std::move(name));
}

// join(table, other, "column", …): the rows of both that agree in these columns, side by side.
TemplateValue join_tables(FunctionCall& call) {
  const RowsValue left = call.table(0), right = call.table(1);
  const TemplateTable &a = *left->source, &b = *right->source;
  const std::vector<std::string> by = call.names(2, call.size());
  const std::vector<std::size_t> keys = places_of(by, a, "join");
  const std::vector<std::size_t> other_keys = places_of(by, b, "join");
  TemplateTable joined{a.columns, {}, a.origin, a.computed};
  std::vector<std::size_t> added;  // columns of the second table
  for (std::size_t i = 0; i < b.columns.size(); ++i) {
    if (std::find(other_keys.begin(), other_keys.end(), i) != other_keys.end()) continue;
    added.push_back(i);
    add_column(b.columns[i], b.computed.contains(b.columns[i]), joined);
  }
  std::map<std::vector<std::string>, std::vector<std::size_t>> matches;
  for (const std::size_t row : right->rows) matches[key_of(b.rows[row], other_keys)].push_back(row);
  for (const std::size_t row : left->rows) {
    call.evaluator().count_steps(1);
    const auto found = matches.find(key_of(a.rows[row], keys));
    if (found == matches.end()) continue;
    for (const std::size_t other : found->second) {
      call.evaluator().count_steps(joined.columns.size());
      joined.rows.push_back(a.rows[row]);
      for (const std::size_t place : added) joined.rows.back().push_back(b.rows[other][place]);
    }
  }
  return rows_of(std::move(joined));
}

// Rows whose text matches the pattern, with a column for each name in it.
TemplateValue parse(FunctionCall& call) {
  const RowsValue from = call.table(0);
  const std::vector<TemplateValue> texts = call.for_each_row(*from, 1);
  const TextPattern pattern(call.text(2));
  const TemplateTable& source = *from->source;
  TemplateTable parsed{source.columns, {}, source.origin, source.computed};
  for (const std::string& name : pattern.names()) add_column(name, false, parsed);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    call.evaluator().count_steps(parsed.columns.size());
    const auto parts = pattern.match(text_of(texts[i]));
    if (!parts) continue;
    parsed.rows.push_back(source.rows[from->rows[i]]);
    for (const std::string& part : *parts) parsed.rows.back().push_back(cell_value(part));
  }
  return rows_of(std::move(parsed));
}

// group(table, "column", …): a row for each combination of values, in order of appearance. The
// column `rows` has the matching rows of the table.
TemplateValue group(FunctionCall& call) {
  const RowsValue from = call.table(0);
  const TemplateTable& source = *from->source;
  TemplateTable groups{call.names(1, call.size()), {}, source.origin};
  const std::vector<std::size_t> keys = places_of(groups.columns, source, "group");
  if (groups.has("rows")) throw Error("group() makes a column 'rows', so it cannot group by one");
  add_column("rows", true, groups);
  std::map<std::vector<std::string>, std::size_t> places;
  std::vector<std::vector<std::size_t>> members;
  for (const std::size_t row : from->rows) {
    call.evaluator().count_steps(keys.size());
    const auto [place, is_new] = places.try_emplace(key_of(source.rows[row], keys), members.size());
    if (is_new) members.emplace_back();
    members[place->second].push_back(row);
  }
  for (std::vector<std::size_t>& rows : members) {
    TemplateList& cells = groups.rows.emplace_back();
    for (const std::size_t key : keys) cells.push_back(source.rows[rows.front()][key]);
    cells.push_back(rows_value(*from, std::move(rows)));
  }
  return rows_of(std::move(groups));
}

// add(table, "name", value): adds a column that is computed for each row.
TemplateValue add(FunctionCall& call) {
  const RowsValue from = call.table(0);
  const TemplateTable& source = *from->source;
  const std::string name = call.text(1);
  if (source.has(name)) throw Error("{} has a column '{}' already", source.origin, printable(name));
  call.evaluator().count_steps(from->rows.size() * source.columns.size());
  TemplateTable result{source.columns, {}, source.origin, source.computed};
  add_column(name, true, result);
  std::vector<TemplateValue> values = call.for_each_row(*from, 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.rows.push_back(source.rows[from->rows[i]]);
    result.rows.back().push_back(std::move(values[i]));
  }
  return rows_of(std::move(result));
}

}  // namespace

std::vector<TemplateFunction> table_functions() {
  return {
      {"where(table, condition)", 2, 2, {1}, where},
      {"sort(table, key)", 2, 2, {1}, sort},
      {"first(table [, count])", 1, 2, {}, first},
      {"last(table [, count])", 1, 2, {}, last},
      {"rest(table)", 1, 1, {}, rest},
      {"count(table)", 1, 1, {}, count},
      {"sum(table, number)", 1, kAnyNumber, {1}, sum},
      {"mean(table, number)", 1, kAnyNumber, {1}, mean},
      {"median(table, number)", 1, kAnyNumber, {1}, median},
      {"min(table, number)", 1, kAnyNumber, {1}, min},
      {"max(table, number)", 1, kAnyNumber, {1}, max},
      {"any(table, condition)", 2, 2, {1}, any},
      {"all(table, condition)", 2, 2, {1}, all},
      {"values(table, value)", 2, 2, {1}, values},
      {"distinct(table, value)", 2, 2, {1}, distinct},
      {"columns(table)", 1, 1, {}, columns},
      {"parse(table, text, \"{name}={value}\")", 3, 3, {1}, parse},
      {"join(table, table, \"column\", …)", 3, kAnyNumber, {}, join_tables},
      {"group(table, \"column\", …)", 2, kAnyNumber, {}, group},
      {"add(table, \"name\", value)", 3, 3, {2}, add},
  };
}

}  // namespace headway
