#include "lib/report/sources.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "lib/report/template_value.h"

namespace headway::testing {
namespace {

Json example_metrics() {
  return Json::parse(R"({"accuracy": {"swaps": {"256": 0.93}}, "prune.1.5": 7, "prune": {"2": 8},
                         "digits": [0.5, {"low": 0.25}], "sure": true, "encoding": "alibi",
                         "none": null})");
}

std::string metric_mistake(const std::string& path) {
  try {
    metric_at(example_metrics(), path, "evaluate.metrics");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_CASE("metrics are found by path, including keys with dots", "[report]") {
  const Json metrics = example_metrics();
  const auto value = [&](const std::string& path) { return metric_at(metrics, path, ""); };
  CHECK(value("accuracy.swaps.256") == 0.93);
  CHECK(value("prune.1.5") == 7);
  CHECK(value("prune.2") == 8);
  CHECK(value("digits.0") == 0.5);
  CHECK(value("digits.1.low") == 0.25);
  CHECK(value("sure") == 1);
  CHECK(find_metric(metrics, "") == &metrics);
}

TEST_CASE("missing metrics are not found", "[report]") {
  const Json metrics = example_metrics();
  for (const char* path : {"accuracy.", ".accuracy", "accuracy..swaps", "accuracy.swaps.25",
                           "digits.2", "digits.-1", "digits.x", "digits.0.low", "sure.x", "."})
    CHECK(find_metric(metrics, path) == nullptr);
}

TEST_CASE("a missing number is reported with the existing ones", "[report]") {
  CHECK(metric_mistake("accuracy.swaps.265") ==
        "evaluate.metrics has no number 'accuracy.swaps.265'; it has accuracy.swaps.256, digits.0, "
        "digits.1.low, encoding, none, prune.2, prune.1.5, sure; did you mean "
        "'accuracy.swaps.256'?");
  CHECK(metric_mistake("accuracy").starts_with("evaluate.metrics has no number 'accuracy'"));
  CHECK(metric_mistake("encoding") == "evaluate.metrics: 'encoding' is no number, but \"alibi\"");
  CHECK(metric_mistake("none") == "evaluate.metrics: 'none' is no number, but null");
}

TEST_CASE("numbers are written in their format", "[report]") {
  CHECK(formatted(0.9995, "percent") == "99.95 %");
  CHECK(formatted(67.62, "points") == "67.6 points");
  CHECK(formatted(1, "points") == "1 point");
  CHECK(formatted(810000, "count") == "810,000");
  CHECK(formatted(65, "seconds") == "1 min 05 s");
  CHECK(formatted(0.25, "") == "0.25");
  CHECK(formatted(810000, "") == "810000");
  for (const double no_count : {-3.0, 0.5, 1e300, 9007199254740993.0})
    CHECK_THROWS_AS(formatted(no_count, "count"), Error);
}

TEST_CASE("values are written as in YAML, on one line", "[report]") {
  CHECK(plain_text("zero") == "zero");
  CHECK(plain_text(0.0007) == "0.0007");
  CHECK(plain_text(true) == "true");
  CHECK(plain_text(Json({1, "a", 0.5})) == "[1, a, 0.5]");
}

TEST_CASE("metrics become a table of their numbers and texts", "[report]") {
  const Table table =
      metrics_table({"", "evaluate.metrics", "m.json", R"({"b": {"c": 0.5, "d": []}, "a": "x"})"});
  CHECK(table.to_csv() == "metric,value\na,x\nb.c,0.5\nb.d,[]\n");
  try {
    metrics_table({"", "evaluate.metrics", "m.json", "{"});
    FAIL("no JSON, and nothing was said");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "evaluate.metrics: not JSON: line 1, column 2: it ends too early");
  }
}

}  // namespace
}  // namespace headway::testing
