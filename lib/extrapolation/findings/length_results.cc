#include "lib/extrapolation/findings/length_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lib/base/error.h"
#include "lib/report/escape.h"
#include "lib/report/phrases.h"
#include "lib/report/reading.h"

namespace headway {
namespace {

constexpr double kLengthUnknown = std::numeric_limits<double>::quiet_NaN();

// A table with the artifact's name, for messages.
struct LengthTable {
  const Table& table;
  const std::string& origin;

  double number(std::size_t row, const std::string& column) const {
    return table.has(column) ? optional_number(table, row, column, origin) : kLengthUnknown;
  }
  double share(std::size_t row, const std::string& column) const {
    return std::isnan(number(row, column)) ? kLengthUnknown
                                           : share_number(table, row, column, origin);
  }
  double optional_count(std::size_t row, const std::string& column) const {
    return std::isnan(number(row, column))
               ? kLengthUnknown
               : static_cast<double>(whole_number(table, row, column, origin));
  }
  double needed_share(std::size_t row, const std::string& column) const {
    return share_number(table, row, column, origin);
  }
  std::size_t count(std::size_t row, const std::string& column) const {
    return whole_number(table, row, column, origin);
  }
};

MeasuredShare read_share(const LengthTable& source, std::size_t row, const std::string& name,
                         double count) {
  return {source.share(row, name), source.share(row, name + "_low"),
          source.share(row, name + "_high"), std::llround(count)};
}

LengthResult read_length_result(const LengthTable& source, std::size_t row) {
  LengthResult result;
  result.length = source.count(row, "length");
  result.count = static_cast<std::int64_t>(source.count(row, "count"));
  result.accuracy = {source.needed_share(row, "accuracy"), source.needed_share(row, "low"),
                     source.needed_share(row, "high"), result.count};
  result.early = source.optional_count(row, "early");
  result.missed_early = source.share(row, "missed_early");
  result.late = source.optional_count(row, "late");
  result.missed_late = source.share(row, "missed_late");
  result.loss = source.number(row, "loss");
  // Where places of violations are not told, neither is how many are unsorted; tests are halved.
  const auto count = static_cast<double>(result.count);
  const double unsorted =
      std::isnan(result.early + result.late) ? count / 2 : result.early + result.late;
  result.false_positives = read_share(source, row, "false_positives", unsorted);
  result.false_negatives =
      read_share(source, row, "false_negatives", std::max(0.0, count - unsorted));
  return result;
}

std::vector<LengthResult>& kind_of(ModelLengths& model, const std::string& negatives) {
  for (auto& [name, results] : model.kinds) {
    if (name == negatives) return results;
  }
  return model.kinds.emplace_back(negatives, std::vector<LengthResult>()).second;
}

ModelLengths read_model(const SourceFile& file) {
  const Table table = parse_csv(file.bytes, file.origin);
  const LengthTable source{table, file.origin};
  ModelLengths model;
  model.name = model_label(file.item);
  require_columns(
      table,
      {"length", "negatives", "count", "accuracy", "low", "high", "trained_from", "trained_to"},
      "a table of extrapolate", file.origin);
  if (table.size() == 0) throw Error(file.origin + ": no length was measured");
  model.trained_from = source.count(0, "trained_from");
  model.trained_to = source.count(0, "trained_to");
  for (std::size_t row = 0; row < table.size(); ++row) {
    kind_of(model, table.text(row, "negatives")).push_back(read_length_result(source, row));
  }
  for (auto& [name, results] : model.kinds) {
    std::stable_sort(results.begin(), results.end(),
                     [](const auto& a, const auto& b) { return a.length < b.length; });
  }
  return model;
}

// Whether all that was measured within the trained lengths is the same, to all digits of the loss.
// A loss that never changes may be that of models which always give the same answer.
bool are_same_training(const ModelLengths& a, const ModelLengths& b) {
  std::set<double> losses;
  for (const auto& [negatives, results] : a.kinds) {
    const std::vector<LengthResult> ours = a.within(negatives), theirs = b.within(negatives);
    if (ours.size() != theirs.size()) return false;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const bool is_same = ours[i].length == theirs[i].length && ours[i].count == theirs[i].count &&
                           ours[i].loss == theirs[i].loss &&
                           ours[i].accuracy.value == theirs[i].accuracy.value;
      if (!is_same) return false;
      losses.insert(ours[i].loss);
    }
  }
  return losses.size() > 1;
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

std::int64_t right_of(const MeasuredShare& share) {
  return std::llround(share.value * static_cast<double>(share.count));
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

bool ModelLengths::has_learned(std::string_view negatives) const {
  const std::vector<LengthResult> results = within(negatives);
  return results.empty() || standing_of(pooled_accuracy(results)) == Standing::kAbove;
}

std::vector<ModelLengths> read_model_lengths(const Sources& sources, std::string_view role) {
  std::vector<ModelLengths> models;
  for (const SourceFile& file : sources.files(role)) {
    ModelLengths model = read_model(file);
    const auto same = std::find_if(models.begin(), models.end(), [&](const ModelLengths& earlier) {
      return are_same_training(earlier, model);
    });
    if (same != models.end()) model.same_as = same->name;
    models.push_back(std::move(model));
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
  static const double kDeviations = deviations_for(kAccuraciesTogether);
  const Interval interval = share_interval(right_of(accuracy), accuracy.count, kDeviations);
  if (interval.low > 0.5) return Standing::kAbove;
  return interval.high < 0.5 ? Standing::kBelow : Standing::kAtChance;
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

MeasuredShare share_of_count(std::int64_t right, std::int64_t count, double deviations) {
  if (count <= 0) return {kLengthUnknown, kLengthUnknown, kLengthUnknown, 0};
  const Interval interval = share_interval(right, count, deviations);
  return {interval.value, interval.low, interval.high, count};
}

MeasuredShare pooled_accuracy(const std::vector<LengthResult>& results) {
  if (results.size() == 1) return results.front().accuracy;
  std::int64_t right = 0, count = 0;
  for (const LengthResult& result : results) {
    right += right_of(result.accuracy);
    count += result.count;
  }
  return share_of_count(right, count);
}

bool are_apart(const MeasuredShare& a, const MeasuredShare& b, std::size_t comparisons) {
  return excludes_zero(
      share_difference(right_of(a), a.count, right_of(b), b.count, deviations_for(comparisons)));
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
