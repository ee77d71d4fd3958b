// A table in a report. In the page its columns can be sorted.
#pragma once

#include <string>
#include <vector>

#include "lib/numerics/table.h"
#include "lib/report/piece.h"

namespace headway {

struct TableInReport {
  std::vector<std::string> columns;  // which, and in what order; empty: all
  std::vector<std::string> percent;  // columns of shares, shown as percentages
  std::string caption;               // Markdown, one paragraph; may be empty
  Piece origin;                      // may be empty
  std::size_t rows = 0;              // the page folds what comes after so many; 0: nothing
  std::string id;                    // of the element
};

// What is longer than a person reads is cut, and says so: kMostPageRows in the page,
// kMostMarkdownRows in Markdown.
inline constexpr std::size_t kMostPageRows = 2000;
inline constexpr std::size_t kMostMarkdownRows = 100;

// An Error that lists the columns there are where one is missing.
Piece table_piece(const Table& table, const TableInReport& options);

}  // namespace headway
