// Datasets that other people's scripts wrote: a JSON list of records
//     {"input": [3, 7, 4, 10, 8, 1, 4], "target": [1, 1, 8, 8]}     (10 is +)
// for each split. Every mistake names the file and the first bad record, counted from 0 as those
// scripts count.
#pragma once

#include <string>

#include "lib/addition/vocabulary.h"
#include "lib/data/seq2seq_data.h"

namespace headway {

// What to do with problems that are in train and also in val or test.
enum class Overlap {
  kRefuse,
  kReport,  // keep them: they are counted in the metrics
  kDrop,    // leave them out of train, so that val and test stay what others measured on
};

struct DatasetText {
  std::string name;  // for messages
  std::string json;
};

struct ImportedDataset {
  Seq2SeqData data;
  std::int64_t dropped = 0;  // samples left out of train
};

// Inputs of different lengths are padded. Where targets differ in length anywhere, every target
// ends with kEos and is then padded; where all are equal none does. An Error where a text is no
// such list, or Overlap::kRefuse finds an overlap.
ImportedDataset import_dataset(const DatasetText& train, const DatasetText& val,
                               const DatasetText& test, Overlap overlap);

}  // namespace headway
