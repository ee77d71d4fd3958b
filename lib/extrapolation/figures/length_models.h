// Accuracy by length, read from the tables of `extrapolation`, one model each.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/figures/figure.h"

namespace headway {

struct LengthPoint {
  double accuracy = 0;  // percent, like low and high
  double low = 0;
  double high = 0;
};

using LengthCurve = std::map<double, LengthPoint>;  // by length

struct TrainedRange {
  double from = 0;
  double to = 0;
  auto operator<=>(const TrainedRange&) const = default;
};

struct LengthModel {
  std::string name;
  TrainedRange trained;
  std::map<std::string, LengthCurve> curves;  // by negatives
};

// Columns as in kinds.h. Throws Error if a number is missing or wrong, a length is repeated, or
// rows disagree on the trained lengths.
LengthModel read_length_model(const NamedTable& table);

// Values of `negatives`, in order of appearance.
std::vector<std::string> negatives_of(const std::vector<NamedTable>& tables);

std::set<double> lengths_of(const std::vector<LengthModel>& models);
std::set<TrainedRange> trained_ranges(const std::vector<LengthModel>& models);

}  // namespace headway
