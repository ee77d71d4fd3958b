// Evaluation of models whose every answer is known.
#include "lib/analysis/evaluation.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

// Predicts 1 first, and then the successor of each token it is fed: 1 2 3, whatever the problem.
Checkpoint counting_model(ModelKind kind = kBoth) {
  TransformerConfig config = tiny_config(kind);
  config.d_model = 16;
  Checkpoint checkpoint = random_checkpoint(config);
  checkpoint.parameters.draw(1);
  const ParameterMap parameters = checkpoint.parameters.views(false);
  for (const auto& [name, parameter] : parameters) {
    if (name.find("out.weight") != std::string::npos) parameter.zero_();  // tokens pass unchanged
  }
  const at::Tensor table = parameters.at(kind == kBoth ? "decoder.embedding" : "embedding");
  const at::Tensor read_out = parameters.at("read_out.weight");
  table.zero_();
  for (Token token = 0; token <= kEnd; ++token) table[token][token] = 100;  // above the positions
  for (Token token = 0; token < 9; ++token) read_out[token + 1][token] = 1;
  read_out[1][kBos] = 1;
  read_out[kEnd][9] = 1;
  return checkpoint;
}

Evaluation evaluate(const Checkpoint& checkpoint, const Split& split, std::size_t team_size = 1) {
  ThreadTeam team(team_size);
  Evaluation evaluation;
  evaluation.add(model_for(checkpoint, split), split, team);
  return evaluation;
}
Evaluation evaluate(const Split& split, std::size_t team_size = 1) {
  return evaluate(counting_model(), split, team_size);
}

// The row of a group, as "count right", of what the column counts.
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

Split without_roles(Split split) {
  split.input_roles.clear();
  split.target_roles.clear();
  return split;
}

TEST_CASE("failures are the wrongly answered samples, with the predicted answer") {
  for (const ModelKind kind : {kBoth, kWriter}) {
    CHECK(evaluate(counting_model(kind), additions(2, kProblems)).failures() ==
          std::vector<std::string>{"12+34 -> 046, predicted 123", "67+67 -> 134, predicted 123",
                                   "99+25 -> 124, predicted 123"});
  }
}

TEST_CASE("samples are counted by the groups that the data declares") {
  const Table table = evaluate(additions(2, kProblems)).table();
  CHECK(table.columns() == std::vector<std::string>{"group", "value", "count", "greedy", "low",
                                                    "high", "teacher_forced"});
  CHECK(right_of(table, "all", "") == "5 2");
  CHECK(right_of(table, "carries", "0") == "1 0");
  CHECK(right_of(table, "carries", "1") == "2 2");
  CHECK(right_of(table, "carries", "2") == "2 0");
  CHECK(right_of(table, "carries", "3") == "none");
  CHECK(right_of(table, "longest_chain", "1") == "2 2");
  CHECK(right_of(table, "longest_chain", "2") == "2 0");
  CHECK(right_of(table, "leading_digit", "0") == "1 0");
  CHECK(right_of(table, "leading_digit", "1") == "4 2");
  CHECK(right_of(table, "carry_into_1", "yes") == "2 0");
  CHECK(right_of(table, "carry_into_1", "no", "teacher_forced") == "3 2");
  const Interval all = share_interval(2, 5);
  CHECK(table.text(0, "low") == number_text(all.low));
  CHECK(table.text(0, "high") == number_text(all.high));
}

TEST_CASE("tokens are counted by role, or by position, both decoded and with the right prefix") {
  for (const ModelKind kind : {kBoth, kWriter}) {
    const Table by_role = evaluate(counting_model(kind), additions(2, kProblems)).table();
    const Table by_position =
        evaluate(counting_model(kind), without_roles(additions(2, kProblems))).table();
    for (int position = 0; position < 3; ++position) {
      const std::string role = fmt::format("s{}", 2 - position), number = std::to_string(position);
      CHECK(right_of(by_role, "position", number) == "none");
      CHECK(right_of(by_position, "role", role) == "none");
      // All but 046 begin with 1; all but 046 and 134 go on with 2; 123 ends with 3.
      const std::string greedy =
          std::vector{"5 4", "5 3", "5 2"}[static_cast<std::size_t>(position)];
      // Fed 13, it predicts 4; fed 04, 5; fed 0, 1.
      const std::string forced =
          std::vector{"5 4", "5 3", "5 3"}[static_cast<std::size_t>(position)];
      CHECK(right_of(by_role, "role", role) == greedy);
      CHECK(right_of(by_role, "role", role, "teacher_forced") == forced);
      CHECK(right_of(by_position, "position", number) == greedy);
      CHECK(right_of(by_position, "position", number, "teacher_forced") == forced);
    }
  }
}

