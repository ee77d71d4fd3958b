// AdamW over a model's flat parameters, with gradients from several shards.
#pragma once

#include <vector>

#include "lib/nn/weights.h"
#include "lib/numerics/thread_team.h"
#include "lib/train/training.h"

namespace headway {

class Optimiser {
 public:
  // Shares and changes the memory of `parameters`, and refreshes their panels.
  Optimiser(const Parameters& parameters, const TrainingOptions& options, PackedWeights& packed);

  // One step with the sum of the shards' gradients, which it clears. Returns the gradient's norm
  // before clipping; if that is not finite, no step is made.
  double step(std::vector<Replica>& shards, double rate, ThreadTeam& team);

  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }
  const at::Tensor& mean() const { return mean_; }      // [flat], part of the state
  const at::Tensor& square() const { return square_; }  // [flat], part of the state

 private:
  // A task of the team: to sum the gradients of some parameters, or to compute those of some
  // outputs of a linear layer.
  struct GradientTask {
    std::size_t first = 0, last = 0;  // parameters
    // Of a layer, `first` is its weight and `last` its bias.
    bool is_layer = false;
    std::int64_t first_output = 0, last_output = 0;
  };

  void plan_gradients();
  // These return the sum of the squares of what they compute.
  double sum_parameters(const GradientTask& task, std::vector<Replica>& shards);
  double compute_layer(const GradientTask& task, const std::vector<Replica>& shards);
  void clear_factors(std::vector<Replica>& shards) const;

  Parameters parameters_;
  const TrainingOptions options_;
  PackedWeights& packed_;
  at::Tensor gradient_;  // [flat]
  at::Tensor mean_;      // [flat]
  at::Tensor square_;    // [flat]
  std::int64_t steps_ = 0;
  std::vector<GradientTask> gradient_tasks_;
  // Groups of parameters of similar size: one task of the team each.
  std::vector<std::pair<std::size_t, std::size_t>> groups_;
};

}  // namespace headway
