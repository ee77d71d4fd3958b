// Checks that an image file is complete: gnuplot and others do not notice a full disk and leave
// half a picture behind.
#pragma once

#include <string>
#include <string_view>

namespace headway {

// What is wrong with the file, in a few words; "" if nothing is.
// PNG: every chunk has the right checksum, and the last one is the end.
std::string png_problem(std::string_view bytes);
// SVG: well-formed XML with one <svg> and nothing after it.
std::string svg_problem(std::string_view text);

}  // namespace headway