TEST_CASE(
    "target positions of one role are counted together, and those without a role not at all") {
  Split split = additions(2, kProblems);
  for (std::size_t i = 0; i < split.target_roles.size(); ++i)
    split.target_roles[i] = i % 3 == 0 ? kNoRole : 0;  // "a1" stands for the last two
  const Table table = evaluate(split).table();
  CHECK(right_of(table, "role", "a1") == "10 5");
  CHECK(right_of(table, "role", "a1", "teacher_forced") == "10 6");
  CHECK(right_of(table, "role", "s2") == "none");
}

TEST_CASE("an evaluation's metrics summarise it") {
  const Json metrics = evaluate(additions(2, kProblems)).metrics();
  const Interval share = share_interval(2, 5);
  CHECK(metrics["problems"] == 5);
  CHECK(metrics["failures"] == 3);
  CHECK(metrics["greedy"] == 0.4);
  CHECK(metrics["greedy_low"] == share.low);
  CHECK(metrics["greedy_high"] == share.high);
  CHECK(metrics["teacher_forced"] == 0.4);
  CHECK(metrics["token_accuracy"] == 10.0 / 15);
  CHECK(metrics["decoded"] == 5);
  CHECK(metrics["decoded_differently"] == 0);
  CHECK(metrics["loss"].get<double>() > 0);
  CHECK(metrics.size() == 10);
}

TEST_CASE("a model that is always right has no failures") {
  const Evaluation evaluation = evaluate(additions(2, {{61, 62}, {90, 33}}));
  CHECK(evaluation.failures().empty());
  CHECK(evaluation.metrics()["failures"] == 0);
  CHECK(evaluation.metrics()["greedy"] == 1);
  CHECK(right_of(evaluation.table(), "role", "s0") == "2 2");
}

TEST_CASE("splits evaluated one after another are counted together") {
  ThreadTeam team(2);
  for (const ModelKind kind : kEveryKind) {
    const Split split = kind == kClassifier ? random_sequences(9, 4, 4) : additions(2, kProblems);
    const Checkpoint checkpoint =
        kind == kClassifier ? half_trained_on_uneven(kind) : counting_model(kind);
    Evaluation parts;
    for (std::int64_t sample = 0; sample < split.size(); ++sample) {
      Split one;
      one.append(split, sample);
      parts.add(model_for(checkpoint, split), one, team);
    }
    const Evaluation whole = evaluate(checkpoint, split);
    CHECK(parts.table() == whole.table());
    CHECK(parts.failures() == whole.failures());
    Json metrics = parts.metrics(), expected = whole.metrics();
    CHECK(std::abs(metrics["loss"].get<double>() - expected["loss"].get<double>()) < 1e-5);
    metrics.erase("loss");
    expected.erase("loss");
    CHECK(metrics == expected);
  }
}

TEST_CASE("many failures come in the samples' order, regardless of the team's size") {
  for (const ModelKind kind : {kBoth, kWriter}) {
    const Split split = uneven_additions(700);
    const Checkpoint checkpoint = counting_model(kind);
    const Evaluation alone = evaluate(checkpoint, split, 1),
                     together = evaluate(checkpoint, split, 3);
    CHECK(alone.failures().size() > 256);
    CHECK(alone.failures() == together.failures());
    CHECK(alone.table() == together.table());
    CHECK(alone.failures().front().starts_with(sample_text(split, 0) + ", predicted "));
  }
}

TEST_CASE("what comes after a target's end is not evaluated") {
  const Split split = split_of(plain_legend(), {{4, 5}, {4}}, {{1}, {1, 3}});
  for (const ModelKind kind : {kBoth, kWriter}) {
    const Evaluation evaluation = evaluate(counting_model(kind), split);
    CHECK(evaluation.failures() == std::vector<std::string>{"4 -> 13, predicted 12"});
    const Table table = evaluation.table();
    CHECK(right_of(table, "all", "") == "2 1");
    CHECK(right_of(table, "position", "0") == "2 2");
    CHECK(right_of(table, "position", "1") == "1 0");
  }
}

TEST_CASE("a failure does not show what the model predicted after its end marker") {
  const Split split = split_of(plain_legend(), {{4}}, {Tokens(12, 1)});  // it says 1 to 9, the end
  CHECK(evaluate(split).failures() ==
        std::vector<std::string>{"4 -> 111111111111, predicted 123456789"});
}

