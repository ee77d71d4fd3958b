// A table in a report. The page can sort it by any column.
#pragma once

#include <string>
#include <vector>

#include "lib/numerics/table.h"
#include "lib/report/piece.h"

namespace headway {

struct TableInReport {
  std::vector<std::string> columns;  // columns to show, in order; empty: all
  std::vector<std::string> percent;  // columns of shares, as percentages
  std::string caption;               // Markdown, one paragraph; may be empty
  Piece origin;                      // may be empty
  std::size_t rows = 0;              // the page folds the rows after these; 0: none
  std::string id;                    // of the element
};

// Longer tables are cut, with a note.
inline constexpr std::size_t kMostPageRows = 2000;
inline constexpr std::size_t kMostMarkdownRows = 100;

// Throws Error that lists the columns if one of `options` does not exist.
Piece table_piece(const Table& table, const TableInReport& options);

}  // namespace headway
