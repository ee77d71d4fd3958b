// The state of a training: everything that its next step depends on, in one file.
#pragma once

#include <optional>
#include <vector>

#include "lib/base/digest.h"
#include "lib/numerics/safetensors.h"
#include "lib/train/training.h"

namespace headway {

struct TrainingState {
  std::int64_t epoch = 0;  // current epoch, from 0
  std::int64_t step = 0;   // batches done in this epoch
  double loss_sum = 0;     // loss of those batches
  std::int64_t loss_terms = 0;
  double seconds = 0;  // spent in this epoch, for the timing table
  std::int64_t optimiser_steps = 0;
  std::int64_t best_epoch = -1;
  Validation best_validation;
  std::vector<std::vector<double>> log;     // a row for each finished epoch
  std::vector<std::vector<double>> timing;  // the same
  std::vector<double> ended;                // when each of them ended, seconds since 1970

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("epoch", self.epoch);
    visit("step", self.step);
    visit("loss_sum", self.loss_sum);
    visit("loss_terms", self.loss_terms);
    visit("seconds", self.seconds);
    visit("optimiser_steps", self.optimiser_steps);
    visit("best_epoch", self.best_epoch);
    visit("best_metrics", self.best_validation.metrics);
    visit("best_objective", self.best_validation.objective);
    visit("best_loss", self.best_validation.loss);
    visit("log", self.log);
    visit("timing", self.timing);
    visit("ended", self.ended);
  }
};

// The flat buffers of the state [flat], by name: parameters, best parameters, and the optimiser's.
using TrainingBuffers = std::vector<std::pair<std::string, at::Tensor>>;

// Identifies the training of a state: options without the number of epochs, start parameters and
// number of samples. Not the samples themselves: the state's folder depends on the data.
Digest identity_of(const Parameters& start, const TrainingOptions& options, std::int64_t samples);

// Includes a digest of everything else in the file.
std::string to_bytes(const TrainingState& state, const TrainingBuffers& buffers,
                     const Digest& identity);
// Fills the buffers; nullopt if the file is missing. Throws Error, without changing the buffers, if
// the file is damaged, belongs to another training, or is past `epochs`.
std::optional<TrainingState> read_state(const Path& file, const TrainingBuffers& buffers,
                                        const Digest& identity, std::int64_t epochs);

}  // namespace headway