TEST_CASE("an end marker must be predicted too") {
  const Split split = split_of(plain_legend(), {{4}, {4}, {4}},
                               {{1, 2, kEnd}, {1, 2, 3, 4, 5, 6, 7, 8, 9, kEnd}, {1, 2, 3}});
  const Evaluation evaluation = evaluate(split);
  CHECK(evaluation.failures() == std::vector<std::string>{"4 -> 12, predicted 123"});
  CHECK(evaluation.metrics()["greedy"] == 2.0 / 3);
}

// All of 1 2 3 is predicted, of 1 2 4 5 all but the 4, and of 1 5 2 only the 1.
TEST_CASE("of plain sequences the tokens are counted, and no answers") {
  Split split = split_of(
      [] {
        auto legend = std::make_shared<Legend>(*plain_legend());
        legend->groups = {{"size", {"short", "long"}}};
        return legend;
      }(),
      {{1, 2, 3}, {1, 2, 4, 5}, {1, 5, 2}});
  split.groups = {{0, 1, 0}};
  const Evaluation evaluation = evaluate(counting_model(kWriter), split);
  const Table all = evaluation.table();
  CHECK(all.columns() ==
        std::vector<std::string>{"group", "value", "count", "token_accuracy", "low", "high"});
  CHECK(right_of(all, "all", "", "token_accuracy") == "10 7");
  CHECK(right_of(all, "size", "short", "token_accuracy") == "6 4");
  CHECK(right_of(all, "size", "long", "token_accuracy") == "4 3");
  CHECK(right_of(all, "position", "0", "token_accuracy") == "3 3");
  CHECK(right_of(all, "position", "1", "token_accuracy") == "3 2");
  CHECK(right_of(all, "position", "2", "token_accuracy") == "3 1");
  CHECK(right_of(all, "position", "3", "token_accuracy") == "1 1");
  CHECK(evaluation.failures().empty());
  const Json metrics = evaluation.metrics();
  CHECK(metrics["problems"] == 3);
  CHECK(metrics["token_accuracy"] == 0.7);
  CHECK(metrics["token_accuracy_low"].get<double>() < 0.7);
  CHECK_FALSE(metrics.contains("greedy"));
  CHECK_FALSE(metrics.contains("failures"));
}

// 3 is the continuation of 1 2, and 5 that of 1 2 4, but 2 is not that of 1 5.
TEST_CASE("next tokens are evaluated where they are asked for, as continuations of the rest") {
  Split split = split_of(plain_legend(), {{1, 2, 3}, {1, 2, 4, 5}, {1, 5, 2}});
  split.input_asked = {0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0};
  const Evaluation evaluation = evaluate(counting_model(kWriter), split);
  CHECK(evaluation.failures() == std::vector<std::string>{"152, predicted 6"});
  CHECK(right_of(evaluation.table(), "position", "0") == "none");
  CHECK(right_of(evaluation.table(), "position", "2") == "2 1");
  CHECK(right_of(evaluation.table(), "position", "3") == "1 1");
  CHECK(evaluation.metrics()["token_accuracy"] == 2.0 / 3);
  CHECK(evaluation.metrics()["decoded"] == 3);
}

TEST_CASE("answers in several pieces are judged with the right prefix") {
  Split split = split_of(plain_legend(), {{1, 3, 4}, {1, 3, 5}});
  split.input_asked = {1, 0, 1, 1, 0, 1};
  const Evaluation evaluation = evaluate(counting_model(kWriter), split);
  CHECK(evaluation.failures() == std::vector<std::string>{"135, predicted 14"});
  CHECK(evaluation.metrics()["decoded"] == 0);
  CHECK(right_of(evaluation.table(), "position", "0") == "2 2");
  CHECK(right_of(evaluation.table(), "position", "2") == "2 1");
}

TEST_CASE("a model whose output is no number has no accuracy") {
  const Checkpoint checkpoint = counting_model();
  checkpoint.parameters.views(false).at("read_out.bias").fill_(INFINITY);
  CHECK_THROWS_AS(evaluate(checkpoint, additions(1, 5)), Error);
}

TEST_CASE("roles of next tokens are those of the input") {
  Split split = split_of(
      [] {
        auto legend = std::make_shared<Legend>(*plain_legend());
        legend->roles = {"even", "odd"};
        return legend;
      }(),
      {{1, 2, 4, 5}});
  split.input_roles = {1, 0, 0, 1};
  const Table table = evaluate(counting_model(kWriter), split).table();
  CHECK(right_of(table, "role", "even", "token_accuracy") == "2 1");
  CHECK(right_of(table, "role", "odd", "token_accuracy") == "2 2");
}

