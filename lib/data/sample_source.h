// What made a dataset, where it can make more of the same: a dataset names its source in its
// metadata, and studies provide sources by name (stages/study.h).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "lib/data/dataset.h"

namespace headway {

struct SampleSource {
  // The training samples of an epoch (from 0), the same number for each; null: the split `train`.
  std::function<Split(std::int64_t epoch)> epoch = nullptr;
  // All samples that there can be, by number; 0: too many, or not known.
  std::int64_t count = 0;
  std::function<Split(std::int64_t first, std::int64_t count)> range = nullptr;
  // The sample with this input (without padding). Throws Error if it is none of the task's. May be
  // null.
  std::function<Split(std::span<const Token> input)> complete = nullptr;
};

// Makes the source of a dataset. Throws Error if its description is wrong.
using SourceMaker = std::function<SampleSource(const Dataset&)>;
using SourceMakers = std::map<std::string, SourceMaker>;

// The source that the dataset names; one without functions if it names none or an unknown one.
SampleSource source_of(const Dataset& dataset, const SourceMakers& makers);

}  // namespace headway
