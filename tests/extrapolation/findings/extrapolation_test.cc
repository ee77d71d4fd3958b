#include "lib/extrapolation/findings/extrapolation.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/extrapolation/findings/length_table.h"
#include "tests/extrapolation/findings/length_tables.h"

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
  CHECK(length_told(text,
                    "`a` and `b` are at 99 % or more at every length tested (32 to 256); no "
                    "answer is wrong, which at 32 is 100 % (99.24 to 100 %)."));
  CHECK(length_told(text,
                    "`c` (not above chance within them either) is above chance at no length "
                    "tested (32 to 256)."));
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
  CHECK_FALSE(length_told(text, "%), at chance"));
}

TEST_CASE("chance is asked strictly, because many accuracies are looked at") {
  // 2.5 deviations above chance: one interval of 95 % would exclude 50 %.
  const MeasuredShare accuracy = share_of_count(278, 500);
  CHECK(accuracy.low > 0.5);
  CHECK(standing_of(accuracy) == Standing::kAtChance);
  CHECK(standing_of(share_of_count(222, 500)) == Standing::kAtChance);
  CHECK(standing_of(share_of_count(300, 500)) == Standing::kAbove);
  CHECK(standing_of(share_of_count(200, 500)) == Standing::kBelow);
}

TEST_CASE("two accuracies are told apart by their difference, not by intervals that meet") {
  const MeasuredShare all = share_of_count(500, 500), most = share_of_count(494, 500);
  CHECK(all.low < most.high);
  CHECK(are_apart(all, most, 1));
  CHECK(are_apart(most, all, 1));
  CHECK_FALSE(are_apart(all, most, 20));
  CHECK_FALSE(are_apart(all, all, 1));
}

TEST_CASE("one training that is tested in two ways is counted once where these agree") {
  const std::string text =
      extrapolation_of({lengths_of_model("a", model_with_losses(0.9, 0.8, 1)),
                        lengths_of_model("b", model_with_losses(0.9, 0.5, 2)),
                        lengths_of_model("c", model_with_losses(0.9, 0.5, 1))});
  CHECK(length_told(text, "all 2 models are above chance"));
  CHECK(length_told(text, "`c` is `a` there, and not counted again."));
  CHECK_FALSE(length_told(text, "`b` is `a`"));
  CHECK(length_told(text, "`b` and `c` are above chance at no length tested (32)."));
}

TEST_CASE("a loss that never changes does not make two models one training") {
  const std::string text = extrapolation_of({lengths_of_model("a", even_model(0.5, 0.5, 0.5)),
                                             lengths_of_model("b", even_model(0.5, 0.5, 0.5))});
  CHECK_FALSE(length_told(text, "not counted again"));
  CHECK(length_told(text, "none of 2 models is above chance"));
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
    CHECK(length_told(error.what(),
                      "lengths@a.table: a table of extrapolate is expected, but there is no column "
                      "'count'"));
  }
}

TEST_CASE("numbers that cannot be are refused with artifact, row and column") {
  const std::string good = length_table_of({{32, "swaps", 500, 1}}).to_csv();
  const auto refusal_of = [&](const std::string& row) -> std::string {
    const std::string columns = good.substr(0, good.find('\n') + 1);
    try {
      extrapolation_of({{"a", "lengths@a.table", "lengths.csv", columns + row + "\n"}});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal_of("32,swaps,500,1,1,1,0,0,0,0,0,0,250,0,0,,0.1,8,16") == "");
  for (const std::string length : {"", "nan", "inf", "-1", "1.5", "1e300"}) {
    CAPTURE(length);
    CHECK(length_told(refusal_of(length + ",swaps,500,1,1,1,0,0,0,0,0,0,250,0,0,,0.1,8,16"),
                      "lengths@a.table: row 1, column 'length'"));
    CHECK(length_told(refusal_of("32,swaps,500,1,1,1,0,0,0,0,0,0,250,0,0,,0.1,8," + length),
                      "lengths@a.table: row 1, column 'trained_to'"));
  }
  for (const std::string share : {"", "nan", "inf", "-1", "1.5", "much"}) {
    CAPTURE(share);
    CHECK(length_told(refusal_of("32,swaps,500," + share + ",1,1,0,0,0,0,0,0,250,0,0,,0.1,8,16"),
                      "lengths@a.table: row 1, column 'accuracy'"));
  }
  CHECK(length_told(refusal_of("32,swaps,500,1,1,1,-1,0,0,0,0,0,250,0,0,,0.1,8,16"),
                    "column 'false_positives'"));
  CHECK(
      length_told(refusal_of("32,swaps,500,1,1,1,0,0,0,0,0,0,-2,0,0,,0.1,8,16"), "column 'early'"));
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
