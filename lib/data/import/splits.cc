#include "lib/data/import/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/data/dataset.h"
#include "lib/numerics/random.h"

namespace headway {
namespace {

constexpr std::int32_t kTrain = 0, kVal = 1, kTest = 2;  // as kSplitNames
constexpr std::size_t kLongestExcerpt = 60;              // columns

std::int32_t number_of_split(const std::string& name, std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, name);
  const auto number = static_cast<std::int32_t>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  if (names.size() > kMostSplits) throw Error("more than {} splits", kMostSplits);
  return number;
}

// What the files and the records say.
void take_splits(const SampleTable& table, SplitChoice& choice) {
  std::vector<std::int32_t> of_field;  // by number in the table
  for (const std::string& name : table.splits.names())
    of_field.push_back(number_of_split(name, choice.names));
  std::vector<std::int32_t> of_section;
  for (const SampleTable::Section& section : table.sections)
    of_section.push_back(section.split.empty() ? -1 : number_of_split(section.split, choice.names));
  for (std::int64_t sample = 0; sample < table.size(); ++sample) {
    const std::int32_t own =
        of_section[as_index(&table.section_of(sample) - table.sections.data())];
    choice.of.push_back(own >= 0 ? own : of_field[as_index(table.split_of[as_index(sample)])]);
  }
}

// Sets of numbers that are joined step by step; each is known by its least number.
class JoinedSets {
 public:
  explicit JoinedSets(std::int64_t count) : parents_(as_index(count)) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }

  std::int64_t least(std::int64_t number) {
    while (parents_[as_index(number)] != number)
      number = parents_[as_index(number)] = parents_[as_index(parents_[as_index(number)])];
    return number;
  }

  void join(std::int64_t one, std::int64_t other) {
    one = least(one);
    other = least(other);
    parents_[as_index(std::max(one, other))] = std::min(one, other);
  }

 private:
  std::vector<std::int64_t> parents_;
};

std::int64_t wanted(double share, std::int64_t samples) {
  return std::max<std::int64_t>(1, std::llround(share * static_cast<double>(samples)));
}

// Samples of a key stay together, so too many of them leave nothing to divide.
void check_pairs(const SampleTable& table, const std::string& pair,
                 const SampleTable::PairColumn& column) {
  std::vector<std::size_t> counts(column.keys.names().size());
  for (const auto& [sample, key] : column.samples) ++counts[as_index(key)];
  for (const auto& [sample, key] : column.samples) {
    if (counts[as_index(key)] != 2)
      refuse_pair(table, sample, pair, column.keys.names()[as_index(key)], counts[as_index(key)]);
  }
}

void draw_splits(const SampleTable& table, const EqualRows& inputs, const ImportOptions& options,
                 SplitChoice& choice) {
  JoinedSets sets(inputs.count);
  for (const auto& [name, column] : table.pairs) {
    check_pairs(table, name, column);
    std::vector<std::int64_t> first_of_key(column.keys.names().size(), -1);
    for (const auto& [sample, key] : column.samples) {
      std::int64_t& first = first_of_key[as_index(key)];
      const std::int64_t input = inputs.number[as_index(sample)];
      if (first >= 0) sets.join(first, input);
      first = input;
    }
  }
  std::vector<std::int64_t> sizes(
      as_index(inputs.count));  // samples of each set, by its least number
  for (const std::int64_t input : inputs.number) ++sizes[as_index(sets.least(input))];
  std::vector<std::int64_t> order;
  for (std::int64_t input = 0; input < inputs.count; ++input) {
    if (sizes[as_index(input)] > 0) order.push_back(input);
  }
  RandomStream(options.seed).shuffle(std::span(order));
  std::vector<std::int32_t> split_of_set(as_index(inputs.count), kTrain);
  std::size_t next = 0;
  const auto fill = [&](std::int32_t split, double share) {
    for (std::int64_t left = wanted(share, table.size()); left > 0 && next < order.size(); ++next) {
      split_of_set[as_index(order[next])] = split;
      left -= sizes[as_index(order[next])];
    }
  };
  fill(kTest, options.test_share);
  fill(kVal, options.val_share);
  if (next == order.size())
    throw Error(
        "{}: the {} different inputs cannot be divided into train, val and test with "
        "these shares",
        table.sections.front().file, inputs.count);
  for (const std::int64_t input : inputs.number)
    choice.of.push_back(split_of_set[as_index(sets.least(input))]);
}

