// Samples as they are read, before all is known about them: each field is one array, and names are
// numbered in the order in which they are met.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/data/import/import_options.h"
#include "lib/data/legend.h"

namespace headway {

inline std::size_t as_index(std::int64_t number) {
  return static_cast<std::size_t>(number);
}
// A name from a file, for a message.
std::string shown_name(const std::string& name);

// Different names, numbered from 0.
class NameList {
 public:
  // Adds the name if it is new; then `sample` is the first with it.
  std::int32_t number(const std::string& name, std::int64_t sample);

  const std::vector<std::string>& names() const { return names_; }
  std::int64_t first_sample(std::size_t number) const { return firsts_[number]; }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> firsts_;
};

// Rows of different lengths.
class RaggedRows {
 public:
  // Adds to the row that end_row() ends.
  void push(std::int32_t number) { numbers_.push_back(number); }
  void end_row() { ends_.push_back(static_cast<std::int64_t>(numbers_.size())); }

  bool empty() const { return ends_.empty(); }
  std::span<const std::int32_t> row(std::int64_t index) const {
    const auto at = static_cast<std::size_t>(index);
    const std::int64_t begin = at == 0 ? 0 : ends_[at - 1];
    return std::span(numbers_).subspan(static_cast<std::size_t>(begin),
                                       static_cast<std::size_t>(ends_[at] - begin));
  }
  std::int64_t size(std::int64_t index) const { return std::ssize(row(index)); }

 private:
  std::vector<std::int32_t> numbers_;
  std::vector<std::int64_t> ends_;
};

struct SampleTable {
  // Samples that follow each other in a file.
  struct Section {
    std::string file;
    ImportFormat format = ImportFormat::kJson;
    std::string list;   // of a JSON map, where the records stand; "": the file is a list of them
    std::string split;  // "": the records say it, or it is drawn
    std::int64_t first = 0;
  };
  struct GroupColumn {
    NameList values;
    std::vector<std::int32_t> numbers;  // of each sample
  };
  struct PairColumn {
    NameList keys;
    std::vector<std::pair<std::int64_t, std::int32_t>> samples;  // and their keys
  };

  std::vector<Section> sections;
  std::vector<std::int64_t> records;  // of each sample: its number in the list, or its line
  NameList words, classes, roles, splits;
  RaggedRows inputs, targets;          // words
  std::vector<std::int32_t> labels;    // classes; empty: none
  std::vector<std::int32_t> split_of;  // splits; empty: no record says it
  RaggedRows input_roles, target_roles;
  RaggedRows input_positions, target_positions, asked;
  std::map<std::string, GroupColumn> groups;
  std::map<std::string, PairColumn> pairs;

  std::int64_t size() const { return std::ssize(records); }
  const Section& section_of(std::int64_t sample) const;
  // "train.json: record 3", "data.json: 'train': record 3", "data.csv:12".
  std::string place(std::int64_t sample) const;
};

// The place of a record, of a sample that may not be in the table yet.
std::string record_place(const SampleTable::Section& section, std::int64_t record);

// Throws Error: a pair's key has not two samples, in this split or ("") in all.
[[noreturn]] void refuse_pair(const SampleTable& table, std::int64_t sample,
                              const std::string& pair, const std::string& key, std::size_t samples,
                              const std::string& split = "");

}  // namespace headway
