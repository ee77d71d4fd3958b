#include <algorithm>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/figures/checks.h"
#include "lib/figures/kinds.h"
#include "lib/figures/weight_grid.h"
#include "lib/numerics/attention_maps.h"

namespace headway {
namespace {

std::vector<std::int64_t> head_numbers(const AttentionMaps& maps, const AttentionMaps::Site& site) {
  std::vector<std::int64_t> numbers;
  for (const Json& number : maps.heads_of(site)) {
    if (number.is_number_integer()) numbers.push_back(number.get<std::int64_t>());
  }
  if (numbers.size() != site.heads())
    throw Error("metadata 'heads' names {} heads of '{}', which has {}", numbers.size(), site.name,
                site.heads());
  return numbers;
}

WeightRow site_row(const AttentionMaps& maps, const AttentionMaps::Site& site,
                   std::size_t problem) {
  WeightRow row{site.label(),
                maps.tokens(site.stack->queries, problem),
                maps.tokens(site.stack->keys, problem),
                {}};
  const std::vector<float> weights = maps.weights(site, problem);  // [heads, queries, keys]
  if (!std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); }))
    throw Error("attention '{}' has weights that are no numbers", site.name);
  const auto cells = static_cast<std::ptrdiff_t>(row.queries.size() * row.keys.size());
  auto first = weights.begin();
  for (const std::int64_t number : head_numbers(maps, site)) {
    row.maps.push_back({fmt::format("H{}", number), {first, first + cells}});
    first += cells;
  }
  return row;
}

// Leaves out sites without heads.
std::vector<WeightRow> site_rows(const AttentionMaps& maps, std::size_t problem) {
  std::vector<WeightRow> rows;
  for (const AttentionMaps::Site& site : maps.sites())
    rows.push_back(site_row(maps, site, problem));
  std::erase_if(rows, [](const WeightRow& row) { return row.maps.empty(); });
  if (rows.empty()) throw Error("no module has a head: nothing to draw");
  return rows;
}

}  // namespace

Figure draw_attention(const std::vector<NamedTensors>& files, const FigureOptions& options) {
  const AttentionMaps maps(only_file(files).file);
  const auto problem = static_cast<std::size_t>(options.problem);  // if negative, too large
  if (problem >= maps.problems().size())
    throw Error("there is no problem {}: the file has {}, from 0", options.problem,
                maps.problems().size());
  const std::string& answer = maps.answer(problem);
  const std::string answered = answer.empty() ? "" : fmt::format(" (answered {})", answer);
  return draw_weight_grid(
      {.subject =
           "attention: weights of every head for one problem; rows are queries, columns keys",
       .title = fmt::format("Attention for {}{}", maps.problems()[problem], answered),
       .note = "rows: query tokens, columns: key tokens; stronger colour: more weight",
       .rows = site_rows(maps, problem)},
      options);
}

}  // namespace headway
