#include "lib/report/findings/learning.h"

#include <catch2/catch_test_macros.hpp>

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

std::string evaluation_json(const std::string& greedy, const std::string& forced, int problems,
                            int failures) {
  return R"({"greedy":)" + greedy + R"(,"greedy_low":0.9,"greedy_high":0.99,"teacher_forced":)" +
         forced + R"(,"token_accuracy":0.995,"problems":)" + std::to_string(problems) +
         R"(,"failures":)" + std::to_string(failures) + "}";
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

}  // namespace
}  // namespace headway
