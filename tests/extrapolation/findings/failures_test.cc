#include "lib/extrapolation/findings/failures.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/extrapolation/findings/length_tables.h"

namespace headway {
namespace {

const std::string kFailureColumns =
    "length,negatives,sample,label,answer,probability,violation,at\n";

bool failure_told(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Sources failures_with(const std::string& rows) {
  Sources sources;
  sources.add("failures", {{"a", "a.failures", "failures.csv", kFailureColumns + rows},
                           {"b", "b.failures", "failures.csv", kFailureColumns}});
  sources.add("lengths", {lengths_of_model("a", even_model(1, 1, 1))});
  return sources;
}

TEST_CASE("wrong answers are told by how sure the surest are, and as a selection") {
  const std::string text =
      tell_failures(failures_with("8,swaps,1,unsorted,sorted,0.95,0,31 17 32 …\n"
                                  "32,adjacent,2,unsorted,sorted,0.91,14,… 3 5 4 6 …\n"
                                  "32,adjacent,3,unsorted,sorted,0.999,15,… 3 5 4 6 …\n"
                                  "32,adjacent,4,sorted,unsorted,1,,\n"));
  CHECK(failure_told(text,
                     "1 of 2 models is sure of wrong answers: the surest of each has a "
                     "probability of 99.9999 % (or more)."));
  CHECK(failure_told(text, "None is listed of `b`."));
  CHECK(failure_told(text, "length and kind of negatives, at most 3 of each; so how many there"));
  CHECK_FALSE(failure_told(text, "4 confident"));
  CHECK(failure_told(text,
                     "| `a` | `swaps` | 8 | sorted, though unsorted | 95 % | 0 | `31 17 32 …` "
                     "|"));
  CHECK(failure_told(
      text, "| `a` | `adjacent` | 32 | unsorted, though sorted | 99.9999 % (or more) |  |"));
}

TEST_CASE("what one training got wrong within its lengths is listed once") {
  const std::string rows =
      "8,swaps,1,unsorted,sorted,0.95,0,31 17 32 …\n32,swaps,2,unsorted,sorted,0.91,14,3 5 4\n";
  Sources sources;
  sources.add("failures", {{"a", "a.failures", "failures.csv", kFailureColumns + rows},
                           {"b", "b.failures", "failures.csv", kFailureColumns + rows}});
  sources.add("lengths", {lengths_of_model("a", model_with_losses(0.9, 0.8, 1)),
                          lengths_of_model("b", model_with_losses(0.9, 0.5, 1))});
  const std::string text = tell_failures(sources);
  CHECK(failure_told(text, "has a probability from 91 % to 95 %."));
  CHECK(failure_told(text, "Within the trained lengths `b` is `a`, and not listed again."));
  CHECK(failure_told(text, "| `a` | `swaps` | 8 |"));
  CHECK(failure_told(text, "| `b` | `swaps` | 32 |"));
}

TEST_CASE("numbers of failures that cannot be are refused with artifact, row and column") {
  using Catch::Matchers::StartsWith;
  CHECK_THROWS_WITH(tell_failures(failures_with("-1,swaps,1,unsorted,sorted,0.95,0,3 1\n")),
                    StartsWith("a.failures: row 1, column 'length'"));
  CHECK_THROWS_WITH(tell_failures(failures_with("8,swaps,1,unsorted,sorted,,0,3 1\n")),
                    StartsWith("a.failures: row 1, column 'probability'"));
  CHECK_THROWS_WITH(tell_failures(failures_with("8,swaps,1,unsorted,sorted,0.9,-3,3 1\n")),
                    StartsWith("a.failures: row 1, column 'violation'"));
}

TEST_CASE("without a wrong answer there is nothing to show") {
  CHECK(tell_failures(failures_with("")) == "No confident wrong answer of 2 models is listed.\n");
}

}  // namespace
}  // namespace headway
