#include "lib/extrapolation/findings/trainings.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace headway {
namespace {

bool training_told(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

SourceFile training_log_of(const std::string& name, const std::string& rows) {
  return {name, name + ".log", "log.csv", "epoch,train_loss,val_loss,accuracy\n" + rows};
}

Sources two_trainings() {
  Sources sources;
  sources.add("logs", {training_log_of("good", "1,0.7,0.5,0.8\n2,0.2,0.1,0.97\n3,0.1,0.12,0.97\n"),
                       training_log_of("flat", "1,0.7,0.7,0.51\n2,0.7,0.7,0.5\n")});
  sources.add("timings", {{"good", "good.timing", "timing.csv", "epoch,seconds\n1,2\n2,3\n"}});
  sources.add("data", {{"", "data.metrics", "metrics.json", "{\"val\": 2000}"}});
  return sources;
}

TEST_CASE("a training at chance in validation is told as one with nothing to extrapolate") {
  const std::string text = tell_trainings(two_trainings());
  CHECK(training_told(text, "1 of 2 trainings learned: `good` with 97 % ("));
  CHECK(training_told(text,
                      "Not above chance on 2,000 validation sequences at its best, so with "
                      "nothing to extrapolate: `flat` with 51 % ("));
  CHECK(training_told(text, "| 0.1 | 2 | 3 | 5.0 |"));
  CHECK(training_told(text, "| 0.7 | 1 | 2 |  |"));
}

TEST_CASE("the best of many epochs must be further from chance than a single one") {
  Sources one, many;
  std::string rows;
  for (int epoch = 1; epoch <= 20; ++epoch) rows += std::to_string(epoch) + ",1,1,0.5\n";
  one.add("logs", {training_log_of("", "1,1,1,0.525\n")});
  many.add("logs", {training_log_of("", rows + "21,1,1,0.525\n")});
  for (Sources* sources : {&one, &many})
    sources->add("data", {{"", "data.metrics", "metrics.json", "{\"val\": 2000}"}});
  CHECK(training_told(tell_trainings(one), "The training learned: the model with 52.5 % (50.3"));
  CHECK(training_told(tell_trainings(many), "nothing to extrapolate: the model with 52.5 %"));
}

TEST_CASE("without the number of samples no accuracy is judged") {
  Sources sources;
  sources.add("logs", {training_log_of("a", "1,0.7,0.7,0.5\n")});
  const std::string text = tell_trainings(sources);
  CHECK(training_told(text, "is not known, so neither are intervals"));
  CHECK_FALSE(training_told(text, "chance"));
  CHECK(training_told(text, "| `a` | 50 % | 0.7 | 1 | 1 |  |"));
}

TEST_CASE("a log without a measured epoch is named") {
  Sources sources;
  sources.add("logs", {training_log_of("a", "1,0.7,,\n")});
  CHECK_THROWS_WITH(tell_trainings(sources), "a.log: no epoch was measured");
}

TEST_CASE("the best of many trainings must be further from chance than a single one") {
  Sources sources;
  std::vector<SourceFile> logs;
  for (int i = 0; i < 20; ++i) logs.push_back(training_log_of(std::to_string(i), "1,1,1,0.525\n"));
  sources.add("logs", logs);
  sources.add("data", {{"", "data.metrics", "metrics.json", "{\"val\": 2000}"}});
  CHECK_FALSE(training_told(tell_trainings(sources), "learned:"));
}

TEST_CASE("numbers of trainings that cannot be are refused with their artifact") {
  using Catch::Matchers::StartsWith;
  const auto with_log = [](const std::string& row, const std::string& data) {
    Sources sources;
    sources.add("logs", {training_log_of("a", row)});
    sources.add("data", {{"", "data.metrics", "metrics.json", data}});
    return sources;
  };
  for (const std::string epoch : {"", "nan", "-1"})
    CHECK_THROWS_WITH(tell_trainings(with_log(epoch + ",1,1,0.5\n", "{}")),
                      StartsWith("a.log: row 1, column 'epoch'"));
  CHECK_THROWS_WITH(tell_trainings(with_log("1,1,1,inf\n", "{}")),
                    StartsWith("a.log: row 1, column 'accuracy'"));
  CHECK_THROWS_WITH(tell_trainings(with_log("1,1,1,0.5\n", "{\"val\": \"many\"}")),
                    StartsWith("data.metrics: 'val'"));
  CHECK_THROWS_WITH(tell_trainings(with_log("1,1,1,0.5\n", "{\"val\": -5}")),
                    StartsWith("data.metrics: 'val'"));
}

}  // namespace
}  // namespace headway
