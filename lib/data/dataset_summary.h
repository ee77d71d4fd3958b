// What a dataset holds, counted: for people, and for conditions on data (`expect`).
//
// The table has the columns split,property,value,count,share and for each split these properties:
//
//     NAME of a group   samples with each value of the group
//     class             samples of each class
//     input_length      samples with inputs of each length that there is
//     target_length     the same for targets, without the end marker
//     overlap           samples whose input is also in train; of further splits, in train or val
//     repeated          samples whose input is earlier in the split
//     contradictory     samples whose input has another target or class elsewhere, in any split
//
// The metrics are, of train, val and test together if nothing else is said:
//
//     train, val, test              samples of these splits
//     other_splits, other_samples   further splits, and their samples; left out if there are none
//     overlap_val, overlap_test     samples of these splits whose input is also in train
//     overlap                       their sum
//     overlap_val_test              samples of test whose input is also in val
//     repeated                      samples whose input is earlier in their split
//     contradictory                 as in the table, in all splits; left out without targets
//     shortest_input … longest_target   in tokens, without end markers
//     vocabulary                    words
//     tokens                        words of all inputs and targets
//     classes.CLASS                 shares of the classes, unless there are more than 100
//     groups.NAME.VALUE             shares of the values of each group with at most 100 values
#pragma once

#include "lib/base/json.h"
#include "lib/data/dataset.h"
#include "lib/numerics/table.h"

namespace headway {

struct DatasetSummary {
  Table statistics;
  Json metrics;
};

DatasetSummary summarize(const Dataset& dataset);

// The metrics of all datasets, for the declaration of a stage type.
std::vector<std::string> dataset_metric_names();

}  // namespace headway
