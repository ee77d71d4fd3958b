// Fills in a template: decides its conditions, runs its loops, and puts values and artifacts where
// it asks for them.
#pragma once

#include <vector>

#include "lib/report/directives.h"

namespace headway {

struct PlacedPiece {
  Piece piece;
  SourceLocation location;  // where in the template it begins
};

// Text up to the next block is one piece. An Error, with the place in the template, where it asks
// for what the artifacts do not have, or for more than a report can hold.
std::vector<PlacedPiece> fill_template(const ReportTemplate& text, const Sources& sources,
                                       Directives& directives);

}  // namespace headway
