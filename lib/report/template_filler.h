// Fills in a template: evaluates conditions and loops, and inserts values and artifacts.
#pragma once

#include <vector>

#include "lib/report/directives.h"

namespace headway {

struct PlacedPiece {
  Piece piece;
  SourceLocation location;  // start in the template
};

// Text up to the next block is one piece. Throws Error with the location in the template if
// artifacts lack something that it uses, or the report gets too large.
std::vector<PlacedPiece> fill_template(const ReportTemplate& text, const Sources& sources,
                                       Directives& directives);

}  // namespace headway