TEST_CASE("labels are evaluated by class and by group, with words in the failures") {
  auto legend = std::make_shared<Legend>(*plain_legend({"falling", "mixed", "rising"}));
  legend->groups = {{"size", {"short", "long", "endless"}}};
  Split split = random_sequences(200, 2, 6);
  split.legend = legend;
  split.groups.resize(1);
  for (std::int64_t sample = 0; sample < 200; ++sample)
    split.groups[0].push_back(split.input_size(sample) > 3);
  const Checkpoint& checkpoint = half_trained_on_uneven(kClassifier);
  const Evaluation evaluation = evaluate(checkpoint, split, 2);
  ThreadTeam team(1);
  const Scores scores = score(model_for(checkpoint, split), split, team);
  const Table table = evaluation.table();
  CHECK(table.columns() ==
        std::vector<std::string>{"group", "value", "count", "accuracy", "low", "high"});
  const auto expected = [&](const auto& counts) {
    int count = 0, right = 0;
    for (std::size_t sample = 0; sample < 200; ++sample) {
      if (!counts(sample)) continue;
      ++count;
      right += scores.exact[sample];
    }
    return fmt::format("{} {}", count, right);
  };
  CHECK(right_of(table, "all", "", "accuracy") == expected([](std::size_t) { return true; }));
  for (std::int32_t label = 0; label < 3; ++label)
    CHECK(right_of(table, "class", legend->classes[static_cast<std::size_t>(label)], "accuracy") ==
          expected([&](std::size_t sample) { return split.labels[sample] == label; }));
  for (std::int32_t size = 0; size < 2; ++size)
    CHECK(right_of(table, "size", legend->groups[0].values[static_cast<std::size_t>(size)],
                   "accuracy") ==
          expected([&](std::size_t sample) { return split.groups[0][sample] == size; }));
  CHECK(right_of(table, "size", "endless", "accuracy") == "none");
  CHECK(right_of(table, "position", "0", "accuracy") == "none");

  std::vector<std::string> failures;
  for (std::size_t sample = 0; sample < 200; ++sample) {
    if (scores.exact[sample]) continue;
    failures.push_back(
        fmt::format("{}: {}, predicted {} ({:.3f})",
                    legend->classes[static_cast<std::size_t>(split.labels[sample])],
                    split.vocabulary().spell(split.input(static_cast<std::int64_t>(sample))),
                    legend->classes[static_cast<std::size_t>(scores.answers[sample])],
                    scores.confidence[sample]));
  }
  CHECK(failures.size() > 5);
  CHECK(evaluation.failures() == failures);
  const Json metrics = evaluation.metrics();
  CHECK(metrics["problems"] == 200);
  CHECK(metrics["failures"] == failures.size());
  CHECK(metrics["accuracy"] == scores.exact_match());
  CHECK(metrics["accuracy_low"] == share_interval(scores.exact_count(), 200).low);
  CHECK(std::abs(metrics["loss"].get<double>() - scores.loss()) < 1e-12);
  CHECK(metrics.size() == 6);
}

TEST_CASE(
    "an evaluation reports how many samples are scored, and can be stopped while it decodes") {
  const Split split = additions(1, 300);  // three batches to score, and three to decode
  const Checkpoint checkpoint = counting_model();
  ThreadTeam team(1);
  std::vector<std::int64_t> reported;
  const auto evaluate_with = [&](const EachBatch& each) {
    Evaluation().add(model_for(checkpoint, split), split, team, each);
  };
  evaluate_with([&](std::int64_t done) { reported.push_back(done); });
  CHECK(reported == std::vector<std::int64_t>{128, 256, 300, 300, 300, 300});
  std::size_t calls = 0;
  CHECK_THROWS_AS(evaluate_with([&](std::int64_t) {
                    if (++calls == 5) throw std::runtime_error("stop");
                  }),
                  std::runtime_error);
  CHECK(calls == 5);
}

TEST_CASE("wrong samples and some right ones are really decoded, with the same outcome") {
  for (const ModelKind kind : {kBoth, kWriter}) {
    const Split split = additions(1, 900);
    const Evaluation evaluation = evaluate(half_trained_adder(kind), split, 2);
    const auto failures = evaluation.failures().size();
    CHECK(failures > 100);
    CHECK(failures < 644);
    CHECK(evaluation.metrics()["decoded"] == failures + 256);
    CHECK(evaluation.decoded_differently() == 0);
  }
  const Split text = repetitions(300, Asked::kSuffix);
  const Evaluation evaluation = evaluate(half_trained(config_for(kWriter, text), text, 6), text, 2);
  CHECK(evaluation.metrics()["decoded"] == 300);
  CHECK(evaluation.decoded_differently() == 0);
}

}  // namespace
}  // namespace headway::testing
