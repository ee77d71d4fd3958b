// Parses a range ("log:1e-4..1e-1:4") and computes its points.
#pragma once

#include <string>
#include <vector>

#include "lib/base/source_location.h"
#include "lib/base/value.h"
#include "lib/sweep/axis.h"

namespace headway {

struct RangePoints {
  AxisRange range;
  std::vector<Value> points;  // empty: any value between the ends
};

// Throws Error that says what is wrong with the text and how to write it.
RangePoints read_range(const std::string& text, bool whole, const SourceLocation& location);

}  // namespace headway
