// Tables written by stages or people.
#include "lib/numerics/table.h"

#include <algorithm>

#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(csv) {
  fuzz::accepts({"t.csv:"}, [&] {
    const Table table = parse_csv(input, "t.csv");
    fuzz::require(parse_csv(table.to_csv(), "again") == table,
                  "a table is the same when it is read again", table.to_csv());
    for (const std::string& column : table.columns()) {
      for (std::size_t row = 0; row < std::min<std::size_t>(table.size(), 3); ++row)
        fuzz::accepts({"row "}, [&] { number_text(table.number(row, column)); });
    }
  });
}
