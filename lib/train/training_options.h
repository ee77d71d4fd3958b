// Options of a training, independent of its task and of LibTorch.
#pragma once

#include <cstdint>

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

}  // namespace headway
