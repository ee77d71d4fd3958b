// Datasets that other programs wrote, as records in JSON, JSON Lines or CSV:
//
//     {"input": "12+34", "target": "46", "groups": {"carries": 0}}
//
// README, "Importing data", describes all fields.
#pragma once

#include <set>
#include <string>

#include "lib/data/dataset.h"
#include "lib/data/import/import_files.h"

namespace headway {

struct ImportedDataset {
  Dataset data;
  std::int64_t dropped = 0;            // samples removed from train
  std::set<std::string> ignored = {};  // fields or columns that mean nothing here
};

// One file, or several with a split each. Words, classes and values of groups are in the order that
// a header gives, else numbers by value and then texts by their bytes; roles in the order of a
// header or of the data. Inputs of different lengths are padded to the longest of their split. If
// targets differ in length anywhere, all end with the end marker; otherwise none does. Throws Error
// with the file and the record of a mistake.
ImportedDataset import_dataset(const std::vector<ImportFile>& files, const ImportOptions& options);

}  // namespace headway
