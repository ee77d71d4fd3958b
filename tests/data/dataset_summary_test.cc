#include "lib/data/dataset_summary.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/text.h"
#include "tests/data/importing.h"

namespace headway::testing {
namespace {

// Overlap, a repeated input and a contradiction within a split and across splits.
Dataset flawed() {
  return imported(R"({
    "classes": ["even", "odd"],
    "train": [{"input": [1, 0], "label": "even", "groups": {"size": "small"}},
              {"input": [1, 5], "label": "odd", "groups": {"size": "small"}},
              {"input": [5, 5, 1], "label": "odd", "groups": {"size": "large"}},
              {"input": [1, 0], "label": "even", "groups": {"size": "small"}}],
    "val": [{"input": [1, 0], "label": "odd", "groups": {"size": "small"}},
            {"input": [9], "label": "odd", "groups": {"size": "small"}}],
    "test": [{"input": [9], "label": "odd", "groups": {"size": "small"}},
             {"input": [4, 4], "label": "even", "groups": {"size": "small"}}],
    "test.long": [{"input": [4, 4, 4, 4], "label": "even", "groups": {"size": "large"}},
                  {"input": [5, 5, 1], "label": "odd", "groups": {"size": "large"}},
                  {"input": [8, 8, 8, 8], "label": "even", "groups": {"size": "large"}},
                  {"input": [8, 8, 8, 8], "label": "odd", "groups": {"size": "large"}}]
  })");
}

TEST_CASE("the metrics count what the splits hold", "[data]") {
  CHECK(summarize(flawed()).metrics == Json::parse(R"({
    "train": 4, "val": 2, "test": 2, "other_splits": 1, "other_samples": 4,
    "overlap": 1, "overlap_val": 1, "overlap_test": 0, "overlap_val_test": 1, "repeated": 1, "contradictory": 5,
    "shortest_input": 1, "longest_input": 3, "vocabulary": 6, "tokens": 15,
    "classes": {"even": 0.375, "odd": 0.625}, "groups": {"size": {"large": 0.125, "small": 0.875}}})"));
}

TEST_CASE("the statistics have a row for every value and split", "[data]") {
  CHECK(summarize(flawed()).statistics.to_csv() ==
        "split,property,value,count,share\n"
        "train,size,large,1,0.25\n"
        "train,size,small,3,0.75\n"
        "train,class,even,2,0.5\n"
        "train,class,odd,2,0.5\n"
        "train,input_length,2,3,0.75\n"
        "train,input_length,3,1,0.25\n"
        "train,repeated,,1,0.25\n"
        "train,contradictory,,2,0.5\n"
        "val,size,large,0,0\n"
        "val,size,small,2,1\n"
        "val,class,even,0,0\n"
        "val,class,odd,2,1\n"
        "val,input_length,1,1,0.5\n"
        "val,input_length,2,1,0.5\n"
        "val,overlap,train,1,0.5\n"
        "val,repeated,,0,0\n"
        "val,contradictory,,1,0.5\n"
        "test,size,large,0,0\n"
        "test,size,small,2,1\n"
        "test,class,even,1,0.5\n"
        "test,class,odd,1,0.5\n"
        "test,input_length,1,1,0.5\n"
        "test,input_length,2,1,0.5\n"
        "test,overlap,train,0,0\n"
        "test,overlap,val,1,0.5\n"
        "test,repeated,,0,0\n"
        "test,contradictory,,0,0\n"
        "test.long,size,large,4,1\n"
        "test.long,size,small,0,0\n"
        "test.long,class,even,2,0.5\n"
        "test.long,class,odd,2,0.5\n"
        "test.long,input_length,3,1,0.25\n"
        "test.long,input_length,4,3,0.75\n"
        "test.long,overlap,train,1,0.25\n"
        "test.long,overlap,val,0,0\n"
        "test.long,repeated,,1,0.25\n"
        "test.long,contradictory,,2,0.5\n");
}

TEST_CASE("lengths of targets do not count the end marker, nor padding", "[data]") {
  const DatasetSummary summary = summarize(imported(R"({
    "train": [{"input": [1], "target": [1, 2]}], "val": [{"input": [1, 2], "target": [3]}],
    "test": [{"input": [3], "target": []}]})"));
  CHECK(summary.metrics["shortest_target"] == 0);
  CHECK(summary.metrics["longest_target"] == 2);
  CHECK(summary.metrics["longest_input"] == 2);
  CHECK(summary.metrics["tokens"] == 7);
  CHECK(summary.metrics["contradictory"] == 0);
  CHECK_FALSE(summary.metrics.contains("classes"));
  CHECK_FALSE(summary.metrics.contains("groups"));
  CHECK_FALSE(summary.metrics.contains("other_splits"));
}

TEST_CASE("targets that differ contradict each other, those padded to another length do not",
          "[data]") {
  const auto contradictory = [](const char* target) {
    return summarize(imported(fmt::format(R"({{
      "train": [{{"input": [1], "target": {}}}], "val": [{{"input": [1], "target": [1, 2]}}],
      "test": [{{"input": [3], "target": [1, 2, 3]}}]}})",
                                          target)))
        .metrics["contradictory"];
  };
  CHECK(contradictory("[1, 2]") == 0);
  CHECK(contradictory("[1, 2, 2]") == 2);
  CHECK(contradictory("[1]") == 2);
}

TEST_CASE("data without targets has nothing to contradict", "[data]") {
  const DatasetSummary summary = summarize(imported(
      R"({"train": [{"input": [1]}], "val": [{"input": [1]}], "test": [{"input": [3]}]})"));
  CHECK_FALSE(summary.metrics.contains("contradictory"));
  CHECK_FALSE(summary.metrics.contains("shortest_target"));
  CHECK(summary.statistics.to_csv().find("contradictory") == std::string::npos);
}

TEST_CASE("a group with many values has rows but no metrics", "[data]") {
  Json train = Json::array();
  for (int i = 0; i < 101; ++i)
    train.push_back({{"input", {i}}, {"groups", {{"number", i}, {"half", i / 2}}}});
  const Json sample = {{"input", {200}}, {"groups", {{"number", 1}, {"half", 1}}}};
  const Json one = Json::array_t{sample};
  const DatasetSummary summary =
      summarize(imported(Json{{"train", train}, {"val", one}, {"test", one}}.dump()));
  CHECK_FALSE(summary.metrics["groups"].contains("number"));
  CHECK(summary.metrics["groups"]["half"].size() == 51);
  CHECK(summary.statistics.size() > 3 * 101);
}

TEST_CASE("every metric is declared", "[data]") {
  const std::vector<std::string> names = dataset_metric_names();
  const auto check = [&](const std::string& path) {
    CAPTURE(path);
    CHECK(std::ranges::any_of(
        names, [&](const std::string& name) { return matches_pattern(path, name); }));
  };
  const Json metrics = summarize(flawed()).metrics;
  for (const auto& [name, value] : metrics.items()) check(value.is_object() ? name + ".x" : name);
  check("shortest_target");
  check("longest_target");
}

}  // namespace
}  // namespace headway::testing
