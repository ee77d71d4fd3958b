#include "lib/report/findings/failures.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/report/findings/length_tables.h"

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

TEST_CASE("wrong answers are told by how sure, which way and where the violation was") {
  const std::string text =
      tell_failures(failures_with("8,swaps,1,unsorted,sorted,0.95,0,31 17 32 …\n"
                                  "32,adjacent,2,unsorted,sorted,0.91,14,… 3 5 4 6 …\n"
                                  "32,adjacent,3,unsorted,sorted,0.999,15,… 3 5 4 6 …\n"
                                  "32,adjacent,4,sorted,unsorted,1,,\n"));
  CHECK(failure_told(text,
                     "4 confident wrong answers of 2 models are listed, with probabilities of "
                     "the wrong answer from 91 % to over 99.999 %."));
  CHECK(failure_told(text, "1 of them are sorted") == false);
  CHECK(failure_told(text,
                     "1 of them is a sorted sequence called unsorted, 3 are unsorted ones "
                     "called sorted."));
  CHECK(failure_told(text,
                     "Of the 2 missed violations listed in sequences longer than the trained "
                     "ones, 1 is within the trained positions and 1 beyond."));
  CHECK(failure_told(text, "None is listed of `b`."));
  CHECK(failure_told(text,
                     "| `a` | `swaps` | 8 | sorted, though unsorted | 95 % | 0 | `31 17 32 …` "
                     "|"));
  CHECK(
      failure_told(text, "| `a` | `adjacent` | 32 | unsorted, though sorted | over 99.999 % |  |"));
}

TEST_CASE("without a wrong answer there is nothing to show") {
  CHECK(tell_failures(failures_with("")) == "No confident wrong answer of 2 models is listed.\n");
}

}  // namespace
}  // namespace headway
