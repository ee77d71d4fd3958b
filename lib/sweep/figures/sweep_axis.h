// An axis of a sweep: the values that were tried, in order, and where each stands on its scale.
// Knows neither tables nor gnuplot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headway {

enum class AxisScale { kLinear, kLogarithmic, kCategories };

struct SweepAxis {
  std::string column;  // "model.n_heads"
  std::string name;    // as short as it can be among the axes: "n_heads"
  AxisScale scale = AxisScale::kCategories;
  // Numbers from the lowest on, texts as they first appear.
  std::vector<std::string> labels;
  std::vector<double> numbers;  // what the labels say; of categories 1, 2, …

  std::size_t size() const { return labels.size(); }
  // From 0, the first value, to 1, the last, as the scale has it; 0.5 where there is only one.
  double share(std::size_t value) const;
  // The least that two neighbours are apart, as a share; 1 where there is only one.
  double smallest_gap() const;
};

// The axis of these cells, and for each cell which of the values it is. Numbers that are written in
// different ways (0.001, 1e-3) are one value.
struct PlacedAxis {
  SweepAxis axis;
  std::vector<std::size_t> places;
};
PlacedAxis read_axis(const std::string& column, const std::vector<std::string>& cells);

// Whether numbers, from the lowest on, are spaced by ratio rather than by difference: 1, 2, 4, 8 or
// 1e-4, 3e-4, 1e-3; also unevenly, where they reach over a power of ten.
bool are_spaced_by_ratio(const std::vector<double>& numbers);

// "n_heads" for "model.n_heads", or as many parts of the path as tell it from the others.
std::vector<std::string> short_names(const std::vector<std::string>& columns);

}  // namespace headway
