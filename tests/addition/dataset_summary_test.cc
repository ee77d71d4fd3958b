#include "lib/addition/dataset_summary.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/addition/addition.h"

namespace headway {
namespace {

Seq2SeqSplit split_of(std::initializer_list<AdditionProblem> problems) {
  Seq2SeqSplit split;
  for (const AdditionProblem& problem : problems) append_problem(problem, 2, split);
  return split;
}

// Overlaps, repeats and one wrong sum.
Seq2SeqData flawed() {
  Seq2SeqData data = {split_of({{10, 10}, {15, 15}, {55, 55}, {10, 10}}),
                      split_of({{10, 10}, {90, 90}}), split_of({{90, 90}, {99, 11}})};
  data.val.targets[0] = 1;  // 10+10 is not 120
  return data;
}

TEST_CASE("inputs that also occur in another split are found", "[data]") {
  const Seq2SeqData data = flawed();
  CHECK(inputs_also_in(data.train, data.val) == std::vector<bool>{true, false});
  CHECK(inputs_also_in(data.val, data.train) == std::vector<bool>{true, false, false, true});
  CHECK(inputs_also_in(data.train, data.test) == std::vector<bool>{false, false});
}

TEST_CASE("a problem with its numbers swapped is a different problem", "[data]") {
  CHECK(inputs_also_in(split_of({{12, 34}}), split_of({{34, 12}, {12, 34}})) ==
        std::vector<bool>{false, true});
}

TEST_CASE("repeated inputs and wrong sums are counted", "[data]") {
  CHECK(count_repeated(flawed().train) == 1);
  CHECK(count_repeated(flawed().val) == 0);
  CHECK(count_wrong_sums(flawed().train) == 0);
  CHECK(count_wrong_sums(flawed().val) == 1);
}

TEST_CASE("the metrics count what the splits contain", "[data]") {
  CHECK(dataset_metrics(flawed()) == Json::parse(R"({
    "train": 4, "val": 2, "test": 2, "digits": 2, "overlap": 1, "overlap_val": 1,
    "overlap_test": 0, "repeated": 1, "wrong_sums": 1,
    "carries": {"0": 0.375, "1": 0.375, "2": 0.25}})"));
}

TEST_CASE("the metrics of generated data show no overlap", "[data]") {
  const Json metrics = dataset_metrics(generate_addition({}));
  CHECK(metrics["train"] == 10000);
  CHECK(metrics["overlap"] == 0);
  CHECK(metrics["repeated"] == 0);
  CHECK(metrics["wrong_sums"] == 0);
  CHECK(metrics["digits"] == 3);
}

TEST_CASE("the number of digits is reported only if all problems have the same", "[data]") {
  Seq2SeqData data = flawed();
  data.test.inputs[2] = 7;  // 90790: no addition
  const Json metrics = dataset_metrics(data);
  CHECK_FALSE(metrics.contains("digits"));
  CHECK(metrics["carries"]["other"] == 0.125);
}

TEST_CASE("the statistics have a row for every value and split", "[data]") {
  CHECK(addition_statistics(flawed()).to_csv() ==
        "split,property,value,count,share\n"
        "train,carries,0,2,0.5\n"
        "train,carries,1,1,0.25\n"
        "train,carries,2,1,0.25\n"
        "train,leading_digit,0,3,0.75\n"
        "train,leading_digit,1,1,0.25\n"
        "train,longest_chain,0,2,0.5\n"
        "train,longest_chain,1,1,0.25\n"
        "train,longest_chain,2,1,0.25\n"
        "train,repeated,,1,0.25\n"
        "train,wrong_sums,,0,0\n"
        "val,carries,0,1,0.5\n"
        "val,carries,1,1,0.5\n"
        "val,carries,2,0,0\n"
        "val,leading_digit,0,0,0\n"
        "val,leading_digit,1,2,1\n"
        "val,longest_chain,0,1,0.5\n"
        "val,longest_chain,1,1,0.5\n"
        "val,longest_chain,2,0,0\n"
        "val,overlap,train,1,0.5\n"
        "val,repeated,,0,0\n"
        "val,wrong_sums,,1,0.5\n"
        "test,carries,0,0,0\n"
        "test,carries,1,1,0.5\n"
        "test,carries,2,1,0.5\n"
        "test,leading_digit,0,0,0\n"
        "test,leading_digit,1,2,1\n"
        "test,longest_chain,0,0,0\n"
        "test,longest_chain,1,1,0.5\n"
        "test,longest_chain,2,1,0.5\n"
        "test,overlap,train,0,0\n"
        "test,overlap,val,1,0.5\n"
        "test,repeated,,0,0\n"
        "test,wrong_sums,,0,0\n");
}

}  // namespace
}  // namespace headway
