// A part of a report in both of its forms. Text is written once, as Markdown; only what Markdown
// cannot say (figures, tables to sort, the explorer) brings its own HTML.
#pragma once

#include <string>

namespace headway {

struct Piece {
  std::string markdown;  // blocks, with a line end after the last
  std::string html;      // empty: what the Markdown renders to
};

}  // namespace headway
