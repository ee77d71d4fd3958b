// A figure: a gnuplot script and its data. Plain text, so that tests need no gnuplot and people can
// edit and redraw it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/numerics/safetensors.h"
#include "lib/numerics/table.h"

namespace headway {

struct Size {
  int width = 0;  // pixels of the SVG; the PNG has twice as many in each direction
  int height = 0;
};

struct Figure {
  // figure.gp: reads figure.dat and draws `name`.svg and `name`.png. Run by hand, without `name`,
  // it writes redrawn.svg and .png: figure.svg may be a link to a stored result.
  std::string script;
  std::string data;  // figure.dat
  Size size;
};

// A table and its name in the figure: the item of a fan-in, or empty.
struct NamedTable {
  std::string name;
  Table table;
};

// The same for a file of arrays.
struct NamedTensors {
  std::string name;
  TensorFile file;
};

// Whether higher or lower values of a metric are better.
enum class Goal { kMax, kMin };

struct FigureOptions {
  std::string title = {};  // empty: made from the data
  Size size = {};          // zero: chosen by the kind
  std::int64_t problem = 0;
  std::vector<std::string> groups = {};  // values of the column group; empty: all
  // Columns of the table. For figures of sweeps, may be empty if there is no choice.
  std::string x = {};       // the horizontal axis
  std::string rows = {};    // the vertical axis
  std::string metric = {};  // the values shown
  Goal goal = Goal::kMax;   // of the metric
  // For charts of any table (chart_table.h): columns, but for the last three.
  std::vector<std::string> y = {};
  std::vector<std::string> low = {};  // the interval's end for each of y; or none
  std::vector<std::string> high = {};
  std::string series = {};
  std::string panels = {};
  std::vector<std::string> log = {};  // "x", "y"
  std::string x_label = {};           // empty: the column's name
  std::string y_label = {};
};

}  // namespace headway