std::string input_text(const SampleTable& table, std::int64_t sample) {
  std::vector<std::string> words;
  for (const std::int32_t word : table.inputs.row(sample))
    words.push_back(table.words.names()[as_index(word)]);
  const bool is_text =
      std::ranges::all_of(words, [](const std::string& word) { return display_width(word) == 1; });
  return fit(printable(join(words, is_text ? "" : " ")), kLongestExcerpt);
}

void refuse_overlap(const SampleTable& table, const EqualRows& inputs,
                    const std::vector<bool>& in_train, const SplitChoice& choice) {
  for (std::int64_t sample = 0; sample < table.size(); ++sample) {
    const std::int32_t split = choice.of[as_index(sample)];
    if (split == kTrain || !in_train[as_index(inputs.number[as_index(sample)])]) continue;
    std::int64_t size = 0, overlap = 0;
    for (std::int64_t other = 0; other < table.size(); ++other) {
      if (choice.of[as_index(other)] != split) continue;
      ++size;
      overlap += in_train[as_index(inputs.number[as_index(other)])];
    }
    throw Error(
        "{}: '{}' is also in train, as are {} of the {} inputs of {}. Set 'overlap: drop' to leave "
        "them out of train, or 'overlap: report' to keep and count them",
        table.place(sample), input_text(table, sample), overlap, size,
        choice.names[as_index(split)]);
  }
}

void drop_overlap(const std::vector<bool>& in_others, const EqualRows& inputs,
                  SplitChoice& choice) {
  for (std::size_t sample = 0; sample < choice.of.size(); ++sample) {
    if (choice.of[sample] != kTrain || !in_others[as_index(inputs.number[sample])]) continue;
    choice.of[sample] = SplitChoice::kDropped;
    ++choice.dropped;
  }
}

void settle_overlap(const SampleTable& table, const EqualRows& inputs, Overlap overlap,
                    SplitChoice& choice) {
  if (overlap == Overlap::kReport) return;
  std::vector<bool> in_train(as_index(inputs.count)), in_others(as_index(inputs.count));
  for (std::size_t sample = 0; sample < choice.of.size(); ++sample)
    (choice.of[sample] == kTrain ? in_train : in_others)[as_index(inputs.number[sample])] = true;
  if (overlap == Overlap::kRefuse) return refuse_overlap(table, inputs, in_train, choice);
  drop_overlap(in_others, inputs, choice);
  if (std::ranges::count(choice.of, kTrain) == 0)
    throw Error("{}: every input of train is also in another split, so none is left to train on",
                table.sections.front().file);
}

// Each of the three must have samples.
void check_splits(const SampleTable& table, const SplitChoice& choice) {
  std::vector<bool> found(choice.names.size());
  for (const std::int32_t split : choice.of) found[as_index(split)] = true;
  for (const std::int32_t split : {kTrain, kVal, kTest}) {
    if (found[as_index(split)]) continue;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) names.push_back(choice.names[i]);
    }
    throw Error("{}: no samples for the split '{}', which must be there; there are some for {}",
                table.sections.front().file, choice.names[as_index(split)], first_of(names));
  }
}

}  // namespace

SplitChoice choose_splits(const SampleTable& table, const ImportOptions& options) {
  SplitChoice choice;
  choice.names.assign(std::begin(kSplitNames), std::end(kSplitNames));
  choice.of.reserve(as_index(table.size()));
  const EqualRows inputs =
      number_rows(table.size(), [&](std::int64_t sample) { return table.inputs.row(sample); });
  const bool are_given = !table.split_of.empty() || !table.sections.front().split.empty();
  if (!are_given) {
    draw_splits(table, inputs, options, choice);
    return choice;
  }
  try {
    take_splits(table, choice);
  } catch (const Error& error) {
    throw error.within(table.sections.front().file);
  }
  check_splits(table, choice);
  settle_overlap(table, inputs, options.overlap, choice);
  return choice;
}

}  // namespace headway
