// Where a training stands: everything that its next step depends on, as one file.
#pragma once

#include <optional>
#include <vector>

#include "lib/base/digest.h"
#include "lib/numerics/safetensors.h"
#include "lib/train/training.h"

namespace headway {

struct TrainingState {
  std::int64_t epoch = 0;  // that is being trained, from 0
  std::int64_t step = 0;   // of the epoch: batches done
  double loss_sum = 0;     // of those batches
  std::int64_t loss_terms = 0;
  double seconds = 0;  // of the epoch so far, for the timing table
  std::int64_t optimiser_steps = 0;
  std::int64_t best_epoch = -1;
  Validation best_validation;
  std::vector<std::vector<double>> log;     // a row for each finished epoch
  std::vector<std::vector<double>> timing;  // the same
};

// The four flat buffers go along: parameters, best parameters, the optimiser's two.
struct TrainingBuffers {
  at::Tensor parameters, best, mean, square;  // [flat] each
};

// Which training a state is of: its options but for the number of epochs, what it starts from and
// how many samples an epoch has. Not the samples themselves: a state lies in a folder of its
// data's.
Digest identity_of(const Parameters& start, const TrainingOptions& options, std::int64_t samples);

// The file carries a digest of all else in it.
std::string to_bytes(const TrainingState& state, const TrainingBuffers& buffers,
                     const Digest& identity);
// Fills the buffers; nothing where the file is missing. An Error, and the buffers as they were,
// where any bit of it has changed, or it is of another training or further than `epochs`.
std::optional<TrainingState> read_state(const Path& file, const TrainingBuffers& buffers,
                                        const Digest& identity, std::int64_t epochs);

}  // namespace headway
