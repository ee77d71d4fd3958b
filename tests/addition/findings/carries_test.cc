#include "lib/addition/findings/carries.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"

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

TEST_CASE("longer chains are worse only where the difference is beyond chance") {
  const std::string rows = "all,,300,0.9,0.88,0.92\nchain,0,100,0.95,0.9,0.98\n";
  CHECK(carries_say(
      tell_carry_accuracy(carry_sources(rows + "chain,3,200,0.7,0.6,0.8\n")),
      "longest chain of 3 in 70 % (95 % interval 60 to 80 %): worse by 25.0 points (95 % "
      "interval 16.4 to 32.3)."));
  CHECK(carries_say(tell_carry_accuracy(carry_sources(rows + "chain,3,200,0.9,0.85,0.94\n")),
                    "they cannot be told apart, the difference is 5.00 points (95 % interval "));
  CHECK(carries_say(tell_carry_accuracy(carry_sources(rows + "chain,3,200,1,0.99,1\n")),
                    "better by 5.00 points (95 % interval "));
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
  CHECK(carries_say(
      text, "as if a carry were lost: 2; too large by such a power, as if a carry were added: 1."));
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

TEST_CASE("groups whose intervals overlap may still differ beyond chance") {
  CHECK(carries_say(tell_carry_accuracy(carry_sources("all,,1000,0.9,0.88,0.92\n"
                                                      "chain,0,500,0.92,0.893,0.941\n"
                                                      "chain,1,500,0.88,0.849,0.906\n")),
                    "worse by 4.00 points (95 % interval 0."));
}

TEST_CASE("a group in the middle needs to stand out among all of them") {
  // Beyond chance against one other, but not as the worst of three chosen among them.
  const std::string text = tell_carry_accuracy(
      carry_sources("all,,1500,0.9,0.88,0.92\nchain,0,500,0.92,0.893,0.941\n"
                    "chain,1,500,0.88,0.849,0.906\nchain,2,500,0.91,0.882,0.932\n"));
  CHECK_FALSE(carries_say(text, "worst are those"));
}

TEST_CASE("shares of all problems there are have no interval, and differ if they differ") {
  const std::string rows =
      "all,,8100,0.998889,0.99789,0.999415\nchain,0,4050,0.999,0.997,0.9995\n"
      "chain,1,4050,0.998765,0.997,0.9994\nposition,0,8100,1,0.9995,1\n"
      "position,1,8100,0.999877,0.9993,1\n";
  const std::string all =
      tell_carry_accuracy(carry_sources(rows + "position,2,8100,0.999012,0.998,0.9996\n"));
  CHECK(carries_say(all,
                    "are right in 99.9 %, those with a longest chain of 1 in 99.88 %: worse "
                    "by 0.02 points."));
  CHECK(carries_say(all,
                    "digit 3 of 3 is wrong most often (right in 99.9 %), digit 1 of 3 least "
                    "(right in 100 %)."));
  CHECK_FALSE(carries_say(all, "interval"));
  // 8,100 problems are not all there are of three digits.
  const std::string some = tell_carry_accuracy(
      carry_sources(rows + "position,2,8100,0.999012,0.998,0.9996\nposition,3,8100,1,0.9995,1\n"));
  CHECK(carries_say(some, "interval"));
}

TEST_CASE("a digit that is always right tells in how many answers another differs") {
  const auto with = [](const std::string& worst) {
    return tell_carry_accuracy(
        carry_sources("all,,2000,0.997,0.99,0.999\n"
                      "position,0,2000,1,0.998,1\n" +
                      worst));
  };
  // Six answers, all one way: p = 0.031; five: 0.063.
  CHECK(carries_say(with("position,1,2000,0.997,0.9935,0.9986\n"), "digit 2 of 2 is wrong most"));
  CHECK(carries_say(with("position,1,2000,0.9975,0.994,0.999\n"), "No digit of the answer"));
}

TEST_CASE("counts and shares that are none are named by row and column") {
  const auto error_of = [](const std::string& row) -> std::string {
    try {
      tell_carry_accuracy(carry_sources(row + "\n"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(error_of("all,,nan,1,1,1") ==
        "evaluate.table: row 1, column 'count': a number is expected, not 'nan'");
  CHECK(error_of("all,,100,,1,1") ==
        "evaluate.table: row 1, column 'greedy': a number is expected, not ''");
}

}  // namespace
}  // namespace headway
