// What is counted and listed, from made-up scores.
#include "lib/extrapolation/analysis/extrapolation.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/numerics/statistics.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

// Scores of a model that gives these probabilities of being sorted.
Scores scores_of(const LengthTest& test, const std::vector<float>& probability) {
  Scores scores;
  scores.width = 1;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    const std::int32_t label = test.split->labels[i], answer = probability[i] > 0.5F ? 1 : 0;
    scores.exact.push_back(answer == label);
    scores.answers.push_back(answer);
    scores.confidence.push_back(std::max(probability[i], 1 - probability[i]));
    scores.sums.loss -= std::log(label == 1 ? probability[i] : 1 - probability[i]);
    ++scores.sums.tokens;
  }
  return scores;
}

Split sorting_split(const std::vector<std::vector<Token>>& sequences) {
  Split split;
  split.legend =
      generate_sorting({.range = 10}, {.train = 1, .val = 1, .test = 1, .test_lengths = {}}).legend;
  split.input_length = std::ssize(sequences.front());
  for (const std::vector<Token>& sequence : sequences) {
    split.inputs.insert(split.inputs.end(), sequence.begin(), sequence.end());
    split.labels.push_back(std::ranges::is_sorted(sequence) ? 1 : 0);
  }
  return split;
}

LengthTest test_of(Negatives negatives, const Split& split) {
  return {negatives, split.input_length, &split};
}

// 3 sorted, 4 unsorted: violations at 3, 0, 2 and 1.
const Split kSplit = sorting_split({{1, 2, 3, 4, 5},
                                    {1, 2, 3, 5, 4},
                                    {2, 1, 3, 4, 5},
                                    {0, 0, 3, 4, 5},
                                    {1, 2, 4, 3, 5},
                                    {1, 3, 2, 4, 5},
                                    {7, 7, 7, 7, 7}});
const LengthTest kTest = test_of(Negatives::kAdjacent, kSplit);

TransformerConfig classifier_config() {
  return tiny_config(ModelKind::kEncoder);
}

Extrapolation extrapolation_of(const std::vector<float>& probability, FailureLimits limits = {}) {
  Extrapolation extrapolation(classifier_config(), limits);
  extrapolation.add(kTest, scores_of(kTest, probability));
  return extrapolation;
}

void check_interval(const Table& table, const std::string& column, const std::string& low,
                    const std::string& high, std::int64_t count, std::int64_t of) {
  CAPTURE(column);
  const Interval interval = share_interval(count, of);
  CHECK(table.text(0, column) == number_text(interval.value));
  CHECK(table.text(0, low) == number_text(interval.low));
  CHECK(table.text(0, high) == number_text(interval.high));
}

TEST_CASE("a length's row has the right answers, and the wrong ones of each kind, with intervals") {
  const Extrapolation extrapolation = extrapolation_of({0.9F, 0.8F, 0.1F, 0.4F, 0.6F, 0.7F, 0.95F});
  const Table& table = extrapolation.table();
  REQUIRE(table.size() == 1);
  CHECK(table.text(0, "length") == "5");
  CHECK(table.text(0, "negatives") == "adjacent");
  CHECK(table.text(0, "count") == "7");
  check_interval(table, "accuracy", "low", "high", 3, 7);
  check_interval(table, "false_positives", "false_positives_low", "false_positives_high", 3, 4);
  check_interval(table, "false_negatives", "false_negatives_low", "false_negatives_high", 1, 3);
  const double loss = -(std::log(0.9) + std::log(0.2) + std::log(0.9) + std::log(0.4) +
                        std::log(0.4) + std::log(0.3) + std::log(0.95)) /
                      7;
  CHECK(std::abs(table.number(0, "loss") - loss) < 1e-5);
  CHECK(table.text(0, "trained_from") == "1");
  CHECK(table.text(0, "trained_to") == "6");
}

TEST_CASE("violations within and beyond the trained positions are counted separately") {
  TransformerConfig config = classifier_config();
  config.trained_to = 3;  // violations at 3 and 2 reach beyond; those at 0 and 1 do not
  Extrapolation extrapolation(config);
  extrapolation.add(kTest, scores_of(kTest, {1, 1, 0, 1, 0, 1, 1}));
  const Table& table = extrapolation.table();
  CHECK(table.text(0, "early") == "2");
  CHECK(table.text(0, "missed_early") == "0.5");
  CHECK(table.text(0, "late") == "2");
  CHECK(table.text(0, "missed_late") == "0.5");
  const Table within = extrapolation_of({1, 1, 0, 1, 0, 1, 1}).table();
  CHECK(within.text(0, "early") == "4");
  CHECK(within.text(0, "late") == "0");
  CHECK(within.text(0, "missed_late") == "");
}

TEST_CASE("positions that a random offset reached were trained, but not the lengths") {
  TransformerConfig config = classifier_config();
  config.trained_to = 4;
  config.offset = 2;
  Extrapolation extrapolation(config);
  extrapolation.add(kTest, scores_of(kTest, {1, 1, 0, 1, 0, 1, 1}));
  CHECK(extrapolation.table().text(0, "trained_to") == "2");
  CHECK(extrapolation.table().text(0, "early") == "3");  // violations at 0, 1 and 2
  CHECK(extrapolation.table().text(0, "late") == "1");
}

