#include "lib/addition/findings/learning.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"

namespace headway {
namespace {

bool learning_says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Sources learning_sources(const std::string& rows) {
  Sources sources;
  sources.add("log", {{"", "train.log", "log.csv", "epoch,val_loss,greedy\n" + rows}});
  return sources;
}

// Of numbers of two digits.
std::string evaluation_json(const std::string& greedy, const std::string& forced, int problems,
                            int failures) {
  return R"({"digit_accuracy":[1.0,1.0,1.0],"greedy":)" + greedy +
         R"(,"greedy_low":0.9,"greedy_high":0.99,"teacher_forced":)" + forced +
         R"(,"token_accuracy":0.995,"problems":)" + std::to_string(problems) + R"(,"failures":)" +
         std::to_string(failures) + "}";
}

void add_evaluation(Sources& sources, const std::string& name, const std::string& json) {
  sources.add(name, {{"", name + ".metrics", "metrics.json", json}});
}

TEST_CASE("learning tells when each share was reached, and groups what one epoch reached") {
  const std::string text = tell_learning(learning_sources("1,2,0.1\n2,1,0.95\n3,0.1,0.992\n"));
  CHECK(learning_says(text, "reached 50 % and 90 % in epoch 2 and 99 % in epoch 3"));
  CHECK(learning_says(text, "the steepest rise is in epoch 2, from 10 % to 95 %"));
}

TEST_CASE("learning tells what was never reached") {
  CHECK(learning_says(tell_learning(learning_sources("1,2,0.1\n2,1,0.6\n")),
                      "reached 50 % in epoch 2, but never 90 % or 99 %"));
}

TEST_CASE("a model that learned nothing rises nowhere and settles nowhere") {
  const std::string text = tell_learning(learning_sources("1,2.3,0\n2,2.2,0\n"));
  CHECK(learning_says(text, "exact match on the validation problems never reached 50 %."));
  CHECK(learning_says(text, "epoch 2, the last: 0 % exact on validation"));
  CHECK_FALSE(learning_says(text, "steepest"));
  CHECK_FALSE(learning_says(text, "stays"));
}

TEST_CASE("a training that ends below its best did not settle") {
  CHECK(learning_says(tell_learning(learning_sources("1,2,0.5\n2,1,0.9\n3,1,0.6\n")),
                      "It did not settle: the last epoch is 30 points below the best."));
  CHECK(learning_says(tell_learning(learning_sources("1,2,0.5\n2,1,0.9\n")),
                      "only the last epoch is within a point of the best"));
  CHECK(learning_says(tell_learning(learning_sources("1,2,0.5\n2,1,0.9\n3,1,0.9\n")),
                      "From epoch 2 on it stays within a point of its best."));
}

TEST_CASE("among epochs of one share the one with the lowest loss is the one that is kept") {
  CHECK(learning_says(tell_learning(learning_sources("1,2,0.9\n2,1,0.9\n3,3,0.9\n")),
                      "that of epoch 2: 90 % exact on validation, loss 1. That share was first "
                      "reached in epoch 1"));
}

TEST_CASE("greedy and teacher-forced are called equal only where they are") {
  Sources equal = learning_sources("1,2,0.9\n");
  add_evaluation(equal, "test", evaluation_json("0.95", "0.95", 100, 5));
  CHECK(learning_says(tell_exact_match(equal), "is the same as greedy: 95 % on test problems"));
  CHECK(learning_says(tell_exact_match(equal),
                      "95 % (95 % interval 90 to 99 %): 95 of 100 problems."));
  Sources apart = learning_sources("1,2,0.9\n");
  add_evaluation(apart, "test", evaluation_json("0.349", "0.9985", 1000, 651));
  CHECK_FALSE(learning_says(tell_exact_match(apart), "is the same as greedy"));
  CHECK(learning_says(tell_exact_match(apart), "99.85 %, 65 points more than greedy"));
}

TEST_CASE("the interval of the test problems is held against the share of all problems") {
  Sources inside = learning_sources("1,2,0.9\n");
  add_evaluation(inside, "test", evaluation_json("0.95", "0.95", 100, 5));
  add_evaluation(inside, "all", evaluation_json("0.96", "0.96", 8100, 324));
  CHECK(learning_says(tell_exact_match(inside), "test problems contains the share of all"));
  Sources outside = learning_sources("1,2,0.9\n");
  add_evaluation(outside, "test", evaluation_json("0.95", "0.95", 100, 5));
  add_evaluation(outside, "all", evaluation_json("0.5", "0.5", 8100, 4050));
  CHECK(learning_says(tell_exact_match(outside), "does not contain the share of all"));
}

TEST_CASE("the headline of learning says whether all problems are right") {
  Sources all = learning_sources("1,2,0.9\n");
  add_evaluation(all, "all", evaluation_json("1.0", "1.0", 8100, 0));
  CHECK(learning_says(learning_headline(all), "right in 100 % (every one of 8,100 problems)"));
  Sources some = learning_sources("1,2,0.9\n");
  add_evaluation(some, "all", evaluation_json("0.9", "0.95", 8100, 810));
  CHECK(learning_says(learning_headline(some),
                      "right in 90 % (7,290 of 8,100 problems); teacher-forced 95 %"));
}

TEST_CASE("only all problems there are are called so, and others have an interval") {
  Sources some = learning_sources("1,2,0.9\n");
  add_evaluation(some, "test", evaluation_json("0.95", "0.95", 100, 5));
  add_evaluation(some, "all", evaluation_json("0.95", "0.95", 8000, 400));
  const std::string text = tell_exact_match(some);
  CHECK(learning_says(text,
                      "On 8,000 other problems, greedy answers are right in 95 % (95 % interval 90 "
                      "to 99 %): 7,600 of 8,000 problems.\n"));
  CHECK(learning_says(text, "95 % on test problems and 95 % on the others"));
  CHECK_FALSE(learning_says(text, "every problem"));
  CHECK_FALSE(learning_says(text, "share of all"));
  CHECK(learning_says(learning_headline(some), "Of 8,000 problems, the model's"));
}

TEST_CASE("of all problems it is told how many were trained on") {
  Sources all = learning_sources("1,2,0.9\n");
  add_evaluation(all, "all", evaluation_json("1.0", "1.0", 8100, 0));
  CHECK_FALSE(learning_says(tell_exact_match(all), "trained on"));
  add_evaluation(all, "data", R"({"digits":2,"train":6000,"repeated":0})");
  CHECK(learning_says(tell_exact_match(all),
                      "6,000 of them (74.1 %) were trained on, where memory alone would do; the "
                      "other 2,100 are right as well."));
  CHECK(learning_says(learning_headline(all),
                      "Of all 8,100 problems there are, 6,000 of which were trained on, the"));
  Sources wrong = learning_sources("1,2,0.9\n");
  add_evaluation(wrong, "all", evaluation_json("0.9", "0.9", 8100, 810));
  add_evaluation(wrong, "data", R"({"digits":2,"train":6000,"repeated":0})");
  CHECK(learning_says(tell_exact_match(wrong), "were trained on, where memory alone would do.\n"));
}

std::string learning_error(const Sources& sources, std::string (*tell)(const Sources&)) {
  try {
    tell(sources);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("epochs that were not measured are left out, and a log of no others is refused") {
  const std::string text = tell_learning(learning_sources("1,2,0.6\n2,nan,nan\n3,1,0.9\n4,,\n"));
  CHECK(learning_says(text, "In 2 epochs of training"));
  CHECK(learning_says(text, "that of epoch 3, the last: 90 %"));
  CHECK(learning_error(learning_sources("1,2,\n2,1,nan\n"), tell_learning) ==
        "train.log: no epoch of the log was measured");
  CHECK(learning_error(learning_sources(""), tell_learning) ==
        "train.log: no epoch of the log was measured");
}

TEST_CASE("numbers of a training that are none are named") {
  Sources text = learning_sources("1,2,0.6\n");
  add_evaluation(text, "training", R"({"best_epoch":"1"})");
  CHECK(learning_error(text, tell_learning) ==
        "training.metrics: 'best_epoch': a number is expected, not \"1\"");
  Sources beyond = learning_sources("1,2,0.6\n");
  add_evaluation(beyond, "training", R"({"best_epoch":7})");
  CHECK(learning_error(beyond, tell_learning) ==
        "training.metrics: 'best_epoch' is 7, which train.log does not have");
  Sources rate = learning_sources("1,2,0.6\n");
  rate.add("timing", {{"", "train.timing", "timing.csv", "seconds,samples_per_second\n1,nan\n"}});
  CHECK(learning_error(rate, tell_learning) ==
        "train.timing: row 1, column 'samples_per_second': a number is expected, not 'nan'");
}

TEST_CASE("more failures than problems are refused") {
  Sources sources;
  add_evaluation(sources, "test", evaluation_json("0.5", "0.5", 5, 6));
  CHECK(learning_error(sources, tell_exact_match) ==
        "test.metrics: 6 failures of 5 problems cannot be");
  Sources negative;
  add_evaluation(negative, "test", evaluation_json("0.5", "0.5", -5, 0));
  CHECK(learning_error(negative, tell_exact_match) ==
        "test.metrics: 'problems': a whole number from 0 is expected, not -5");
}

}  // namespace
}  // namespace headway
