// The scripts and the data of small examples are approved: read the files in approved/ like someone
// who redraws a figure by hand. After an intended change, run with HEADWAY_APPROVE=1 and read the
// diff.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "tests/support/figure_examples.h"

namespace headway::testing {
namespace {

void check_approved(const std::string& name, const std::string& text) {
  RealFileSystem files;
  const Path file = Path(HEADWAY_SOURCE_DIR) / "tests/figures/approved" / name;
  if (std::getenv("HEADWAY_APPROVE")) files.write(file, text, Durability::kCached);
  INFO(file);
  CHECK(text == files.read(file).value_or("nothing is approved"));
}

TEST_CASE("scripts and data of every kind match the approved ones", "[report]") {
  for (const FigureKind& kind : all_figure_kinds()) {
    const Figure figure = example_figure(kind.name);
    check_approved(kind.name + ".gp", figure.script);
    check_approved(kind.name + ".dat", figure.data);
  }
}

}  // namespace
}  // namespace headway::testing
