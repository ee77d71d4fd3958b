// `print`: which outputs a run shows at its end.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/loading.h"

namespace headway::testing {
namespace {

std::string printing(const std::string& print) {
  return "stages:\n  s:\n    uses: shell\n    outs: {a: a.csv, b: b.txt}\n"
         "    with: {run: 'x {out.a} {out.b}'}\n    print: " +
         print + "\n";
}

TEST_CASE("a stage prints one output, several, or some columns of them", "[spec]") {
  CHECK(load(printing("b")).stages[0].printings.at(0).file == "b.txt");
  const StageSpec several = load(printing("[b, a]")).stages[0];
  REQUIRE(several.printings.size() == 2);
  CHECK(several.printings[1].file == "a.csv");
  const StageSpec columns = load(printing("{a: [x, y], b: }")).stages[0];
  REQUIRE(columns.printings.size() == 2);
  CHECK(columns.printings[0].columns == std::vector<std::string>{"x", "y"});
  CHECK(columns.printings[1].columns.empty());
}

TEST_CASE("what cannot be printed is reported with its location", "[spec]") {
  CHECK(mistakes(printing("zzzz")) == "p.yaml:6:12: stage 's': 'print': no output 'zzzz'");
  CHECK(mistakes(printing("[a, 3]")) ==
        "p.yaml:6:16: stage 's': 'print' expects the name of an output, got the integer 3");
  CHECK(mistakes(printing("{a: x}")) ==
        "p.yaml:6:16: stage 's': 'print' expects a list of columns, got the text 'x'");
}

}  // namespace
}  // namespace headway::testing
