#include "lib/extrapolation/sorting_summary.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

namespace headway {
namespace {

// The counts of one split.
struct SplitCounts {
  std::map<std::int32_t, std::int64_t> labels = {{0, 0}, {1, 0}};
  std::map<std::int64_t, std::int64_t> descents = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};  // 3: or more
  std::map<std::int32_t, std::int64_t> lengths;
  std::int64_t equal = 0, one_apart = 0, farther = 0;  // neighbours
  std::int64_t repeated = 0;
  std::int64_t wrong_labels = 0;
};

// Returns the number of descents.
std::int64_t count_neighbours(std::span<const std::int32_t> sequence, SplitCounts& counts) {
  std::int64_t descents = 0;
  for (std::size_t i = 0; i + 1 < sequence.size(); ++i) {
    const std::int32_t step = sequence[i + 1] - sequence[i];
    descents += step < 0;
    ++(step == 0 ? counts.equal : std::abs(step) == 1 ? counts.one_apart : counts.farther);
  }
  return descents;
}

SplitCounts count_split(const LabelledSequences& split) {
  SplitCounts counts;
  for (std::int64_t i = 0; i < split.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const std::int64_t descents = count_neighbours(split.sequence(i), counts);
    ++counts.labels[split.labels[row]];
    ++counts.descents[std::min<std::int64_t>(descents, 3)];
    ++counts.lengths[split.lengths[row]];
    counts.wrong_labels += (descents == 0) != (split.labels[row] == 1);
  }
  counts.repeated = split.size() - static_cast<std::int64_t>(set_of(split).size());
  return counts;
}

std::int64_t count_shared(const SequenceSet& other, const LabelledSequences& split) {
  std::int64_t shared = 0;
  for (std::int64_t i = 0; i < split.size(); ++i)
    shared += other.contains(sequence_bytes(split.sequence(i)));
  return shared;
}

}  // namespace

Table sorting_statistics(const SortingData& data) {
  Table table({"split", "property", "value", "count", "share"});
  const SequenceSet train = set_of(data.train), val = set_of(data.val);
  const auto add_split = [&](const std::string& name, const LabelledSequences& split) {
    const SplitCounts counts = count_split(split);
    const auto add = [&](const char* property, const std::string& value, std::int64_t count,
                         std::int64_t total) {
      const double share = total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total);
      table.add({name, property, value, std::to_string(count), number_text(share)});
    };
    const std::int64_t all = split.size();
    for (const auto& [label, count] : counts.labels)
      add("label", std::to_string(label), count, all);
    for (const auto& [descents, count] : counts.descents)
      add("descents", std::to_string(descents) + (descents == 3 ? "+" : ""), count, all);
    for (const auto& [length, count] : counts.lengths)
      add("length", std::to_string(length), count, all);
    const std::int64_t pairs = counts.equal + counts.one_apart + counts.farther;
    add("neighbours", "equal", counts.equal, pairs);
    add("neighbours", "one_apart", counts.one_apart, pairs);
    add("neighbours", "farther", counts.farther, pairs);
    add("repeated", "", counts.repeated, all);
    add("wrong_labels", "", counts.wrong_labels, all);
    if (&split != &data.train) add("overlap", "train", count_shared(train, split), all);
    if (&split == &data.test) add("overlap", "val", count_shared(val, split), all);
  };
  add_split("train", data.train);
  add_split("val", data.val);
  add_split("test", data.test);
  for (const LengthTest& test : data.tests) add_split(test.name(), test.sequences);
  return table;
}

Json sorting_metrics(const SortingData& data) {
  std::int64_t total = 0, sorted = 0, repeated = 0, wrong_labels = 0;
  std::int32_t shortest = std::numeric_limits<std::int32_t>::max(), longest = 0;
  for (const LabelledSequences* split : {&data.train, &data.val, &data.test}) {
    const SplitCounts counts = count_split(*split);
    total += split->size();
    sorted += counts.descents.at(0);
    repeated += counts.repeated;
    wrong_labels += counts.wrong_labels;
    shortest = std::min(shortest, counts.lengths.begin()->first);
    longest = std::max(longest, counts.lengths.rbegin()->first);
  }
  std::int64_t by_length = 0;
  for (const LengthTest& test : data.tests) by_length += test.sequences.size();
  const SequenceSet train = set_of(data.train);
  const std::int64_t in_val = count_shared(train, data.val);
  const std::int64_t in_test = count_shared(train, data.test);
  return {{"train", data.train.size()},
          {"val", data.val.size()},
          {"test", data.test.size()},
          {"tests_by_length", by_length},
          {"overlap", in_val + in_test},
          {"overlap_val", in_val},
          {"overlap_test", in_test},
          {"repeated", repeated},
          {"wrong_labels", wrong_labels},
          {"range", data.recipe.range},
          {"shortest", shortest},
          {"longest", longest},
          {"balance", static_cast<double>(sorted) / static_cast<double>(total)}};
}

}  // namespace headway
