// One parameter that a sweep varies, and the values it takes: a list, or a range by its ends. Knows
// neither pipelines nor which search will use it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/source_location.h"
#include "lib/base/value.h"

namespace headway {

struct AxisRange {
  bool logarithmic = false;
  double low = 0;
  double high = 0;
  std::size_t points = 0;  // 0: anything between the ends, which only a random search can use
  bool whole = false;      // integers only
};

struct Axis {
  std::string path;
  SourceLocation location;
  std::vector<Value> values;  // empty where a range has no points
  std::optional<AxisRange> range;
};

// `declared` is a list of values, or a text:
//
//   log:LOW..HIGH[:COUNT]   COUNT points whose ratios are equal, both ends among them
//   lin:LOW..HIGH[:COUNT]   COUNT points whose distances are equal, both ends among them
//   int:LOW..HIGH[:STEP]    LOW, LOW + STEP, …, not above HIGH; without STEP every integer (where
//                           these are over 10,000, a range without points)
//
// `whole`: the parameter is an integer, so points are rounded, and repeated ones dropped.
//
// Points between the ends have 4 significant digits (more only where they are so close together
// that it shows), so that a trial's short name says its values exactly. They are integers where
// they all are and the ends are written as such.
//
// Mistakes go to `diagnostics`, at the location of the value; then there is no axis.
std::optional<Axis> read_axis(const std::string& path, const SourceLocation& location,
                              const Value& declared, bool whole, Diagnostics& diagnostics);

// The double nearest to the number's first significant digits: what is computed or drawn for a
// range is rounded so, for people to read and type.
double rounded_to_digits(double number, int digits = 4);

}  // namespace headway
