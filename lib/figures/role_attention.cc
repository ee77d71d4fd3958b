#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/base/index.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/head_label.h"
#include "lib/figures/kinds.h"
#include "lib/figures/weight_grid.h"

namespace headway {
namespace {

WeightRow& row_named(const std::string& label, std::vector<WeightRow>& rows) {
  for (WeightRow& row : rows) {
    if (row.label == label) return row;
  }
  return rows.emplace_back(WeightRow{label, {}, {}, {}});
}

WeightMap& map_titled(const std::string& title, WeightRow& row) {
  for (WeightMap& map : row.maps) {
    if (map.title == title) return map;
  }
  const std::size_t cells = row.queries.size() * row.keys.size();
  return row.maps.emplace_back(
      WeightMap{title, std::vector<double>(cells, std::numeric_limits<double>::quiet_NaN())});
}

// The rows of the grid without maps: all roles must be known before there are cells.
std::vector<WeightRow> rows_of_roles(const NamedTable& named) {
  std::vector<WeightRow> rows;
  for (std::size_t i = 0; i < named.table.size(); ++i) {
    WeightRow& row = row_named(split_head_label(named.table.text(i, "label")).site, rows);
    place_of(named.table.text(i, "query"), row.queries);
    place_of(named.table.text(i, "key"), row.keys);
  }
  return rows;
}

std::vector<WeightRow> read_rows(const NamedTable& named) {
  std::vector<WeightRow> rows = rows_of_roles(named);
  for (std::size_t i = 0; i < named.table.size(); ++i) {
    const HeadLabel label = split_head_label(named.table.text(i, "label"));
    WeightRow& row = row_named(label.site, rows);
    const std::size_t query = place_of(named.table.text(i, "query"), row.queries);
    const std::size_t key = place_of(named.table.text(i, "key"), row.keys);
    double& weight = map_titled(label.head, row).weights[query * row.keys.size() + key];
    if (!std::isnan(weight))
      throw Error("{}, row {}: the weight of '{}' from '{}' on '{}' is there twice",
                  subject_of(named), i + 1, printable(named.table.text(i, "label")),
                  printable(row.queries[query]), printable(row.keys[key]));
    weight = required_number(named, i, "weight");
  }
  return rows;
}

bool lacks_a_pair(const WeightRow& row) {
  return std::ranges::any_of(row.maps, [](const WeightMap& map) {
    return std::ranges::any_of(map.weights, [](double weight) { return std::isnan(weight); });
  });
}

}  // namespace

Figure draw_role_attention(const std::vector<NamedTable>& tables, const FigureOptions& options) {
  require_columns(tables, {"label", "query", "key", "weight"});
  if (tables.size() != 1)
    throw Error("takes one table, not {}: draw each in a figure of its own", tables.size());
  const std::vector<WeightRow> rows = read_rows(tables[0]);
  return draw_weight_grid(
      {.subject = "role-attention: mean weights of every head; rows are roles of queries, columns "
                  "of keys",
       .title = "Attention between roles, by head",
       .note = fmt::format("rows: roles of queries (in a decoder, of the tokens that they write), "
                           "columns: roles of "
                           "keys; stronger colour: more weight{}",
                           std::ranges::any_of(rows, lacks_a_pair) ? "; grey: never together" : ""),
       .rows = rows},
      options);
}

}  // namespace headway
