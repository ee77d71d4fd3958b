// Sentences on how far models reach, alone or in groups that fare alike: within the trained lengths
// and beyond them.
#pragma once

#include <string>
#include <vector>

#include "lib/extrapolation/findings/length_results.h"

namespace headway {

using ModelGroup = std::vector<const ModelLengths*>;

ModelGroup models_with(const std::vector<ModelLengths>& models, const std::string& negatives);
std::string group_names(const ModelGroup& models);  // "`a`, `b` and `c`"
std::string group_verb(const ModelGroup& models, const char* of_one, const char* of_many);

struct ScoredModel {
  const ModelLengths* model = nullptr;
  MeasuredShare accuracy;
};
std::string scored_model_text(const ScoredModel& scored);  // "`a` with 50 % (45.6 to 54.4 %)"

// Models by how far beyond the trained lengths they reach with one kind of unsorted sequences.
struct ByReach {
  ModelGroup nearly_all;  // at every length
  ModelGroup above;       // above chance at every length
  ModelGroup some;        // above chance up to some length
  ModelGroup late;        // not at first, but at a later length
  ModelGroup never;
  ModelGroup never_learned;  // of these, those that are not above chance within them either
  ModelGroup untested;
};
ByReach grouped_by_reach(const ModelGroup& models, const std::string& negatives);

// What is the same training as another of them is not counted again.
std::string trained_lengths_text(const ModelGroup& models, const std::string& negatives);
// A sentence for each way of faring.
std::vector<std::string> longer_lengths_text(const ModelGroup& models,
                                             const std::string& negatives);

}  // namespace headway
