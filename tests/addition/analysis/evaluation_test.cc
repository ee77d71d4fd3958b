// Evaluation of a model whose every answer is known.
#include "lib/addition/analysis/evaluation.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

// Predicts 1 first, and then the successor of each token it is fed: 1 2 3, whatever the problem.
Checkpoint counting_model() {
  Seq2SeqConfig config = tiny_config(1);
  config.d_model = 16;
  Checkpoint checkpoint{config, Parameters(parameter_shapes(config))};
  checkpoint.parameters.draw(1);
  const ParameterMap parameters = checkpoint.parameters.views(false);
  for (const auto& [name, parameter] : parameters) {
    if (name.find("out.weight") != std::string::npos) parameter.zero_();  // tokens pass unchanged
  }
  parameters.at("decoder.embedding").zero_();
  for (Token token = 0; token < kVocabularySize; ++token) {
    parameters.at("decoder.embedding")[token][token] = 100;  // far above the positions
  }
  for (Token token = 0; token < 9; ++token) parameters.at("read_out.weight")[token + 1][token] = 1;
  parameters.at("read_out.weight")[1][kBos] = 1;
  parameters.at("read_out.weight")[kEos][9] = 1;
  return checkpoint;
}

Evaluation evaluate(const Seq2SeqSplit& split, std::size_t team_size = 1) {
  ThreadTeam team(team_size);
  Evaluation evaluation;
  evaluation.add(counting_model().model(), split, team);
  return evaluation;
}

// The row of a group, as "count right", of what is greedy or forced.
std::string right_of(const Table& table, const std::string& group, const std::string& value,
                     const char* column = "greedy") {
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "group") != group || table.text(row, "value") != value) continue;
    const double count = table.number(row, "count");
    return table.text(row, "count") + " " +
           std::to_string(std::lround(count * table.number(row, column)));
  }
  return "none";
}

// 61+62=123 is right. 12+34=046 has no carry; 67+67=134 two in a row; 99+25=124 two; 90+33=123 is
// right, with one carry.
const std::vector<AdditionProblem> kProblems = {{61, 62}, {12, 34}, {67, 67}, {99, 25}, {90, 33}};

TEST_CASE("failures are the wrongly answered problems, with the predicted answer") {
  CHECK(evaluate(additions(2, kProblems)).failures() ==
        std::vector<std::string>{"12+34=046, predicted 123", "67+67=134, predicted 123",
                                 "99+25=124, predicted 123"});
}

TEST_CASE("problems are counted by carries, chains and leading digit") {
  const Table table = evaluate(additions(2, kProblems)).table();
  CHECK(right_of(table, "all", "") == "5 2");
  CHECK(right_of(table, "carries", "0") == "1 0");
  CHECK(right_of(table, "carries", "1") == "2 2");
  CHECK(right_of(table, "carries", "2") == "2 0");
  CHECK(right_of(table, "carries", "3") == "none");
  CHECK(right_of(table, "chain", "1") == "2 2");
  CHECK(right_of(table, "chain", "2") == "2 0");
  CHECK(right_of(table, "leading", "0") == "1 0");
  CHECK(right_of(table, "leading", "1") == "4 2");
  const Interval all = share_interval(2, 5);
  CHECK(table.text(0, "low") == number_text(all.low));
  CHECK(table.text(0, "high") == number_text(all.high));
}

TEST_CASE("digits are counted by position, both decoded and with teacher forcing") {
  const Table table = evaluate(additions(2, kProblems)).table();
  CHECK(right_of(table, "position", "0") == "5 4");
  CHECK(right_of(table, "position", "1") == "5 3");  // all but 046 and 134
  CHECK(right_of(table, "position", "2") == "5 2");
  // Fed 13, it predicts 4; fed 04, 5; fed 0, 1.
  CHECK(right_of(table, "position", "0", "teacher_forced") == "5 4");
  CHECK(right_of(table, "position", "1", "teacher_forced") == "5 3");
  CHECK(right_of(table, "position", "2", "teacher_forced") == "5 3");
}

TEST_CASE("an evaluation's metrics summarise it") {
  const Json metrics = evaluate(additions(2, kProblems)).metrics();
  CHECK(metrics["problems"] == 5);
  CHECK(metrics["failures"] == 3);
  CHECK(metrics["greedy"] == 0.4);
  CHECK(metrics["teacher_forced"] == 0.4);
  CHECK(metrics["token_accuracy"] == 10.0 / 15);
  CHECK(metrics["digit_accuracy"] == Json{0.8, 0.6, 0.4});
  CHECK(metrics["loss"].get<double>() > 0);
}

TEST_CASE("a model that is always right has no failures") {
  const Evaluation evaluation = evaluate(additions(2, {{61, 62}, {90, 33}}));
  CHECK(evaluation.failures().empty());
  CHECK(evaluation.metrics()["failures"] == 0);
  CHECK(evaluation.metrics()["greedy"] == 1);
  CHECK(evaluation.metrics()["digit_accuracy"] == Json{1, 1, 1});
}

TEST_CASE("splits evaluated one after another are counted together") {
  ThreadTeam team(2);
  Evaluation parts;
  const Checkpoint checkpoint = counting_model();
  for (const AdditionProblem& problem : kProblems) {
    parts.add(checkpoint.model(), additions(2, {problem}), team);
  }
  const Evaluation whole = evaluate(additions(2, kProblems));
  CHECK(parts.table() == whole.table());
  CHECK(parts.failures() == whole.failures());
  CHECK(parts.metrics()["digit_accuracy"] == whole.metrics()["digit_accuracy"]);
}

TEST_CASE("many failures come in the problems' order, regardless of the team's size") {
  const Seq2SeqSplit split = additions(2, 400);
  const Evaluation alone = evaluate(split, 1), together = evaluate(split, 3);
  CHECK(alone.failures().size() > 256);
  CHECK(alone.failures() == together.failures());
  CHECK(alone.table() == together.table());
}

TEST_CASE("what comes after a target's end is not evaluated") {
  Seq2SeqSplit split;  // no additions
  split.vocabulary = addition_vocabulary();
  split.input_length = 2;
  split.target_length = 3;
  split.inputs = {4, 5, 4, kPad};
  split.targets = {1, kPad, kPad, 1, 3, kPad};
  const Evaluation evaluation = evaluate(split);
  CHECK(evaluation.failures() == std::vector<std::string>{"4=13, predicted 12"});
  const Table table = evaluation.table();
  CHECK(right_of(table, "all", "") == "2 1");
  CHECK(right_of(table, "carries", "0") == "none");
  CHECK(right_of(table, "position", "0") == "2 2");
  CHECK(right_of(table, "position", "1") == "1 0");
  CHECK(right_of(table, "position", "2") == "0 0");
}

TEST_CASE("a failure does not show what the model predicted after its end token") {
  Seq2SeqSplit split;
  split.vocabulary = addition_vocabulary();
  split.input_length = 1;
  split.target_length = 12;
  split.inputs = {4};
  split.targets = std::vector<Token>(12, 1);  // it predicts 1 to 9, the end, and anything
  CHECK(evaluate(split).failures() ==
        std::vector<std::string>{"4=111111111111, predicted 123456789"});
}

}  // namespace
}  // namespace headway::testing
