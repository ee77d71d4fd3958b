// Converts LaTeX formulas to MathML with the program blahtexml. Browsers draw MathML themselves.
#pragma once

#include <string>
#include <vector>

namespace headway {

struct Formula {
  std::string latex;
  bool is_display = false;  // on a line of its own
};

// A <math> element for each formula; formulas cannot inject other markup. Throws Error that names
// the wrong formula, or says that blahtexml is not installed.
std::vector<std::string> to_mathml(const std::vector<Formula>& formulas);

}  // namespace headway
