// Letters that no font of this machine has. Instead of one, cairo draws a box over half of the PNG;
// in the SVG, the reader's machine has the fonts.
#pragma once

#include "lib/base/file_system.h"
#include "lib/figures/figure.h"

namespace headway {

// The figure with □ in place of each of them; the same if there are none, or if fontconfig is not
// installed. `work` is for temporary files.
Figure without_missing_letters(const Figure& figure, const Path& work);

}  // namespace headway
