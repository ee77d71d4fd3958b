// The training loop for any task with a loss: data-parallel shards, AdamW, warm-up and cosine,
// gradient clipping, validation after each epoch, best parameters, early stopping, and a saved
// state from which another process continues to the same final bytes.
//
// Results depend only on the options. Every draw is a function of the seed, epoch and step; the
// number of shards is an option, not the number of threads; gradients are added in order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/nn/weights.h"
#include "lib/numerics/table.h"
#include "lib/numerics/thread_team.h"
#include "lib/train/training_options.h"

namespace headway {

// The result of an epoch. The log has a column for each metric, in this order.
struct Validation {
  std::vector<std::pair<std::string, double>> metrics;
  double objective = 0;  // higher is better
  double loss = 0;       // decides if objectives are equal
};

// The sum of the losses of these samples of the current epoch, times `scale`, with its graph. Used
// by one thread at a time.
using ShardLoss = std::function<at::Tensor(std::span<const std::int64_t> samples, double scale,
                                           DropoutStream& dropout)>;

class TrainingTask {
 public:
  virtual ~TrainingTask() = default;
  virtual std::int64_t size() const = 0;  // training samples per epoch
  // Prepares an epoch (from 0) and returns the order of its samples, for batches of `batch`.
  // Depends only on its arguments. By default the order is uniformly random.
  virtual std::vector<std::int64_t> begin_epoch(std::int64_t epoch, std::int64_t batch,
                                                RandomStream random);
  // The number of terms in the loss of these samples, to compute its mean.
  virtual std::int64_t loss_terms(std::span<const std::int64_t> samples) const = 0;
  // The loss of a model with these parameters. The task must outlive it.
  virtual ShardLoss loss_with(const Replica& replica) const = 0;
  virtual Validation validate(const Parameters& parameters, ThreadTeam& team) const = 0;
};

// Callbacks of a training, and where its state is saved.
struct TrainingWatch {
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(double fraction, const std::string& words)> progress =
      [](double, const std::string&) {};
  std::function<void(const std::string& line)> log = [](const std::string&) {};
  Path state_file;         // empty: not saved
  double save_every = 30;  // seconds; also saved at the end of each epoch
  Path event_file;         // TensorBoard events of every epoch; empty: none
};

struct TrainingResult {
  Parameters best;
  std::int64_t best_epoch = 0;
  std::int64_t epochs = 0;  // number of epochs run
  Validation best_validation;
  Table log;     // epoch, train_loss, the metrics, learning_rate
  Table timing;  // epoch, seconds, samples_per_second; varies, so apart from the log
};

// Starts from a copy of the parameters. Throws Cancelled, after saving the state, if
// watch.cancelled; Error if the loss is not finite.
TrainingResult train(TrainingTask& task, const Parameters& parameters,
                     const TrainingOptions& options, ThreadTeam& team, const TrainingWatch& watch);

}  // namespace headway
