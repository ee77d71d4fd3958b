// Template functions that add columns to tables.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/report/functions.h"

namespace headway {
namespace {

using Rows = std::shared_ptr<const TableRows>;

// group(table, "column", …): a row for each combination of values, in order of appearance. The
// column `rows` has the matching rows of the table.
TemplateValue group(FunctionCall& call) {
  const Rows from = call.table(0);
  const TemplateTable& source = *from->source;
  const std::vector<std::string> names = call.names(1, call.size());
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    if (!source.table.has(name))
      throw Error(fmt::format("{} has no column '{}' to group by{}", source.origin, printable(name),
                              did_you_mean(name, source.table.columns())));
    columns.push_back(source.table.column(name));
  }
  if (std::find(names.begin(), names.end(), "rows") != names.end())
    throw Error("group() makes a column 'rows', so it cannot group by one");
  TemplateTable result{Table(names), source.origin};
  std::map<std::vector<std::string>, std::size_t> places;
  std::vector<std::vector<std::size_t>> members;
  for (const std::size_t row : from->rows) {
    call.evaluator().count_steps(columns.size());
    std::vector<std::string> key;
    for (const std::size_t column : columns) key.push_back(source.table.rows()[row][column]);
    const auto [place, is_new] = places.try_emplace(key, members.size());
    if (is_new) {
      members.emplace_back();
      result.table.add(key);
    }
    members[place->second].push_back(row);
  }
  ComputedColumn rows{"rows", {}};
  for (std::vector<std::size_t>& one : members)
    rows.values.emplace_back(std::make_shared<const TableRows>(TableRows{from->source, one}));
  result.computed.push_back(std::move(rows));
  return rows_of(std::move(result));
}

// add(table, "name", value): adds a column that is computed for each row.
TemplateValue add(FunctionCall& call) {
  const Rows from = call.table(0);
  const TemplateTable& source = *from->source;
  const std::string name = call.text(1);
  if (source.has(name))
    throw Error(fmt::format("{} has a column '{}' already", source.origin, printable(name)));
  call.evaluator().count_steps(from->rows.size() *
                               (source.table.columns().size() + source.computed.size()));
  TemplateTable result{Table(source.table.columns()), source.origin};
  for (const std::size_t row : from->rows) result.table.add(source.table.rows()[row]);
  for (const ComputedColumn& column : source.computed) {
    result.computed.push_back({column.name, {}});
    for (const std::size_t row : from->rows)
      result.computed.back().values.push_back(column.values[row]);
  }
  result.computed.push_back({name, call.for_each_row(*from, 2)});
  return rows_of(std::move(result));
}

}  // namespace

std::vector<TemplateFunction> computed_column_functions() {
  return {
      {"group", "group(table, \"column\", …)", 2, kAnyNumber, {}, group},
      {"add", "add(table, \"name\", value)", 3, 3, {2}, add},
  };
}

}  // namespace headway
