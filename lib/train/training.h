// The training loop, for any task that can give a loss: data-parallel shards, AdamW, warm-up and
// cosine, gradient clip, validation after each epoch, the best parameters kept, early stop, and a
// state that a later process continues from to the same final bytes.
//
// Results depend on the options alone. Every draw is a function of the seed, the epoch and the
// step; the shards are an option, not the number of threads; their gradients are added in order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/nn/parameters.h"
#include "lib/numerics/table.h"
#include "lib/numerics/thread_team.h"
#include "lib/train/training_options.h"

namespace headway {

// What an epoch reached. The log has a column for each metric, in this order.
struct Validation {
  std::vector<std::pair<std::string, double>> metrics;
  double objective = 0;  // higher is better
  double loss = 0;       // decides between equal objectives
};

// A model over one set of leaves, on one thread at a time.
class Replica {
 public:
  virtual ~Replica() = default;
  // The sum of the losses of samples of the epoch that was begun last, times `scale`, with its
  // graph.
  virtual at::Tensor loss(std::span<const std::int64_t> samples, double scale,
                          DropoutStream& dropout) const = 0;
};

class TrainingTask {
 public:
  virtual ~TrainingTask() = default;
  virtual std::int64_t size() const = 0;  // training samples of an epoch
  // Makes the samples of an epoch (from 0) ready, and gives the order in which they are taken, cut
  // into batches of `batch`. A function of its arguments. Every order, where not overridden.
  virtual std::vector<std::int64_t> begin_epoch(std::int64_t epoch, std::int64_t batch,
                                                RandomStream random);
  // How many terms the loss of these samples has: what its mean is taken over.
  virtual std::int64_t loss_terms(std::span<const std::int64_t> samples) const = 0;
  virtual std::unique_ptr<Replica> replica(const ParameterMap& leaves) const = 0;
  virtual Validation validate(const Parameters& parameters, ThreadTeam& team) const = 0;
};

// Who watches, who may stop it, and where its state lives.
struct TrainingWatch {
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(double fraction, const std::string& words)> progress =
      [](double, const std::string&) {};
  std::function<void(const std::string& line)> log = [](const std::string&) {};
  Path state_file;         // empty: none is kept
  double save_every = 30;  // seconds, besides the end of each epoch
};

struct TrainingResult {
  Parameters best;
  std::int64_t best_epoch = 0;
  std::int64_t epochs = 0;  // that were run
  Validation best_validation;
  Table log;     // epoch, train_loss, the metrics, learning_rate
  Table timing;  // epoch, seconds, samples_per_second: the clock's, so apart from the log
};

// Starts from a copy of the parameters. Throws Cancelled, with the state saved, when watch.cancelled;
// Error when the loss is no number.
TrainingResult train(TrainingTask& task, const Parameters& parameters,
                     const TrainingOptions& options, ThreadTeam& team, const TrainingWatch& watch);

}  // namespace headway
