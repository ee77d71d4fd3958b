// Runs gnuplot to draw a figure.
#pragma once

#include <string>

#include "lib/base/file_system.h"
#include "lib/figures/figure.h"

namespace headway {

struct Drawing {
  std::string svg;
  std::string png;
  std::string warnings;  // printed by gnuplot although it drew the figure
};

// Draws in a new folder below `work`. Throws Error if gnuplot is not installed, fails (with its
// message and the script's line), or writes incomplete pictures.
Drawing draw_with_gnuplot(const Figure& figure, const Path& work);

}  // namespace headway
