// A part of a report as Markdown and HTML. Text is written as Markdown; figures, sortable tables
// and the explorer have their own HTML.
#pragma once

#include <string>
#include <vector>

#include "lib/numerics/safetensors.h"
#include "lib/numerics/table.h"

namespace headway {

struct Piece {
  std::string markdown;  // blocks, ending in a newline
  std::string html;      // empty: the rendered Markdown
};

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

// A table, which the page can sort by any column.
struct TableInReport {
  std::vector<std::string> columns;  // columns to show, in order; empty: all
  std::vector<std::string> percent;  // columns shown as percentages
  std::string caption;               // Markdown, one paragraph; may be empty
  Piece origin;                      // may be empty
  std::size_t rows = 0;              // rows before the fold; 0: no fold
  std::string id;                    // element id
  // Longer tables are cut, with a note.
  std::size_t most_page_rows = 2000;
  std::size_t most_markdown_rows = 100;
};

// Throws Error that lists the columns if `options` names an unknown one.
Piece table_piece(const Table& table, const TableInReport& options);

// The attention explorer: shows the attention of any head for any problem on the page, or for the
// first problems if all are too many. `maps` is in the format of lib/numerics/attention_maps.h. The
// Markdown form is a sentence that refers to the page. Throws Error if the maps have another form,
// or one problem has more weights than a page can hold.
Piece explorer_piece(const TensorFile& maps, const std::string& id, const Piece& origin);

}  // namespace headway
