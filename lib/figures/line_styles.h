// Line styles that combine colour, dashes and points, for more lines than there are colours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway {

struct LineStyle {
  std::string_view colour;
  int dash = 1;   // gnuplot's `dt`
  int point = 7;  // gnuplot's `pt`
  bool operator==(const LineStyle&) const = default;
};

// A style for each name. For items of two axes ("alibi-mean", "alibi-max"), colour shows one axis,
// dashes and points the other; other names use all colours first.
std::vector<LineStyle> line_styles(const std::vector<std::string>& names);

}  // namespace headway
