// Draws a figure: gnuplot, as a process of its own in a folder of its own.
#pragma once

#include <string>

#include "lib/base/file_system.h"
#include "lib/figures/figure.h"

namespace headway {

struct Drawing {
  std::string svg;
  std::string png;
  std::string warnings;  // what gnuplot said, though it drew
};

// Draws in a folder of its own below `work`. Throws Error where gnuplot is not installed or leaves
// no whole pictures, or with what it says and the script's line.
Drawing draw_with_gnuplot(const Figure& figure, const Path& work);

}  // namespace headway
