// Whether a file that a program wrote is a whole picture: programs such as gnuplot do not notice
// that a disk is full, and leave half of one behind.
#pragma once

#include <string>
#include <string_view>

namespace headway {

// What is wrong with it, in a few words; "" where it is whole.
std::string png_problem(std::string_view bytes);  // every chunk with its checksum, up to the end
std::string svg_problem(std::string_view text);   // well-formed XML, one <svg>, nothing behind it

}  // namespace headway
