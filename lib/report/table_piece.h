// A table in a report. In the page its columns can be sorted.
#pragma once

#include <string>
#include <vector>

#include "lib/base/table.h"
#include "lib/report/piece.h"

namespace headway {

struct TableInReport {
  std::vector<std::string> columns;  // which, and in what order; empty: all
  std::vector<std::string> percent;  // columns of shares, shown as percentages
  std::string caption;               // Markdown, one paragraph; may be empty
  Piece origin;                      // may be empty
  std::size_t rows = 0;              // the first ones; the rest is folded. 0: all
  std::string id;                    // of the element
};

// An Error that lists the columns there are where one is missing.
Piece table_piece(const Table& table, const TableInReport& options);

}  // namespace headway
