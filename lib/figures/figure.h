// What a figure is: the script and the data that gnuplot draws it from. Plain text, so that figures
// are tested without gnuplot, and people can change and redraw them by hand.
#pragma once

#include <cstdint>
#include <string>

#include "lib/numerics/safetensors.h"
#include "lib/numerics/table.h"

namespace headway {

struct Size {
  int width = 0;  // pixels of the SVG; the PNG has twice as many each way
  int height = 0;
};

struct Figure {
  // figure.gp: reads figure.dat, draws `name`.svg and `name`.png. By hand, without a `name`, those
  // are redrawn.svg and .png: where people find figure.svg it may be a link to a result, which is
  // not to be written over.
  std::string script;
  std::string data;  // figure.dat
  Size size;
};

// A table and what it is called in the figure: the item of a fan-in, empty where there is only one.
struct NamedTable {
  std::string name;
  Table table;
};

// The same of a file of arrays.
struct NamedTensors {
  std::string name;
  TensorFile file;
};

// Which values of a metric are the better ones.
enum class Goal { kMax, kMin };

struct FigureOptions {
  std::string title = {};  // empty: one that is made from the data
  Size size = {};          // zero: what the kind needs for this data
  std::int64_t problem = 0;
  // Of figures of sweeps: columns of the table, empty where there is no choice.
  std::string x = {};       // the axis that goes to the right
  std::string rows = {};    // the axis that goes down
  std::string metric = {};  // what is shown
  Goal goal = Goal::kMax;
};

}  // namespace headway
