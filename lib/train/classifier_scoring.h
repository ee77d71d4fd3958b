// A classifier's probability and correctness for each sequence.
#pragma once

#include "lib/train/classifier_batch.h"
#include "lib/train/map_batches.h"

namespace headway {

struct ClassifierScores {
  double loss_sum = 0;
  std::vector<float> probability;   // [N]: of label 1
  std::vector<std::uint8_t> right;  // [N]: 1 if the likelier label is right

  double loss() const { return loss_sum / static_cast<double>(right.size()); }
  double accuracy() const;
};

// Without dropout or gradients. Results do not depend on the team's size. Memory grows neither with
// the number of sequences nor with the square of their length.
ClassifierScores score(const Classifier& model, const LabelledSequences& sequences,
                       ThreadTeam& team, const EachBatch& each = {});

}  // namespace headway
