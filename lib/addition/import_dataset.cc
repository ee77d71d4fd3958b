#include "lib/addition/import_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lib/addition/dataset_summary.h"
#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/text.h"

namespace headway {
namespace {

// Rows are padded to the longest, so a single huge record would cost memory in all.
constexpr std::size_t kMostTokens = 1024;

using Sequence = std::vector<Token>;
struct Record {
  Sequence input, target;
};

Token read_token(const Json& item, const char* field) {
  const auto token = whole_number<Token>(item);
  if (token && *token >= 0 && *token <= kPlus) return *token;
  throw Error("'{}': {} is not a token (0..9, or 10 for +)", field, excerpt(item, 40));
}

Sequence read_sequence(const Json& record, const char* field) {
  const auto found = record.find(field);
  if (found == record.end()) throw Error("'{}' is missing", field);
  if (!found->is_array())
    throw Error("'{}' should be a list of tokens, but is {}", field, excerpt(*found, 40));
  if (found->empty()) throw Error("'{}' is empty", field);
  if (found->size() > kMostTokens)
    throw Error("'{}' has {} tokens; at most {} can be", field, found->size(), kMostTokens);
  Sequence tokens;
  tokens.reserve(found->size());
  for (const Json& item : *found) tokens.push_back(read_token(item, field));
  return tokens;
}

Record read_record(const Json& record) {
  if (!record.is_object())
    throw Error("should be a map with 'input' and 'target', but is {}", excerpt(record, 40));
  return {read_sequence(record, "input"), read_sequence(record, "target")};
}

std::vector<Record> read_records(const DatasetText& text) {
  const std::optional<Json> list = parse_json(text.json);
  if (!list) throw Error("{}: not JSON: {}", text.name, json_mistake(text.json));
  if (!list->is_array())
    throw Error("{}: should be a list of records, but is {}", text.name, excerpt(*list, 40));
  if (list->empty()) throw Error("{}: it has no records", text.name);
  std::vector<Record> records;
  records.reserve(list->size());
  try {
    for (const Json& record : *list) records.push_back(read_record(record));
  } catch (const Error& error) {
    throw error.within(fmt::format("{}: record {}", text.name, records.size()));
  }
  return records;
}

// Lengths that all rows of all splits are padded to.
struct Lengths {
  std::size_t input = 0;
  std::size_t target = 0;  // including the end token, if any
  bool has_end = false;    // targets differ in length
};

Lengths lengths_of(const std::vector<Record>* const (&splits)[3]) {
  Lengths lengths;
  std::size_t shortest_target = kMostTokens;
  for (const std::vector<Record>* records : splits) {
    for (const Record& record : *records) {
      lengths.input = std::max(lengths.input, record.input.size());
      lengths.target = std::max(lengths.target, record.target.size());
      shortest_target = std::min(shortest_target, record.target.size());
    }
  }
  lengths.has_end = shortest_target < lengths.target;
  lengths.target += lengths.has_end;
  return lengths;
}

void append_row(const Sequence& tokens, bool has_end, std::size_t length,
                std::vector<Token>& rows) {
  const std::size_t row_end = rows.size() + length;
  rows.insert(rows.end(), tokens.begin(), tokens.end());
  if (has_end) rows.push_back(kEos);
  rows.resize(row_end, kPad);
}

Seq2SeqSplit padded(const std::vector<Record>& records, const Lengths& lengths) {
  Seq2SeqSplit split;
  split.vocabulary = addition_vocabulary();
  split.input_length = static_cast<std::int64_t>(lengths.input);
  split.target_length = static_cast<std::int64_t>(lengths.target);
  split.inputs.reserve(records.size() * lengths.input);
  split.targets.reserve(records.size() * lengths.target);
  for (const Record& record : records) {
    append_row(record.input, false, lengths.input, split.inputs);
    append_row(record.target, lengths.has_end, lengths.target, split.targets);
  }
  return split;
}

void refuse_overlap(const Seq2SeqSplit& train, const std::string& train_name,
                    const Seq2SeqSplit& split, const std::string& split_name) {
  const std::vector<bool> also = inputs_also_in(train, split);
  const auto first = std::find(also.begin(), also.end(), true);
  if (first == also.end()) return;
  const std::int64_t sample = first - also.begin();
  throw Error(
      "{}: {} of its {} problems are also in {}; the first is record {}, {}. Set 'overlap: drop' "
      "to leave them out of train, or 'overlap: report' to keep and count them",
      split_name, std::count(also.begin(), also.end(), true), split.size(), train_name, sample,
      sequence_text(split.input(sample)));
}

}  // namespace

ImportedDataset import_dataset(const DatasetText& train, const DatasetText& val,
                               const DatasetText& test, Overlap overlap) {
  const std::vector<Record> train_records = read_records(train);
  const std::vector<Record> val_records = read_records(val);
  const std::vector<Record> test_records = read_records(test);
  const Lengths lengths = lengths_of({&train_records, &val_records, &test_records});
  ImportedDataset imported;
  Seq2SeqData& data = imported.data;
  data = {padded(train_records, lengths), padded(val_records, lengths),
          padded(test_records, lengths)};
  if (overlap == Overlap::kRefuse) {
    refuse_overlap(data.train, train.name, data.val, val.name);
    refuse_overlap(data.train, train.name, data.test, test.name);
  } else if (overlap == Overlap::kDrop) {
    const std::vector<bool> in_val = inputs_also_in(data.val, data.train);
    const std::vector<bool> in_test = inputs_also_in(data.test, data.train);
    Seq2SeqSplit kept;
    for (std::size_t i = 0; i < in_val.size(); ++i) {
      if (!in_val[i] && !in_test[i]) kept.append(data.train, static_cast<std::int64_t>(i));
    }
    imported.dropped = data.train.size() - kept.size();
    data.train = std::move(kept);
    if (data.train.size() == 0)
      throw Error("{}: every problem is also in {} or {}, so that none is left to train on",
                  train.name, val.name, test.name);
  }
  return imported;
}

}  // namespace headway
