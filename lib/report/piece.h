// A part of a report as Markdown and HTML. Text is written as Markdown; figures, sortable tables
// and the explorer have their own HTML.
#pragma once

#include <string>

namespace headway {

struct Piece {
  std::string markdown;  // blocks, ending in a newline
  std::string html;      // empty: the rendered Markdown
};

}  // namespace headway
