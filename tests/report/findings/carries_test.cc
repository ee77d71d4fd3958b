#include "lib/report/findings/carries.h"

#include <catch2/catch_test_macros.hpp>

namespace headway {
namespace {

bool carries_say(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Sources carry_sources(const std::string& rows, const std::string& failures = "") {
  Sources sources;
  sources.add("accuracy", {{"", "evaluate.table", "accuracy.csv",
                            "group,value,count,greedy,low,high\n" + rows}});
  sources.add("failures", {{"", "evaluate.failures", "failures.txt", failures}});
  return sources;
}

TEST_CASE("where nothing is wrong no kind of addition is called hard") {
  const std::string text = tell_carry_accuracy(
      carry_sources("all,,300,1,0.98,1\ncarries,0,100,1,0.96,1\ncarries,1,200,1,0.97,1\n"
                    "position,0,300,1,0.98,1\n"));
  CHECK(carries_say(text,
                    "no kind is harder than another: 100 without a carry and 200 with 1 "
                    "carry are all right"));
  CHECK(carries_say(text, "Every digit of every answer is right."));
  CHECK(carries_say(text, "no failure to show"));
}

TEST_CASE("longer chains are worse only where intervals do not overlap") {
  const std::string rows = "all,,300,0.9,0.88,0.92\nchain,0,100,0.95,0.9,0.98\n";
  CHECK(carries_say(tell_carry_accuracy(carry_sources(rows + "chain,3,200,0.7,0.6,0.8\n")),
                    "longest chain of 3 in 70 % (95 % interval 60 to 80 %): worse, beyond their "
                    "intervals"));
  CHECK(carries_say(tell_carry_accuracy(carry_sources(rows + "chain,3,200,0.9,0.85,0.94\n")),
                    "their intervals overlap, so that they cannot be told apart"));
  CHECK(carries_say(tell_carry_accuracy(carry_sources(rows + "chain,3,200,1,0.99,1\n")),
                    "better, beyond their intervals"));
}

TEST_CASE("a group in the middle that is worst is named") {
  const std::string text = tell_carry_accuracy(
      carry_sources("all,,300,0.9,0.88,0.92\ncarries,0,100,0.95,0.9,0.98\n"
                    "carries,1,100,0.5,0.4,0.6\ncarries,2,100,0.94,0.89,0.97\n"));
  CHECK(carries_say(text, "worst are those with 1 carry (50 %"));
}

TEST_CASE("an only group is compared with nothing, and an empty one is left out") {
  const std::string text = tell_carry_accuracy(
      carry_sources("all,,100,0.9,0.8,0.95\ncarries,0,0,,,\ncarries,2,100,0.9,0.8,0.95\n"));
  CHECK(carries_say(text, "nothing to compare: all are problems with 2 carries (90 %"));
}

TEST_CASE("where all is wrong it says so") {
  const std::string text = tell_carry_accuracy(
      carry_sources("all,,30,0,0,0.1\ncarries,0,10,0,0,0.2\ncarries,1,20,0,0,0.15\n"));
  CHECK(carries_say(text, "10 without a carry and 20 with 1 carry are all wrong"));
}

TEST_CASE("wrong sums are told by what went wrong in them") {
  const std::string text = tell_carry_accuracy(
      carry_sources("all,,300,0.99,0.97,0.995\n",
                    "374+814=1188, predicted 0188\n199+001=0200, predicted 0210\n"
                    "111+111=0222, predicted 0333\n555+555=1110, predicted 1100\n"));
  CHECK(carries_say(text, "4 answers are wrong: `374+814=1188, predicted 0188`, "));
  CHECK(carries_say(text, "In one digit only: 3; in the leading digit: 1."));
  CHECK(carries_say(text,
                    "as if a carry were lost: 2; too large by one, as if a carry were added: 1."));
}

TEST_CASE("only the first wrong sums are shown, and how many there are") {
  std::string failures;
  for (int i = 0; i < 7; ++i) failures += "111+111=0222, predicted 0333\n";
  CHECK(carries_say(tell_carry_accuracy(carry_sources("all,,70,0.9,0.8,0.95\n", failures)),
                    "7 answers are wrong, of which the first 5: "));
}

TEST_CASE("the digit that is wrong most often is named only beyond intervals") {
  const std::string rows = "all,,100,0.9,0.8,0.95\nposition,0,100,0.99,0.95,1\n";
  CHECK(carries_say(tell_carry_accuracy(carry_sources(rows + "position,1,100,0.8,0.7,0.87\n")),
                    "digit 2 of 2 is wrong most often"));
  CHECK(carries_say(tell_carry_accuracy(carry_sources(rows + "position,1,100,0.97,0.93,0.99\n")),
                    "No digit of the answer can be told from another"));
}

}  // namespace
}  // namespace headway
