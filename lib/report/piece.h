// A part of a report as Markdown and as HTML. Text is written once, as Markdown; figures, sortable
// tables and the explorer have HTML of their own.
#pragma once

#include <string>

namespace headway {

struct Piece {
  std::string markdown;  // blocks, with a line end after the last
  std::string html;      // empty: the rendered Markdown
};

}  // namespace headway
