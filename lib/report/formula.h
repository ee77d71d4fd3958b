// Formulas in LaTeX notation as MathML, which browsers draw by themselves. The program blahtexml
// translates them.
#pragma once

#include <string>
#include <vector>

namespace headway {

struct Formula {
  std::string latex;
  bool is_display = false;  // on a line of its own
};

// A <math> element for each formula; nothing in a formula becomes other markup. Throws Error that
// names the formula and says what is wrong with it, or that blahtexml is not installed.
std::vector<std::string> to_mathml(const std::vector<Formula>& formulas);

}  // namespace headway
