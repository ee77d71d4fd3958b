// Styles of lines that differ by colour, dashes and points together, for more lines than there are
// colours.
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

// A style for each name. Items of two axes ("alibi-mean", "alibi-max") have a colour for one axis,
// and dashes and points for the other; other names use up the colours first.
std::vector<LineStyle> line_styles(const std::vector<std::string>& names);

}  // namespace headway
