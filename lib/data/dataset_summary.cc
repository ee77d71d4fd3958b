#include "lib/data/dataset_summary.h"

#include <algorithm>
#include <limits>

#include "lib/data/equal_rows.h"

namespace headway {
namespace {

constexpr std::size_t kMostShares = 100;  // metrics for more values are of no use

std::span<const Token> without_end(const Split& split, std::span<const Token> row) {
  const auto end =
      std::ranges::find_if_not(row, [&](Token token) { return split.vocabulary().is_word(token); });
  return row.first(static_cast<std::size_t>(end - row.begin()));
}

bool have_same_answer(const Split& one, std::int64_t sample, const Split& other,
                      std::int64_t other_sample) {
  if (one.kind() == TargetKind::kLabel)
    return one.labels[static_cast<std::size_t>(sample)] ==
           other.labels[static_cast<std::size_t>(other_sample)];
  return std::ranges::equal(without_end(one, one.target(sample)),
                            without_end(other, other.target(other_sample)));
}

struct SplitCounts {
  std::string name;
  const Split* split = nullptr;
  std::int64_t first = 0;  // the number of its first sample among those of all splits
  std::vector<std::vector<std::int64_t>> groups;  // samples by group and value
  std::vector<std::int64_t> classes;
  std::map<std::size_t, std::int64_t> input_lengths, target_lengths;
  std::map<std::string, std::int64_t> overlap;  // with train and val
  std::int64_t repeated = 0;
  std::int64_t contradictory = 0;
  std::int64_t tokens = 0;
};

std::vector<std::int64_t> count_numbers(const std::vector<std::int32_t>& numbers,
                                        std::size_t different) {
  std::vector<std::int64_t> counts(different);
  for (const std::int32_t number : numbers) ++counts[static_cast<std::size_t>(number)];
  return counts;
}

void count_alone(SplitCounts& counts) {
  const Split& split = *counts.split;
  const Legend& legend = *split.legend;
  counts.classes = count_numbers(split.labels, legend.classes.size());
  for (std::size_t group = 0; group < split.groups.size(); ++group)
    counts.groups.push_back(count_numbers(split.groups[group], legend.groups[group].values.size()));
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const std::size_t input = without_end(split, split.input(sample)).size();
    const std::size_t target = without_end(split, split.target(sample)).size();
    ++counts.input_lengths[input];
    if (split.target_length > 0) ++counts.target_lengths[target];
    counts.tokens += static_cast<std::int64_t>(input + target);
  }
}

// Counts the splits, and compares their inputs.
class Counter {
 public:
  explicit Counter(const Dataset& dataset) {
    for (const std::string_view name : kSplitNames) add(std::string(name), dataset.split(name));
    for (const auto& [name, split] : dataset.splits) {
      if (std::ranges::find(kSplitNames, name) == std::end(kSplitNames)) add(name, split);
    }
    for (SplitCounts& counts : counts_) count_alone(counts);
    inputs_ = number_rows(size_, [&](std::int64_t row) {
      const SplitCounts& counts =
          *(std::ranges::upper_bound(counts_, row, {}, &SplitCounts::first) - 1);
      return without_end(*counts.split, counts.split->input(row - counts.first));
    });
    count_shared_inputs();
    if (dataset.kind() != TargetKind::kNone) count_contradictory();
  }

  std::vector<SplitCounts> take() { return std::move(counts_); }

 private:
  void add(const std::string& name, const Split& split) {
    SplitCounts& counts = counts_.emplace_back();
    counts.name = name;
    counts.split = &split;
    counts.first = size_;
    size_ += split.size();
  }

  std::size_t input_of(const SplitCounts& counts, std::int64_t sample) const {
    return static_cast<std::size_t>(
        inputs_.number[static_cast<std::size_t>(counts.first + sample)]);
  }

  void count_shared_inputs() {
    const auto inputs = static_cast<std::size_t>(inputs_.count);
    std::vector<bool> in_train(inputs), in_val(inputs);
    for (SplitCounts& counts : counts_) {
      std::vector<bool> own(inputs);
      std::int64_t also_in_train = 0, also_in_val = 0;
      for (std::int64_t sample = 0; sample < counts.split->size(); ++sample) {
        const std::size_t input = input_of(counts, sample);
        counts.repeated += own[input];
        also_in_train += in_train[input];
        also_in_val += in_val[input];
        own[input] = true;
      }
      // In the order of the splits: train, val, and then those that are compared with both.
      if (counts.name == "train") {
        in_train = std::move(own);
        continue;
      }
      counts.overlap["train"] = also_in_train;
      if (counts.name == "val")
        in_val = std::move(own);
      else
        counts.overlap["val"] = also_in_val;
    }
  }

  void count_contradictory() {
    struct First {
      const SplitCounts* counts = nullptr;
      std::int64_t sample = 0;
      bool is_contradicted = false;
    };
    std::vector<First> firsts(static_cast<std::size_t>(inputs_.count));
    const auto each = [&](const auto& visit) {
      for (SplitCounts& counts : counts_) {
        for (std::int64_t sample = 0; sample < counts.split->size(); ++sample)
          visit(counts, sample, firsts[input_of(counts, sample)]);
      }
    };
    each([](const SplitCounts& counts, std::int64_t sample, First& first) {
      if (!first.counts)
        first = {&counts, sample};
      else if (!have_same_answer(*first.counts->split, first.sample, *counts.split, sample))
        first.is_contradicted = true;
    });
    each([](SplitCounts& counts, std::int64_t, const First& first) {
      counts.contradictory += first.is_contradicted;
    });
  }

