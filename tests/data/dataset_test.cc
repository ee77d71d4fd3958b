#include "lib/data/dataset.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "lib/base/error.h"
#include "lib/data/sample_source.h"

namespace headway {
namespace {

using Catch::Matchers::Message;
using Numbers = std::vector<std::int32_t>;

std::shared_ptr<const Legend> sums_legend() {
  return std::make_shared<const Legend>(
      Legend{Vocabulary({"0", "1", "2", "3", "+"}), {}, {{"carries", {"0", "1"}}}, {"a", "b"}, {}});
}

constexpr Token kAdd = 4, kPadding = 5, kEnding = 7;

// 1+2 = 3 and 1 = 1, with everything that a split can have.
Split two_sums() {
  Split split;
  split.legend = sums_legend();
  split.input_length = 3;
  split.target_length = 2;
  split.inputs = {1, kAdd, 2, 1, kPadding, kPadding};
  split.targets = {3, kEnding, 1, kPadding};
  split.groups = {{1, 0}};
  split.input_roles = {0, kNoRole, 1, 0, kNoRole, kNoRole};
  split.target_roles = {1, kNoRole, 0, kNoRole};
  split.input_positions = {0, 1, 2, 5, 0, 0};
  split.target_positions = {7, 8, 9, 0};
  split.input_asked = {0, 0, 1, 1, 0, 0};
  split.pairs["carry"] = {{0, 1}};
  return split;
}

TEST_CASE("samples are rows, with and without padding", "[data]") {
  const Split split = two_sums();
  CHECK(split.size() == 2);
  CHECK(split.kind() == TargetKind::kSequence);
  CHECK(std::ranges::equal(split.input(1), Numbers{1, kPadding, kPadding}));
  CHECK(split.input_size(0) == 3);
  CHECK(split.input_size(1) == 1);
  CHECK(split.target_size(0) == 2);
  CHECK(split.target_size(1) == 1);
  CHECK_FALSE(split.has_equal_lengths());
}

TEST_CASE("a split without targets has inputs alone", "[data]") {
  Split split;
  split.legend = sums_legend();
  CHECK(split.size() == 0);
  split.input_length = 3;
  split.inputs = {1, kAdd, 2};
  CHECK(split.kind() == TargetKind::kNone);
  CHECK(split.target(0).empty());
  CHECK(split.target_size(0) == 0);
  CHECK(split.has_equal_lengths());
}

TEST_CASE("samples are appended with all that they have but pairs", "[data]") {
  const Split from = two_sums();
  Split split;
  split.append(from, 1);
  split.append(from, 0);
  CHECK(split.size() == 2);
  CHECK(split.inputs == Numbers{1, kPadding, kPadding, 1, kAdd, 2});
  CHECK(split.targets == Numbers{1, kPadding, 3, kEnding});
  CHECK(split.groups == std::vector<Numbers>{{0, 1}});
  CHECK(split.input_roles == Numbers{0, kNoRole, kNoRole, 0, kNoRole, 1});
  CHECK(split.target_roles == Numbers{0, kNoRole, 1, kNoRole});
  CHECK(split.input_positions == Numbers{5, 0, 0, 0, 1, 2});
  CHECK(split.target_positions == Numbers{9, 0, 7, 8});
  CHECK(split.input_asked == Numbers{1, 0, 0, 0, 0, 1});
  CHECK(split.pairs.empty());
}

TEST_CASE("a sample of a split with other row lengths is appended with padding") {
  const auto legend = std::make_shared<const Legend>(*two_sums().legend);
  Split narrow;
  narrow.legend = legend;
  narrow.input_length = 1;
  narrow.target_length = 3;
  narrow.inputs = {1};
  narrow.targets = {2, 1, kEnding};
  narrow.groups = {{0}};
  narrow.input_roles = {0};
  narrow.target_roles = {0, 1, kNoRole};
  narrow.input_positions = {4};
  narrow.target_positions = {6, 7, 8};
  narrow.input_asked = {1};
  Split split;
  split.append(two_sums(), 0);
  split.append(narrow, 0);
  CHECK(split.size() == 2);
  CHECK(split.input_length == 3);
  CHECK(split.target_length == 3);
  CHECK(split.inputs == Numbers{1, kAdd, 2, 1, kPadding, kPadding});
  CHECK(split.targets == Numbers{3, kEnding, kPadding, 2, 1, kEnding});
  CHECK(split.input_roles == Numbers{0, kNoRole, 1, 0, kNoRole, kNoRole});
  CHECK(split.target_roles == Numbers{1, kNoRole, kNoRole, 0, 1, kNoRole});
  CHECK(split.input_positions == Numbers{0, 1, 2, 4, 0, 0});
  CHECK(split.target_positions == Numbers{7, 8, 0, 6, 7, 8});
  CHECK(split.input_asked == Numbers{0, 0, 1, 1, 0, 0});
}

TEST_CASE("splits are equal if their contents and those of their legends are", "[data]") {
  CHECK(two_sums() == two_sums());
  Split other = two_sums();
  other.input_asked[0] = 1;
  CHECK_FALSE(other == two_sums());
  other = two_sums();
  other.legend = std::make_shared<const Legend>(Legend{Vocabulary({"a"}), {}, {}, {}, {}});
  CHECK_FALSE(other == two_sums());
}

TEST_CASE("a sample is shown in the data's own words", "[data]") {
  Split split = two_sums();
  CHECK(sample_text(split, 0) == "1+2 -> 3");
  split.target_length = 0;
  split.targets.clear();
  CHECK(sample_text(split, 0) == "1+2");
  Legend legend = *split.legend;
  legend.classes = {"unsorted", "sorted"};
  split.legend = std::make_shared<const Legend>(legend);
  split.labels = {1, 0};
  CHECK(split.kind() == TargetKind::kLabel);
  CHECK(sample_text(split, 0) == "sorted: 1+2");
}

TEST_CASE("splits are found by name, and their longest rows counted", "[data]") {
  Dataset data{sums_legend(), {}, {}};
  for (const char* name : {"train", "val", "test", "test.long"}) data.splits[name] = two_sums();
  data.splits["test.long"].input_length = 6;
  CHECK(&data.split("val") == &data.splits["val"]);
  CHECK(data.longest_input() == 6);
  CHECK(data.longest_target() == 2);
  CHECK_THROWS_MATCHES(data.split("valid"), Error,
                       Message("no split 'valid'; there are test, test.long, train, val"));
}

TEST_CASE("names of splits cannot be taken for those of other arrays", "[data]") {
  for (const char* name : {"train", "test.swaps.8", "a-b_c"}) {
    CAPTURE(name);
    CHECK(is_split_name(name));
  }
  for (const char* name : {"", ".", "a.", "a b", "a/b", "ä", "a.group", "group.b", "a.pairs.b"}) {
    CAPTURE(name);
    CHECK_FALSE(is_split_name(name));
  }
}

TEST_CASE("the set of inputs does not count padding", "[data]") {
  const Split split = two_sums();
  const SequenceSet inputs = inputs_of(split);  // refers to it
  CHECK(inputs.size() == 2);
  CHECK(inputs.contains(sequence_bytes(Numbers{1})));
  CHECK_FALSE(inputs.contains(sequence_bytes(Numbers{1, kPadding, kPadding})));
}

TEST_CASE("a dataset's source is made by the maker that it names", "[data]") {
  const SourceMakers makers = {{"sums", [](const Dataset&) {
                                  SampleSource source;
                                  source.count = 16;
                                  return source;
                                }}};
  Dataset data{sums_legend(), {}, {}};
  CHECK(source_of(data, makers).count == 0);
  data.generator = {{"name", "sums"}};
  CHECK(source_of(data, makers).count == 16);
  data.generator = {{"name", "others"}};
  CHECK(source_of(data, makers).count == 0);
  data.generator = {{"name", 3}};
  CHECK(source_of(data, makers).count == 0);
}

}  // namespace
}  // namespace headway
