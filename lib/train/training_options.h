// Options of a training and its learning rate, independent of its task and of LibTorch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "lib/nn/kernels/dropout.h"

namespace headway {

struct TrainingOptions {
  std::int64_t epochs = 30;
  std::int64_t schedule_epochs = 0;  // length of the learning rate's schedule; 0: epochs
  std::int64_t batch = 64;
  std::int64_t shards = 2;  // parts of a batch that are computed in parallel
  double lr = 1e-3;
  double warmup = 0.05;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double weight_decay = 0.01;  // for matrices; not for biases, gains and embeddings
  double clip = 1;             // largest gradient norm; 0: no limit
  DropoutRates dropout = {.layers = 0.1, .attention = 0};
  std::int64_t patience = 0;  // epochs without improvement before it stops; 0: unlimited
  std::uint64_t seed = 641;
};

// The learning rate: a linear warm-up, then half a cosine.
struct LearningRate {
  double peak = 1e-3;
  double warmup = 0.05;    // share of all steps
  std::int64_t steps = 1;  // length of the schedule; training may stop earlier

  double rate(std::int64_t step) const {  // step 0 is the first
    const double warm = std::floor(warmup * static_cast<double>(steps));
    const auto at = static_cast<double>(step);
    if (at < warm) return peak * (at + 1) / warm;
    const double rest = std::max(1.0, static_cast<double>(steps) - warm);
    const double through = std::min(1.0, (at - warm) / rest);
    return peak * 0.5 * (1 + std::cos(std::numbers::pi * through));
  }
};

}  // namespace headway
