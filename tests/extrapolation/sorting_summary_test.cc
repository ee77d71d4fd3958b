#include "lib/extrapolation/sorting_summary.h"

#include <catch2/catch_test_macros.hpp>
#include <map>

namespace headway {
namespace {

using Sequence = std::vector<std::int32_t>;

LabelledSequences split_of(const std::vector<std::pair<Sequence, std::int32_t>>& samples) {
  LabelledSequences split;
  split.width = 5;
  for (const auto& [sequence, label] : samples) append_sequence(sequence, label, split);
  return split;
}

// With mistakes that the generator never makes.
SortingData counted_data() {
  SortingData data;
  data.recipe.range = 10;
  data.train = split_of({{{1, 2, 2}, 1}, {{3, 1}, 0}, {{1, 2, 2}, 1}, {{5, 4, 3, 2, 1}, 0}});
  data.val = split_of({{{3, 1}, 0}, {{0, 9}, 0}});
  data.test = split_of({{{3, 1}, 0}, {{1, 2, 2}, 1}, {{0, 9}, 1}, {{2, 1, 3, 2}, 1}});
  data.tests.push_back({Negatives::kSwaps, 5, split_of({{{5, 4, 3, 2, 1}, 0}})});
  return data;
}

// "count share" by "split property value".
std::map<std::string, std::string> cells(const Table& table) {
  std::map<std::string, std::string> cells;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto text = [&](const char* column) { return table.text(row, column); };
    cells[text("split") + " " + text("property") + " " + text("value")] =
        text("count") + " " + text("share");
  }
  return cells;
}

TEST_CASE("statistics of sorting data count what is there", "[sorting]") {
  auto found = cells(sorting_statistics(counted_data()));
  CHECK(found["train label 0"] == "2 0.5");
  CHECK(found["train label 1"] == "2 0.5");
  CHECK(found["train descents 0"] == "2 0.5");
  CHECK(found["train descents 1"] == "1 0.25");
  CHECK(found["train descents 2"] == "0 0");
  CHECK(found["train descents 3+"] == "1 0.25");
  CHECK(found["train length 2"] == "1 0.25");
  CHECK(found["train length 3"] == "2 0.5");
  CHECK(found["train length 5"] == "1 0.25");
  CHECK_FALSE(found.contains("train length 4"));
  CHECK(found["train neighbours equal"] == "2 0.222222");
  CHECK(found["train neighbours one_apart"] == "6 0.666667");
  CHECK(found["train neighbours farther"] == "1 0.111111");
  CHECK(found["train repeated "] == "1 0.25");
  CHECK(found["train wrong_labels "] == "0 0");
  CHECK_FALSE(found.contains("train overlap train"));
  CHECK(found["val overlap train"] == "1 0.5");
  CHECK(found["val wrong_labels "] == "1 0.5");
  CHECK(found["test overlap train"] == "2 0.5");
  CHECK(found["test overlap val"] == "2 0.5");
  CHECK(found["test descents 2"] == "1 0.25");
  CHECK(found["test wrong_labels "] == "1 0.25");
  CHECK(found["test.swaps.5 length 5"] == "1 1");
  CHECK(found["test.swaps.5 overlap train"] == "1 1");
}

TEST_CASE("metrics of sorting data are counted, not taken from its description", "[sorting]") {
  const Json metrics = sorting_metrics(counted_data());
  CHECK(metrics["train"] == 4);
  CHECK(metrics["val"] == 2);
  CHECK(metrics["test"] == 4);
  CHECK(metrics["tests_by_length"] == 1);
  CHECK(metrics["overlap"] == 3);
  CHECK(metrics["overlap_val"] == 1);
  CHECK(metrics["overlap_test"] == 2);
  CHECK(metrics["repeated"] == 1);
  CHECK(metrics["wrong_labels"] == 2);
  CHECK(metrics["range"] == 10);
  CHECK(metrics["shortest"] == 2);
  CHECK(metrics["longest"] == 5);
  CHECK(metrics["balance"] == 0.5);
}

TEST_CASE("generated sorting data has no overlap and no wrong label", "[sorting]") {
  const SortingData data = generate_sorting({.negatives = Negatives::kMixed, .crowded = 0.5}, {});
  const Json metrics = sorting_metrics(data);
  CHECK(metrics["overlap"] == 0);
  CHECK(metrics["wrong_labels"] == 0);
  CHECK(metrics["balance"] == 0.5);
  CHECK(metrics["shortest"] == 8);
  CHECK(metrics["longest"] == 16);
  CHECK(metrics["tests_by_length"] == 8000);
  auto found = cells(sorting_statistics(data));
  CHECK(found["test.adjacent.256 descents 1"] == "250 0.5");
  CHECK(found["test.swaps.256 descents 3+"] == "250 0.5");
}

}  // namespace
}  // namespace headway
