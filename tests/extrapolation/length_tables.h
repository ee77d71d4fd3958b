// Artifacts as the stage type extrapolate writes them, for tests of reports made from them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lib/numerics/statistics.h"
#include "lib/numerics/table.h"
#include "lib/report/sources.h"

namespace headway {

struct LengthRow {
  std::size_t length = 0;
  std::string negatives;
  double count = 0;
  double accuracy = 0;
  // Shares of errors among half of the sequences each; NaN: both are 1 - accuracy.
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
      const Interval measured = share_interval(std::llround(share * count), std::llround(count));
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

// `rows`: lines of CSV.
inline SourceFile failures_of_model(const std::string& name, const std::string& rows) {
  return {name, "lengths@" + name + ".failures", "failures.csv",
          "length,negatives,sample,label,answer,probability,violation,at\n" + rows};
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

}  // namespace headway
