// A table in a report, which the page can sort by any column.
#pragma once

#include <string>
#include <vector>

#include "lib/numerics/table.h"
#include "lib/report/piece.h"

namespace headway {

struct TableInReport {
  std::vector<std::string> columns;  // columns to show, in order; empty: all
  std::vector<std::string> percent;  // columns shown as percentages
  std::string caption;               // Markdown, one paragraph; may be empty
  Piece origin;                      // may be empty
  std::size_t rows = 0;              // rows before the fold; 0: no fold
  std::string id;                    // element id
};

// Longer tables are cut, with a note.
inline constexpr std::size_t kMostPageRows = 2000;
inline constexpr std::size_t kMostMarkdownRows = 100;

// Throws Error that lists the columns if `options` names an unknown one.
Piece table_piece(const Table& table, const TableInReport& options);

}  // namespace headway
