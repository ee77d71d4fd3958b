// A figure in a report: the picture, its caption, and where it comes from.
#pragma once

#include <string>

#include "lib/report/piece.h"

namespace headway {

struct FigureInReport {
  std::string id;       // of the element; unique in the page
  std::string file;     // where REPORT.md finds the picture: "figures/importance.svg"
  std::string svg;      // the picture
  std::string caption;  // Markdown, one paragraph; may be empty
  Piece origin;         // the line that says where it comes from; may be empty
  std::string name;     // for messages: "importance.svg"
};

Piece figure_piece(const FigureInReport& figure);

// What stands with a figure, a table or the explorer: the caption, then the line that says where it
// comes from; "" where there is neither. Mistakes in the caption are told with `name`.
Piece caption_piece(const std::string& caption, const Piece& origin, const std::string& name);

// A caption as people who cannot see it hear it: without markup.
std::string caption_text(const std::string& caption, const std::string& name);

}  // namespace headway
