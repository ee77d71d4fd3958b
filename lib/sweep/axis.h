// A parameter that a sweep varies, and its values: a list or a range. Independent of pipelines and
// of the search method.
#pragma once

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
  bool whole = false;  // integers only
};

struct Axis {
  std::string path;
  SourceLocation location;
  std::vector<Value> values;  // empty for a range without points, which is for random search only
  std::optional<AxisRange> range;
};

// `declared` is a list of values, or a text:
//
//   log:LOW..HIGH[:COUNT]   COUNT points with equal ratios, including both ends
//   lin:LOW..HIGH[:COUNT]   COUNT points with equal distances, including both ends
//   int:LOW..HIGH[:STEP]    LOW, LOW + STEP, … up to HIGH; without STEP every integer, or a range
//                           without points if there are over 10,000
//
// `whole`: the parameter is an integer, so points are rounded and duplicates dropped.
//
// Points between the ends have 4 significant digits (more if they are very close together), so that
// a trial's short name is exact. If all points are integers and the ends are written as integers,
// the values are integers.
//
// Adds mistakes to `diagnostics`, at the location of the value, and then returns nullopt.
std::optional<Axis> read_axis(const std::string& path, const SourceLocation& location,
                              const Value& declared, bool whole, Diagnostics& diagnostics);

// Rounds to the first significant digits. Computed and drawn values are rounded, so that people can
// read and type them.
double rounded_to_digits(double number, int digits = 4);

}  // namespace headway
