// A figure in a report: the picture, its caption and its origin.
#pragma once

#include <string>

#include "lib/report/piece.h"

namespace headway {

struct FigureInReport {
  std::string id;       // of the element; unique in the page
  std::string file;     // where REPORT.md finds the picture: "figures/importance.svg"
  std::string svg;      // the picture
  std::string caption;  // Markdown, one paragraph; may be empty
  Piece origin;         // the line about its stage; may be empty
  std::string name;     // for messages: "importance.svg"
};

// Throws Error that begins with the figure's name if it is not a whole SVG.
Piece figure_piece(const FigureInReport& figure);

// The caption of a figure, a table or the explorer, then its origin; "" if both are empty. Errors
// in the caption begin with `name`.
Piece caption_piece(const std::string& caption, const Piece& origin, const std::string& name);

// The caption without markup, for screen readers.
std::string caption_text(const std::string& caption, const std::string& name);

}  // namespace headway