TEST_CASE("an accuracy of all or nothing still has an interval") {
  const Table right = extrapolation_of({1, 0, 0, 1, 0, 0, 1}).table();
  CHECK(right.text(0, "accuracy") == "1");
  CHECK(right.text(0, "high") == "1");
  CHECK(right.number(0, "low") < 0.9);
  CHECK(right.text(0, "false_positives") == "0");
  CHECK(right.number(0, "false_positives_high") > 0.1);
  const Table always = extrapolation_of({1, 1, 1, 1, 1, 1, 1}).table();
  CHECK(always.text(0, "false_positives") == "1");
  CHECK(always.text(0, "false_negatives") == "0");
}

std::vector<std::string> listed(const Extrapolation& extrapolation) {
  const Table& failures = extrapolation.failures();
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < failures.size(); ++row) {
    rows.push_back(failures.text(row, "sample") + " " + failures.text(row, "label") + " " +
                   failures.text(row, "probability"));
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST_CASE("failures are the confident wrong answers, the most confident first") {
  const std::vector<float> probability = {0.02F, 0.91F, 0.97F, 0.3F, 0.89F, 0.0625F, 0.95F};
  CHECK(listed(extrapolation_of(probability)) ==
        Rows{"0 sorted 0.98", "2 unsorted 0.97", "1 unsorted 0.91"});
  CHECK(listed(extrapolation_of(probability, {.confidence = 0.5, .of_each = 10})) ==
        Rows{"0 sorted 0.98", "2 unsorted 0.97", "1 unsorted 0.91", "4 unsorted 0.89",
             "3 sorted 0.7"});
  CHECK(listed(extrapolation_of(probability, {.confidence = 0.5, .of_each = 2})) ==
        Rows{"0 sorted 0.98", "2 unsorted 0.97"});
  CHECK(listed(extrapolation_of(probability, {.confidence = 0.5, .of_each = 0})).empty());
  CHECK(listed(extrapolation_of(probability, {.confidence = 1, .of_each = 5})).empty());
}

TEST_CASE("an answer with exactly the confidence limit is listed, and ties keep their order") {
  CHECK(listed(extrapolation_of({1, 0.9F, 0, 0.1F, 0.9F, 0, 1})) ==
        Rows{"1 unsorted 0.9", "3 sorted 0.9", "4 unsorted 0.9"});
}

TEST_CASE("a failure shows the answer and the values around the first violation") {
  const Extrapolation extrapolation = extrapolation_of({0.01F, 1, 1, 0.9F, 1, 1, 0.9F});
  const Table& failures = extrapolation.failures();
  REQUIRE(failures.size() == 5);
  const auto row = [&](std::size_t index) { return failures.rows()[index]; };
  CHECK(row(0) == Rows{"5", "adjacent", "1", "unsorted", "sorted", "1", "3", "… 3 5 4"});
  CHECK(row(1) == Rows{"5", "adjacent", "2", "unsorted", "sorted", "1", "0", "2 1 3 …"});
  CHECK(row(2) == Rows{"5", "adjacent", "4", "unsorted", "sorted", "1", "2", "… 2 4 3 5"});
  CHECK(row(3) == Rows{"5", "adjacent", "5", "unsorted", "sorted", "1", "1", "1 3 2 4 …"});
  CHECK(row(4) == Rows{"5", "adjacent", "0", "sorted", "unsorted", "0.99", "", ""});
}

TEST_CASE("the values around a violation stop at the sequence's ends") {
  Extrapolation extrapolation(classifier_config());
  for (const Split& split : {sorting_split({{9, 4}}), sorting_split({{1, 2, 3, 9, 5, 6, 4}})}) {
    const LengthTest test = test_of(Negatives::kSwaps, split);
    extrapolation.add(test, scores_of(test, {0.99F}));
  }
  REQUIRE(extrapolation.failures().size() == 2);
  CHECK(extrapolation.failures().text(0, "at") == "9 4");
  CHECK(extrapolation.failures().text(1, "at") == "… 3 9 5 6 …");  // the first of two violations
  CHECK(extrapolation.failures().text(1, "violation") == "3");
}

TEST_CASE("tests run one after another, each with its own failures, summarised by metrics") {
  TransformerConfig config = classifier_config();
  config.encoding = Encoding::kAlibi;
  config.pooling = Pooling::kMin;
  Extrapolation extrapolation(config, {.confidence = 0.9, .of_each = 1});
  const Split split = sorting_split({{1, 2}, {2, 1}, {3, 1}, {4, 5}});
  const LengthTest swaps = test_of(Negatives::kSwaps, split);
  extrapolation.add(swaps, scores_of(swaps, {0.9F, 0.95F, 0.96F, 0.9F}));
  extrapolation.add(kTest, scores_of(kTest, {1, 0.1F, 0.1F, 1, 0.1F, 0.1F, 0.01F}));
  CHECK(extrapolation.table().size() == 2);
  CHECK(extrapolation.table().text(0, "negatives") == "swaps");
  CHECK(extrapolation.table().text(0, "length") == "2");
  CHECK(listed(extrapolation) == Rows{"2 unsorted 0.96", "6 sorted 0.99"});
  const Json metrics = extrapolation.metrics();
  CHECK(metrics["accuracy"]["swaps"]["2"] == 0.5);
  CHECK(metrics["accuracy"]["adjacent"]["5"] == 6.0 / 7);
  CHECK(metrics["encoding"] == "alibi");
  CHECK(metrics["pooling"] == "min");
  CHECK(metrics["confident_failures"] == 2);
}

}  // namespace
}  // namespace headway::testing