  std::vector<SplitCounts> counts_;  // train, val, test, then the others by name
  std::int64_t size_ = 0;            // samples of all splits
  EqualRows inputs_;
};

double share(std::int64_t count, std::int64_t total) {
  return static_cast<double>(count) / static_cast<double>(total);
}

void add_rows(const SplitCounts& counts, const Dataset& dataset, Table& table) {
  const Legend& legend = *dataset.legend;
  const auto add = [&](const std::string& property, const std::string& value, std::int64_t count) {
    table.add({counts.name, property, value, std::to_string(count),
               number_text(share(count, counts.split->size()))});
  };
  for (std::size_t group = 0; group < legend.groups.size(); ++group) {
    for (std::size_t value = 0; value < counts.groups[group].size(); ++value)
      add(legend.groups[group].name, legend.groups[group].values[value],
          counts.groups[group][value]);
  }
  for (std::size_t one = 0; one < legend.classes.size(); ++one)
    add("class", legend.classes[one], counts.classes[one]);
  for (const auto& [length, count] : counts.input_lengths)
    add("input_length", std::to_string(length), count);
  for (const auto& [length, count] : counts.target_lengths)
    add("target_length", std::to_string(length), count);
  for (const auto& [what, pairs] : counts.split->pairs)
    table.add({counts.name, "pairs", what, std::to_string(pairs.size()), ""});
  for (const auto& [other, count] : counts.overlap) add("overlap", other, count);
  add("repeated", "", counts.repeated);
  if (dataset.kind() != TargetKind::kNone) add("contradictory", "", counts.contradictory);
}

// The sum of the first three splits.
template <class Count>
std::int64_t total_of(std::span<const SplitCounts> three, const Count& count) {
  std::int64_t total = 0;
  for (const SplitCounts& counts : three) total += count(counts);
  return total;
}

// The shortest and the longest.
std::pair<std::size_t, std::size_t> extremes(
    std::span<const SplitCounts> three, std::map<std::size_t, std::int64_t> SplitCounts::*lengths) {
  std::pair<std::size_t, std::size_t> found = {std::numeric_limits<std::size_t>::max(), 0};
  for (const SplitCounts& counts : three) {
    found.first = std::min(found.first, (counts.*lengths).begin()->first);
    found.second = std::max(found.second, (counts.*lengths).rbegin()->first);
  }
  return found;
}

void add_shares(std::span<const SplitCounts> three, const Legend& legend, Json& metrics) {
  const auto samples =
      total_of(three, [](const SplitCounts& counts) { return counts.split->size(); });
  const auto shares = [&](const std::vector<std::string>& names, const auto& count) {
    Json all = Json::object();
    if (names.size() > kMostShares) return all;
    for (std::size_t i = 0; i < names.size(); ++i)
      all[names[i]] = share(
          total_of(three, [&](const SplitCounts& counts) { return count(counts)[i]; }), samples);
    return all;
  };
  if (Json all = shares(
          legend.classes, [](const SplitCounts& counts) -> auto& { return counts.classes; });
      !all.empty())
    metrics["classes"] = std::move(all);
  for (std::size_t group = 0; group < legend.groups.size(); ++group) {
    if (Json all = shares(
            legend.groups[group].values,
            [&](const SplitCounts& counts) -> auto& { return counts.groups[group]; });
        !all.empty())
      metrics["groups"][legend.groups[group].name] = std::move(all);
  }
}

Json metrics_of(std::span<const SplitCounts> all, const Dataset& dataset) {
  const auto three = all.first(std::size(kSplitNames));
  Json metrics;
  for (const SplitCounts& counts : three) metrics[counts.name] = counts.split->size();
  if (all.size() > three.size()) {
    metrics["other_splits"] = all.size() - three.size();
    std::int64_t samples = 0;
    for (const SplitCounts& counts : all.subspan(three.size())) samples += counts.split->size();
    metrics["other_samples"] = samples;
  }
  const std::int64_t in_val = three[1].overlap.at("train");
  const std::int64_t in_test = three[2].overlap.at("train");
  metrics["overlap"] = in_val + in_test;
  metrics["overlap_val"] = in_val;
  metrics["overlap_test"] = in_test;
  metrics["overlap_val_test"] = three[2].overlap.at("val");
  metrics["repeated"] = total_of(three, [](const SplitCounts& counts) { return counts.repeated; });
  if (dataset.kind() != TargetKind::kNone)
    metrics["contradictory"] =
        total_of(all, [](const SplitCounts& counts) { return counts.contradictory; });
  std::tie(metrics["shortest_input"], metrics["longest_input"]) =
      extremes(three, &SplitCounts::input_lengths);
  if (dataset.kind() == TargetKind::kSequence)
    std::tie(metrics["shortest_target"], metrics["longest_target"]) =
        extremes(three, &SplitCounts::target_lengths);
  metrics["vocabulary"] = dataset.legend->vocabulary.words().size();
  metrics["tokens"] = total_of(three, [](const SplitCounts& counts) { return counts.tokens; });
  add_shares(three, *dataset.legend, metrics);
  return metrics;
}

}  // namespace

DatasetSummary summarize(const Dataset& dataset) {
  const std::vector<SplitCounts> all = Counter(dataset).take();
  DatasetSummary summary{Table({"split", "property", "value", "count", "share"}), {}};
  for (const SplitCounts& counts : all) add_rows(counts, dataset, summary.statistics);
  summary.metrics = metrics_of(all, dataset);
  return summary;
}

std::vector<std::string> dataset_metric_names() {
  return {"train",
          "val",
          "test",
          "other_splits",
          "other_samples",
          "overlap",
          "overlap_val",
          "overlap_test",
          "overlap_val_test",
          "repeated",
          "contradictory",
          "shortest_input",
          "longest_input",
          "shortest_target",
          "longest_target",
          "vocabulary",
          "tokens",
          "classes.*",
          "groups.*"};
}

}  // namespace headway
