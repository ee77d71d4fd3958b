// Formulas: the part of LaTeX that our reports need, as MathML, which browsers draw by themselves.
#pragma once

#include <string>
#include <string_view>

namespace headway {

// `display`: a formula in a line of its own. An Error says what is not understood, and where in the
// formula.
std::string to_mathml(std::string_view latex, bool display);

}  // namespace headway
