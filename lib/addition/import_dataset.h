// Datasets that other people's scripts wrote: a JSON list of records
//     {"input": [3, 7, 4, 10, 8, 1, 4], "target": [1, 1, 8, 8]}     (10 is +)
// for each split. Every mistake names the file and the first bad record, counted from 0 as those
// scripts count.
#pragma once

#include <string>

#include "lib/addition/addition.h"

namespace headway {

// What to do with problems in train that are also in val or test.
enum class Overlap {
  kRefuse,
  kReport,  // keep them, and count them in the metrics
  kDrop,    // remove them from train: val and test stay comparable
};
template <>
inline constexpr std::string_view kNamesOf<Overlap>[] = {"refuse", "report", "drop"};

struct DatasetText {
  std::string name;  // for messages
  std::string json;
};

struct ImportedDataset {
  Seq2SeqData data;
  std::int64_t dropped = 0;  // samples removed from train
};

// Pads inputs of different lengths. If targets differ in length, all end with kEos before the
// padding; otherwise none does. Throws Error if a text is not such a list, or Overlap::kRefuse
// finds an overlap.
ImportedDataset import_dataset(const DatasetText& train, const DatasetText& val,
                               const DatasetText& test, Overlap overlap);

}  // namespace headway
