#include "lib/addition/dataset_summary.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

#include "lib/addition/addition.h"
#include "lib/data/labelled_sequences.h"

namespace headway {
namespace {

constexpr const char* kOther = "other";

SequenceSet inputs_of(const Seq2SeqSplit& split) {
  SequenceSet inputs;
  inputs.reserve(static_cast<std::size_t>(split.size()));
  for (std::int64_t i = 0; i < split.size(); ++i) inputs.insert(sequence_bytes(split.input(i)));
  return inputs;
}

std::int64_t overlap(const Seq2SeqSplit& other, const Seq2SeqSplit& split) {
  const std::vector<bool> also = inputs_also_in(other, split);
  return std::count(also.begin(), also.end(), true);
}

// Counts by property and value. Digits sort before "other".
using Counts = std::map<std::string, std::map<std::string, std::int64_t>>;

Counts count_properties(const Seq2SeqSplit& split) {
  Counts counts;
  for (std::int64_t sample = 0; sample < split.size(); ++sample) {
    const std::optional<ParsedProblem> parsed = parse_problem(split.input(sample));
    const CarryPattern pattern = parsed ? carry_pattern(parsed->problem) : CarryPattern{};
    ++counts["carries"][parsed ? std::to_string(pattern.carries) : kOther];
    ++counts["longest_chain"][parsed ? std::to_string(pattern.longest_chain) : kOther];
    ++counts["leading_digit"][token_text(split.target(sample).front())];
  }
  return counts;
}

// The number of digits of all problems; 0 if they differ or some are not additions.
int common_digits(const Seq2SeqData& data) {
  std::set<int> found;
  for (const std::string_view name : kSplitNames) {
    const Seq2SeqSplit& split = data.split(name);
    for (std::int64_t sample = 0; sample < split.size(); ++sample) {
      const std::optional<ParsedProblem> parsed = parse_problem(split.input(sample));
      found.insert(parsed ? parsed->digits : 0);
    }
  }
  return found.size() == 1 ? *found.begin() : 0;
}

double share(std::int64_t count, std::int64_t total) {
  return static_cast<double>(count) / static_cast<double>(total);
}

}  // namespace

std::vector<bool> inputs_also_in(const Seq2SeqSplit& other, const Seq2SeqSplit& split) {
  assert(other.input_length == split.input_length);
  const SequenceSet known = inputs_of(other);
  std::vector<bool> also;
  also.reserve(static_cast<std::size_t>(split.size()));
  for (std::int64_t i = 0; i < split.size(); ++i)
    also.push_back(known.contains(sequence_bytes(split.input(i))));
  return also;
}

std::int64_t count_repeated(const Seq2SeqSplit& split) {
  return split.size() - static_cast<std::int64_t>(inputs_of(split).size());
}

std::int64_t count_wrong_sums(const Seq2SeqSplit& split) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < split.size(); ++i) wrong += !is_sum(split.input(i), split.target(i));
  return wrong;
}

Table addition_statistics(const Seq2SeqData& data) {
  std::map<std::string_view, Counts> counts;
  Counts all;  // gives every split a row for every value
  for (const std::string_view name : kSplitNames) {
    counts[name] = count_properties(data.split(name));
    for (const auto& [property, values] : counts[name]) {
      for (const auto& [value, count] : values) all[property][value] += count;
    }
  }
  Table table({"split", "property", "value", "count", "share"});
  for (const std::string_view name : kSplitNames) {
    const Seq2SeqSplit& split = data.split(name);
    const auto add = [&](const std::string& property, const std::string& value, std::int64_t n) {
      table.add({std::string(name), property, value, std::to_string(n),
                 number_text(share(n, split.size()))});
    };
    for (const auto& [property, values] : all) {
      for (const auto& [value, count] : values) add(property, value, counts[name][property][value]);
    }
    if (name != "train") add("overlap", "train", overlap(data.train, split));
    if (name == "test") add("overlap", "val", overlap(data.val, split));
    add("repeated", "", count_repeated(split));
    add("wrong_sums", "", count_wrong_sums(split));
  }
  return table;
}

Json dataset_metrics(const Seq2SeqData& data) {
  Json metrics;
  std::int64_t total = 0, repeated = 0, wrong_sums = 0;
  std::map<std::string, std::int64_t> carries;
  for (const std::string_view name : kSplitNames) {
    const Seq2SeqSplit& split = data.split(name);
    metrics[std::string(name)] = split.size();
    total += split.size();
    repeated += count_repeated(split);
    wrong_sums += count_wrong_sums(split);
    const Counts counts = count_properties(split);
    for (const auto& [value, count] : counts.at("carries")) carries[value] += count;
  }
  const std::int64_t in_val = overlap(data.train, data.val);
  const std::int64_t in_test = overlap(data.train, data.test);
  metrics["overlap"] = in_val + in_test;
  metrics["overlap_val"] = in_val;
  metrics["overlap_test"] = in_test;
  metrics["repeated"] = repeated;
  metrics["wrong_sums"] = wrong_sums;
  for (const auto& [value, count] : carries) metrics["carries"][value] = share(count, total);
  if (const int digits = common_digits(data)) metrics["digits"] = digits;
  return metrics;
}

}  // namespace headway
