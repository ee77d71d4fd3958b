// A figure in a report: picture, caption and origin.
#pragma once

#include <string>

#include "lib/report/piece.h"

namespace headway {

struct FigureInReport {
  std::string id;       // element id; unique in the page
  std::string file;     // path in REPORT.md: "figures/importance.svg"
  std::string svg;      // the picture
  std::string caption;  // Markdown, one paragraph; may be empty
  Piece origin;         // the line about its stage; may be empty
  std::string name;     // for messages: "importance.svg"
};

// Throws Error that begins with the figure's name if the SVG is incomplete.
Piece figure_piece(const FigureInReport& figure);

// Caption and origin of a figure, table or explorer; empty if both are. Errors in the caption begin
// with `name`.
Piece caption_piece(const std::string& caption, const Piece& origin, const std::string& name);

// The caption without markup, for screen readers.
std::string caption_text(const std::string& caption, const std::string& name);

}  // namespace headway
