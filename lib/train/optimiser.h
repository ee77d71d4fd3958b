// AdamW over a model's flat parameters, with gradients from several shards.
#pragma once

#include <vector>

#include "lib/nn/parameters.h"
#include "lib/numerics/thread_team.h"
#include "lib/train/training.h"

namespace headway {

class Optimiser {
 public:
  // Shares and changes the memory of `parameters`.
  Optimiser(const Parameters& parameters, const TrainingOptions& options);

  // One step with the sum of the shards' gradients, which it clears. Returns the gradient's norm
  // before clipping.
  double step(std::vector<ParameterMap>& shards, double rate, ThreadTeam& team);

  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }
  const at::Tensor& mean() const { return mean_; }      // [flat], part of the state
  const at::Tensor& square() const { return square_; }  // [flat], part of the state

 private:
  Parameters parameters_;
  const TrainingOptions options_;
  at::Tensor gradient_;  // [flat]
  at::Tensor mean_;      // [flat]
  at::Tensor square_;    // [flat]
  std::int64_t steps_ = 0;
  // Groups of parameters of similar size: one task of the team each.
  std::vector<std::pair<std::size_t, std::size_t>> groups_;
};

}  // namespace headway
