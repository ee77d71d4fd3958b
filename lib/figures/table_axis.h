// A column of a table as an axis: its different values, in order, and where each row stands.
#pragma once

#include <string>
#include <vector>

namespace headway {

enum class AxisScale { kLinear, kLogarithmic, kCategories };

// Its values in order, and their positions on its scale.
struct TableAxis {
  std::string column;  // "model.n_heads"
  std::string name;    // the column, or as short as is unambiguous: "n_heads"
  AxisScale scale = AxisScale::kCategories;
  // Numbers in ascending order, texts in order of appearance.
  std::vector<std::string> labels;
  std::vector<double> numbers;  // the labels as numbers; for categories 1, 2, …

  std::size_t size() const { return labels.size(); }
  // A number on the scale: its logarithm if that is logarithmic.
  double place(double number) const;
  // Position from 0 (first value) to 1 (last value) on the scale; 0.5 if there is only one value.
  double share(std::size_t value) const;
  // The smallest distance between neighbours, as a share; 1 if there is only one value.
  double smallest_gap() const;
};

// The axis of these cells, and the index of each cell's value. Different spellings of a number
// (0.001, 1e-3) are one value.
struct PlacedAxis {
  TableAxis axis;
  std::vector<std::size_t> places;
};
PlacedAxis read_axis(const std::string& column, const std::vector<std::string>& cells);

// Whether ascending numbers are spaced by ratio rather than by difference: 1, 2, 4, 8 or 1e-4,
// 3e-4, 1e-3; also uneven ones that span a power of ten.
bool are_spaced_by_ratio(const std::vector<double>& numbers);

}  // namespace headway
