// How sure a classifier is of every sequence, and how right.
#pragma once

#include "lib/train/classifier_batch.h"
#include "lib/train/map_batches.h"

namespace headway {

struct ClassifierScores {
  double loss_sum = 0;
  std::vector<float> probability;   // [N]: of label 1
  std::vector<std::uint8_t> right;  // [N]: 1 where the likelier label is the right one

  double loss() const { return loss_sum / static_cast<double>(right.size()); }
  double accuracy() const;
};

// Without dropout or gradients, on the team; results do not depend on its size. Memory does not
// grow with the number of sequences, nor with the square of their length.
ClassifierScores score(const Classifier& model, const LabelledSequences& sequences,
                       ThreadTeam& team, const EachBatch& each = {});

}  // namespace headway
