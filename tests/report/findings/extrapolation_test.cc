#include "lib/report/findings/extrapolation.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/report/findings/length_table.h"
#include "tests/report/findings/length_tables.h"

namespace headway {
namespace {

bool length_told(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

std::string extrapolation_of(const std::vector<SourceFile>& files) {
  Sources sources;
  sources.add("lengths", files);
  return tell_extrapolation(sources);
}

TEST_CASE("models that fare alike beyond the trained lengths are length_told together") {
  const std::string text = extrapolation_of({lengths_of_model("a", even_model(0.98, 1, 0.5)),
                                             lengths_of_model("b", even_model(0.97, 1, 0.5)),
                                             lengths_of_model("c", even_model(0.5, 0.5, 0.5))});
  CHECK(length_told(text,
                    "2 of 3 models are above chance, from `b` with 97 % (95.1 to 98.2 %) to `a`"));
  CHECK(length_told(text, "At chance: `c` with 50 % (45.6 to 54.4 %)."));
  CHECK(
      length_told(text,
                  "`a` and `b` are at 99 % or more at every length tested (32 to 256); the lowest "
                  "is 100 % (99.24 to 100 %) at 32."));
  CHECK(length_told(text, "`c` is above chance at no length tested (32 to 256)."));
  CHECK(
      length_told(text,
                  "`a` and `b` are at 99 % or more at every length beyond with `swaps`, and above "
                  "chance at none of them with `adjacent`."));
}

TEST_CASE(
    "how far a model stays above chance is length_told with the length where it no longer is") {
  const std::string text = extrapolation_of({lengths_of_model("a", {{16, "swaps", 500, 0.98},
                                                                    {32, "swaps", 500, 1},
                                                                    {64, "swaps", 500, 0.8},
                                                                    {128, "swaps", 500, 0.52}})});
  CHECK(length_told(text,
                    "`a` is at 99 % or more up to 32, above chance up to 64, with 80 % (76.3 to "
                    "83.3 %), and at chance at 128, with 52 % (47.6 to 56.3 %)."));
  CHECK(length_told(text, "Only `swaps` negatives were tested"));
}

TEST_CASE("all of very few sequences may be chance, and is called that") {
  const std::string text = extrapolation_of({lengths_of_model("a", {{32, "swaps", 2, 1}})});
  CHECK(length_told(text, "Within the trained lengths (8 to 16) nothing was measured."));
  CHECK(length_told(text, "`a` is above chance at no length tested (32)."));
}

TEST_CASE("a model below chance is not called at chance") {
  const std::string text = extrapolation_of({lengths_of_model("a", even_model(0.2, 0.2, 0.2))});
  CHECK(length_told(text, "`a` is at 20 % (16.7 to 23.7 %), below chance."));
  CHECK_FALSE(length_told(text, "at chance"));
}

TEST_CASE("a length at which a model is above chance again is not hidden") {
  const std::string text =
      extrapolation_of({lengths_of_model("a", {{32, "swaps", 500, 0.5}, {64, "swaps", 500, 0.6}})});
  CHECK(length_told(text,
                    "`a` is at chance at 32, with 50 % (45.6 to 54.4 %), though above chance at "
                    "64."));
}

TEST_CASE("a model that passes with hard negatives too is named") {
  const std::string text = extrapolation_of({lengths_of_model("a", even_model(1, 1, 1)),
                                             lengths_of_model("b", even_model(1, 1, 0.5)),
                                             lengths_of_model("c", even_model(1, 1, 0.8))});
  CHECK(length_told(text, "all 3 models are above chance"));
  CHECK(length_told(text,
                    "Of the 3 models at 99 % or more at every length beyond with `swaps`, 1 is so "
                    "with `adjacent` too (`a`); 1 is not above chance there at any length (`b`)."));
  CHECK(length_told(text,
                    "`c` is above chance at every length tested (32 to 256); the lowest is 80 %"));
}

TEST_CASE("where no model passes with the first kind the second is still length_told") {
  CHECK(length_told(
      extrapolation_of({lengths_of_model("a", even_model(1, 0.6, 0.5))}),
      "No model is at 99 % or more at every length beyond with `swaps`; nor is one with "
      "`adjacent`."));
  CHECK(length_told(extrapolation_of({lengths_of_model("a", even_model(1, 0.6, 1))}),
                    "with `swaps`; 1 is with `adjacent`."));
}

TEST_CASE("lengths all in the trained range leave nothing to say beyond it") {
  const std::string text =
      extrapolation_of({lengths_of_model("a", {{8, "swaps", 500, 1}, {8, "adjacent", 500, 1}})});
  CHECK(length_told(text, "`a` was not tested there."));
  CHECK(length_told(text, "No model was tested beyond the trained lengths with both"));
}

TEST_CASE("a table of lengths that is none names the artifact") {
  Sources sources;
  sources.add("lengths", {{"a", "lengths@a.table", "lengths.csv", "length,negatives\n8,swaps\n"}});
  try {
    tell_extrapolation(sources);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(length_told(error.what(), "lengths@a.table: no column 'trained_from'"));
  }
}

TEST_CASE("the length table shows what others report, or else every length beyond") {
  Sources usual, unusual;
  usual.add("lengths", {lengths_of_model("a|b", even_model(1, 1, 0.5))});
  unusual.add("lengths", {lengths_of_model("a", {{16, "swaps", 500, 1}, {24, "swaps", 500, 0.5}})});
  const std::string text = tell_length_table(usual);
  CHECK(
      length_told(text, "| model | negatives | trained lengths | 32 | 256 | 99 % or more up to |"));
  CHECK(length_told(text,
                    "| `adjacent` | 50 (45.6–54.4) | 50 (45.6–54.4) | 50 (45.6–54.4) | none | none "
                    "|"));
  CHECK(length_told(text, "| 256 (the longest) | 256 (the longest) |"));
  CHECK_FALSE(length_told(text, "| `a|b` |"));
  CHECK(length_told(tell_length_table(unusual), "| trained lengths | 24 |"));
}

TEST_CASE(
    "a cure is length_told against the best of the others, and as no better where it is not") {
  Sources sources;
  sources.add("cures", {lengths_of_model("cure", even_model(1, 1, 0.5))});
  sources.add("baseline", {lengths_of_model("a", even_model(1, 0.5, 0.52)),
                           lengths_of_model("b", even_model(1, 0.6, 0.5))});
  const std::string text = tell_cures(sources);
  CHECK(
      length_told(text,
                  "- `cure`:\n  - With `swaps` negatives. Within the trained lengths (8 to 16) it "
                  "is at 100 % (99.24 to 100 %), above chance. Beyond them it is at 99 % or more"));
  CHECK(length_told(text,
                    "At 256 it is at 100 % (99.24 to 100 %), above the best of 2 other models, `b` "
                    "with 60 %"));
  CHECK(length_told(text, "not distinguishable from the best of 2 other models, `a` with 52 %"));
}

TEST_CASE("a cure is length_told where there is nothing to compare it with") {
  Sources sources;
  sources.add("cures", {lengths_of_model("cure", even_model(1, 1, 0.5))});
  CHECK_FALSE(length_told(tell_cures(sources), "the best of"));
}

}  // namespace
}  // namespace headway
