#include "lib/extrapolation/findings/length_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lib/base/text.h"
#include "lib/extrapolation/findings/length_results.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

std::set<std::size_t> lengths_to_show(const std::vector<ModelLengths>& models) {
  constexpr std::size_t kUsual[] = {32, 64, 128, 256};  // what others report
  std::set<std::size_t> all, usual;
  for (const ModelLengths& model : models) {
    for (const auto& [negatives, results] : model.kinds) {
      for (const LengthResult& result : model.beyond(negatives)) all.insert(result.length);
    }
  }
  for (const std::size_t length : kUsual) {
    if (all.contains(length)) usual.insert(length);
  }
  return usual.empty() ? all : usual;
}

std::string reached_cell(const Reach& reach, const std::optional<std::size_t>& length) {
  if (reach.tested.empty()) return "";
  if (!length) return "none";
  return count_text(*length) + (*length == reach.tested.back().length ? " (the longest)" : "");
}

std::string length_row(const ModelLengths& model, const std::string& negatives,
                       const std::set<std::size_t>& lengths) {
  const std::vector<LengthResult> within = model.within(negatives);
  const Reach reach = reach_of(model, negatives);
  std::vector<std::string> cells = {model.name, markdown_code(negatives),
                                    within.empty() ? "" : share_cell(pooled_accuracy(within))};
  for (const std::size_t length : lengths) {
    const LengthResult* result = at_length(reach.tested, length);
    cells.push_back(result ? share_cell(result->accuracy) : "");
  }
  cells.push_back(reached_cell(reach, reach.nearly_all));
  cells.push_back(reached_cell(reach, reach.above_chance));
  return "| " + join(cells, " | ") + " |\n";
}

}  // namespace

std::string tell_length_table(const Sources& sources) {
  const std::vector<ModelLengths> models = read_model_lengths(sources, "lengths");
  const std::set<std::size_t> lengths = lengths_to_show(models);
  std::string text = "| model | negatives | trained lengths |", rule = "| --- | --- | ---: |";
  for (const std::size_t length : lengths) {
    text += fmt::format(" {} |", count_text(length));
    rule += " ---: |";
  }
  text += " 99 % or more up to | above chance up to |\n" + rule + " ---: | ---: |\n";
  for (const std::string& negatives : negatives_in(models)) {
    for (const ModelLengths& model : models) {
      if (model.has(negatives)) text += length_row(model, negatives, lengths);
    }
  }
  return text +
         "\nIn percent, with 95 % intervals. The last two columns: lengths beyond the trained "
         "ones, without a gap." +
         kChanceNote + "\n";
}

}  // namespace headway
