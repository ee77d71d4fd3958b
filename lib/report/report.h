// Fills in a template with artifacts, and makes a report of it: a page, a Markdown file and its
// pictures. The same artifacts give the same bytes.
#pragma once

#include <string>
#include <utility>
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

struct Report {
  std::string html;      // index.html, self-contained
  std::string markdown;  // REPORT.md, with the pictures beside it
  std::vector<std::pair<std::string, std::string>> pictures;  // "figures/importance.svg", its text
};

// `work` is for temporary files. Throws Error with all mistakes in the template, or naming the
// artifact that cannot be shown.
Report make_report(const ReportTemplate& text, const Sources& sources, const Provenance& provenance,
                   const Path& work);

}  // namespace headway
