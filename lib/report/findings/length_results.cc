#include "lib/report/findings/length_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"

namespace headway {
namespace {

constexpr double kLengthUnknown = std::numeric_limits<double>::quiet_NaN();

double length_number(const Table& table, std::size_t row, const std::string& column) {
  return table.has(column) ? table.number(row, column) : kLengthUnknown;
}

double needed_length_number(const Table& table, std::size_t row, const std::string& column) {
  const double value = table.number(row, column);
  if (std::isfinite(value) && value >= 0) return value;
  throw Error(
      fmt::format("row {}, column '{}': a number of 0 or more is expected", row + 1, column));
}

MeasuredShare read_share(const Table& table, std::size_t row, const std::string& name) {
  return {length_number(table, row, name), length_number(table, row, name + "_low"),
          length_number(table, row, name + "_high")};
}

LengthResult read_length_result(const Table& table, std::size_t row) {
  const auto needed = [&](const char* column) { return needed_length_number(table, row, column); };
  LengthResult result;
  result.length = static_cast<std::size_t>(needed("length"));
  result.count = needed("count");
  result.accuracy = {needed("accuracy"), needed("low"), needed("high")};
  result.false_positives = read_share(table, row, "false_positives");
  result.false_negatives = read_share(table, row, "false_negatives");
  result.early = length_number(table, row, "early");
  result.missed_early = length_number(table, row, "missed_early");
  result.late = length_number(table, row, "late");
  result.missed_late = length_number(table, row, "missed_late");
  return result;
}

std::vector<LengthResult>& kind_of(ModelLengths& model, const std::string& negatives) {
  for (auto& [name, results] : model.kinds) {
    if (name == negatives) return results;
  }
  return model.kinds.emplace_back(negatives, std::vector<LengthResult>()).second;
}

ModelLengths read_model(const SourceTable& source) {
  const Table& table = source.table;
  ModelLengths model;
  model.name = model_label(source.item);
  if (table.size() == 0) throw Error("no length was measured");
  model.trained_from = static_cast<std::size_t>(needed_length_number(table, 0, "trained_from"));
  model.trained_to = static_cast<std::size_t>(needed_length_number(table, 0, "trained_to"));
  for (std::size_t row = 0; row < table.size(); ++row) {
    kind_of(model, table.text(row, "negatives")).push_back(read_length_result(table, row));
  }
  for (auto& [name, results] : model.kinds) {
    std::stable_sort(results.begin(), results.end(),
                     [](const auto& a, const auto& b) { return a.length < b.length; });
  }
  return model;
}

template <class Condition>
std::vector<LengthResult> results_where(const ModelLengths& model, std::string_view negatives,
                                        Condition holds) {
  std::vector<LengthResult> chosen;
  for (const auto& [name, results] : model.kinds) {
    if (name != negatives) continue;
    std::copy_if(results.begin(), results.end(), std::back_inserter(chosen), holds);
  }
  return chosen;
}

std::string percent_without_sign(double share) {
  std::string text = percent_text(share);
  if (text.ends_with(" %")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

std::vector<LengthResult> ModelLengths::within(std::string_view negatives) const {
  return results_where(*this, negatives, [&](const LengthResult& result) {
    return result.length >= trained_from && result.length <= trained_to;
  });
}

std::vector<LengthResult> ModelLengths::beyond(std::string_view negatives) const {
  return results_where(*this, negatives,
                       [&](const LengthResult& result) { return result.length > trained_to; });
}

bool ModelLengths::has(std::string_view negatives) const {
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const auto& kind) { return kind.first == negatives; });
}

std::vector<ModelLengths> read_model_lengths(const Sources& sources, std::string_view role) {
  std::vector<ModelLengths> models;
  const std::vector<SourceTable> tables = sources.tables(role);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    try {
      models.push_back(read_model(tables[i]));
    } catch (const Error& error) {
      throw error.within(sources.files(role)[i].origin);
    }
  }
  return models;
}

void read_what_models_are(const Sources& sources, std::string_view role,
                          std::vector<ModelLengths>& models) {
  for (const SourceMetrics& source : sources.all_metrics(role)) {
    for (ModelLengths& model : models) {
      if (model.name != model_label(source.item)) continue;
      const auto text = [&](const char* key) {
        const auto found = source.metrics.find(key);
        return found != source.metrics.end() && found->is_string() ? found->get<std::string>() : "";
      };
      model.encoding = text("encoding");
      model.pooling = text("pooling");
    }
  }
}

std::vector<std::string> negatives_in(const std::vector<ModelLengths>& models) {
  std::vector<std::string> names;
  for (const ModelLengths& model : models) {
    for (const auto& [name, results] : model.kinds) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string model_label(std::string_view item) {
  return item.empty() ? "the model" : markdown_code(item);
}

Standing standing_of(const MeasuredShare& accuracy) {
  if (accuracy.low > 0.5) return Standing::kAbove;
  return accuracy.high < 0.5 ? Standing::kBelow : Standing::kAtChance;
}

bool Reach::is_never_above_chance() const {
  return std::none_of(tested.begin(), tested.end(), [](const LengthResult& result) {
    return standing_of(result.accuracy) == Standing::kAbove;
  });
}

Reach reach_of(const ModelLengths& model, std::string_view negatives) {
  Reach reach;
  reach.tested = model.beyond(negatives);
  for (const LengthResult& result : reach.tested) {
    if (result.accuracy.value < kNearlyAll || standing_of(result.accuracy) != Standing::kAbove)
      break;  // all of very few may still be chance
    reach.nearly_all = result.length;
  }
  for (const LengthResult& result : reach.tested) {
    if (standing_of(result.accuracy) != Standing::kAbove) break;
    reach.above_chance = result.length;
  }
  return reach;
}

const LengthResult& lowest_of(const std::vector<LengthResult>& results) {
  return *std::min_element(results.begin(), results.end(), [](const auto& a, const auto& b) {
    return std::pair(a.accuracy.value, a.accuracy.low) <
           std::pair(b.accuracy.value, b.accuracy.low);
  });
}

const LengthResult* at_length(const std::vector<LengthResult>& results, std::size_t length) {
  for (const LengthResult& result : results) {
    if (result.length == length) return &result;
  }
  return nullptr;
}

MeasuredShare share_of_count(double right, double count, double deviations) {
  if (!(count > 0)) return {kLengthUnknown, kLengthUnknown, kLengthUnknown};
  const double share = right / count, z2 = deviations * deviations;
  const double middle = (share + z2 / (2 * count)) / (1 + z2 / count);
  const double reach = deviations / (1 + z2 / count) *
                       std::sqrt(share * (1 - share) / count + z2 / (4 * count * count));
  // At the ends rounding must not leave out what the interval includes.
  return {share, right > 0 ? std::max(0.0, middle - reach) : 0,
          right < count ? std::min(1.0, middle + reach) : 1};
}

MeasuredShare pooled_accuracy(const std::vector<LengthResult>& results) {
  if (results.size() == 1) return results.front().accuracy;
  double right = 0, count = 0;
  for (const LengthResult& result : results) {
    right += std::round(result.accuracy.value * result.count);
    count += result.count;
  }
  return share_of_count(right, count);
}

bool are_apart(const MeasuredShare& a, const MeasuredShare& b) {
  return a.low > b.high || b.low > a.high;
}

std::string share_text(const MeasuredShare& share) {
  if (!std::isfinite(share.low) || !std::isfinite(share.high)) return percent_text(share.value);
  return fmt::format("{} ({} to {} %)", percent_text(share.value), percent_without_sign(share.low),
                     percent_without_sign(share.high));
}

std::string share_cell(const MeasuredShare& share) {
  if (!std::isfinite(share.value)) return "";
  return fmt::format("{} ({}–{})", percent_without_sign(share.value),
                     percent_without_sign(share.low), percent_without_sign(share.high));
}

std::string lengths_text(const std::vector<LengthResult>& results) {
  if (results.empty()) return "none";
  const std::string first = count_text(results.front().length);
  const std::string last = count_text(results.back().length);
  return first == last ? first : first + " to " + last;
}

}  // namespace headway
