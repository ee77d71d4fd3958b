// Tables as the stage type extrapolate writes them, for tests of what is said about them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lib/extrapolation/findings/length_results.h"
#include "lib/numerics/table.h"

namespace headway {

struct LengthRow {
  std::size_t length = 0;
  std::string negatives;
  double count = 0;
  double accuracy = 0;
  // Shares of errors, with intervals as of half of the sequences; NaN: both as the accuracy has it.
  double missed = std::numeric_limits<double>::quiet_NaN();
  double alarms = std::numeric_limits<double>::quiet_NaN();
  double early = std::numeric_limits<double>::quiet_NaN();
  double late = std::numeric_limits<double>::quiet_NaN();
  double loss = 0.1;
};

inline Table length_table_of(const std::vector<LengthRow>& rows) {
  Table table({"length", "negatives", "count", "accuracy", "low", "high", "false_positives",
               "false_positives_low", "false_positives_high", "false_negatives",
               "false_negatives_low", "false_negatives_high", "early", "missed_early", "late",
               "missed_late", "loss", "trained_from", "trained_to"});
  for (const LengthRow& row : rows) {
    std::vector<std::string> cells = {std::to_string(row.length), row.negatives,
                                      number_text(row.count)};
    const auto add = [&](double share, double count) {
      const MeasuredShare measured =
          share_of_count(std::llround(share * count), std::llround(count));
      for (const double value : {measured.value, measured.low, measured.high})
        cells.push_back(number_text(value));
    };
    const double missed = std::isnan(row.missed) ? 1 - row.accuracy : row.missed;
    add(row.accuracy, row.count);
    add(missed, row.count / 2);
    add(std::isnan(row.alarms) ? 1 - row.accuracy : row.alarms, row.count / 2);
    for (const double violations : {row.early, row.late}) {
      cells.push_back(number_text(violations));
      cells.push_back(violations > 0 ? number_text(missed) : "");
    }
    cells.insert(cells.end(), {number_text(row.loss), "8", "16"});
    table.add(std::move(cells));
  }
  return table;
}

inline SourceFile lengths_of_model(const std::string& name, const std::vector<LengthRow>& rows) {
  return {name, "lengths@" + name + ".table", "lengths.csv", length_table_of(rows).to_csv()};
}

inline SourceFile metrics_of_model(const std::string& name, const std::string& encoding,
                                   const std::string& pooling) {
  const Json metrics = {{"encoding", encoding}, {"pooling", pooling}};
  return {name, "lengths@" + name + ".metrics", "metrics.json", metrics.dump()};
}

// A model with one accuracy within the trained lengths and one beyond, for both kinds.
inline std::vector<LengthRow> even_model(double within, double beyond, double hard) {
  return {{16, "swaps", 500, within},  {32, "swaps", 500, beyond},  {256, "swaps", 500, beyond},
          {16, "adjacent", 500, hard}, {32, "adjacent", 500, hard}, {256, "adjacent", 500, hard}};
}

// The same training as others with these losses, which no two trainings have to all digits: swaps
// alone, within the trained lengths and beyond.
inline std::vector<LengthRow> model_with_losses(double within, double beyond, double loss) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  return {{8, "swaps", 500, within, unknown, unknown, unknown, unknown, loss},
          {16, "swaps", 500, within, unknown, unknown, unknown, unknown, loss + 0.25},
          {32, "swaps", 500, beyond}};
}

}  // namespace headway
