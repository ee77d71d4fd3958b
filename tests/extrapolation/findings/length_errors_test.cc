#include "lib/extrapolation/findings/length_errors.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/extrapolation/findings/length_tables.h"

namespace headway {
namespace {

bool errors_told(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Sources errors_sources(const std::vector<SourceFile>& files) {
  Sources sources;
  sources.add("lengths", files);
  return sources;
}

TEST_CASE("errors are told by length, and models that err alike together") {
  const std::vector<LengthRow> all_unsorted = {{32, "swaps", 500, 0.5, 0, 1},
                                               {64, "swaps", 500, 0.5, 0, 1}};
  const std::string text = tell_length_errors(
      errors_sources({lengths_of_model("a", all_unsorted), lengths_of_model("b", all_unsorted),
                      lengths_of_model("c", {{32, "swaps", 500, 1, 0, 0},
                                             {64, "swaps", 500, 0.8, 0.35, 0.05},
                                             {128, "swaps", 500, 0.8, 0.2, 0.2},
                                             {256, "swaps", 500, 0.5, 1, 0}})}));
  CHECK(errors_told(text, "`a` and `b`: at 32 to 64 almost every sequence is called unsorted."));
  CHECK(errors_told(
      text,
      "`c`: at 32 hardly an answer is wrong; at 64 errors are mostly unsorted sequences "
      "called sorted; at 128 both errors are made, neither distinguishably more often; at "
      "256 almost every sequence is called sorted."));
}

TEST_CASE("where all violations are at the start, it is said that the rest need not be looked at") {
  std::vector<LengthRow> rows = {{32, "swaps", 500, 1, 0, 0, 250, 0},
                                 {32, "adjacent", 500, 0.5, 1, 0, 100, 150}};
  const std::string text = tell_hard_negatives(errors_sources({lengths_of_model("a", rows)}));
  CHECK(errors_told(text,
                    "all 250 with `swaps` negatives have their first violation within the "
                    "first 16 places: to find it, nothing beyond"));
  CHECK(errors_told(text,
                    "100 of 250 (40 %) with `adjacent` negatives have their first violation "
                    "within the first 16 places."));
  CHECK(errors_told(text, "| `a` | `swaps` | 0 (0–1.51) | none there | 0 (0–1.51) |"));
  CHECK(errors_told(text, "| `a` | `adjacent` | 100 (96.3–100) | 100 (97.5–100) | 0 (0–1.51) |"));
}

TEST_CASE(
    "tables that do not tell where violations are, and tests without hard ones, are no "
    "findings") {
  const std::string text =
      tell_hard_negatives(errors_sources({lengths_of_model("a", {{32, "swaps", 500, 1}})}));
  CHECK(errors_told(text, "Hard negatives (`adjacent`) were not tested."));
  CHECK(errors_told(text, "is not known"));
  CHECK_FALSE(errors_told(text, "|"));
}

}  // namespace
}  // namespace headway
