// A task with predefined losses and validations, for tests of the training loop that need no model.
#pragma once

#include <cmath>
#include <functional>

#include "lib/train/training.h"

namespace headway::testing {

// One parameter w [1] with the slope 1, so that each step makes it smaller. Epochs have `steps`
// batches of two samples.
class ScriptedTask final : public TrainingTask {
 public:
  struct Epoch {
    double objective = 0;
    double loss = 0;
  };
  ScriptedTask(std::int64_t steps, std::vector<Epoch> epochs) : steps_(steps), epochs_(epochs) {}

  static Parameters parameters() {
    Parameters parameters({{"w", {1}, ParameterShape::Start::kOne}});
    parameters.draw(1);
    return parameters;
  }
  static TrainingOptions options(std::int64_t epochs) {
    TrainingOptions options;
    options.epochs = epochs;
    options.batch = 2;
    options.shards = 1;
    return options;
  }

  // The factor of a loss, by the number of losses computed before it.
  std::function<double(int)> factor = [](int) { return 1.0; };

  std::int64_t size() const override { return 2 * steps_; }
  std::vector<std::int64_t> begin_epoch(std::int64_t epoch, std::int64_t batch,
                                        RandomStream random) override {
    begun.emplace_back(epoch, batch);
    return TrainingTask::begin_epoch(epoch, batch, random);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> begun;  // epochs, with the size of batches
  std::int64_t loss_terms(std::span<const std::int64_t> samples) const override {
    return static_cast<std::int64_t>(samples.size());
  }
  ShardLoss loss_with(const Replica& replica) const override {
    return
        [this, w = replica.at("w")](std::span<const std::int64_t> samples, double, DropoutStream&) {
          taken.insert(taken.end(), samples.begin(), samples.end());
          return w.sum().mul(factor(losses_++));
        };
  }
  Validation validate(const Parameters&, ThreadTeam&) const override {
    const Epoch& epoch = epochs_.at(validated_++);
    return {{{"objective", epoch.objective}}, epoch.objective, epoch.loss};
  }
  std::size_t validated() const { return validated_; }
  mutable std::vector<std::int64_t> taken;  // samples, in their order

 private:
  std::int64_t steps_;
  std::vector<Epoch> epochs_;
  mutable std::size_t validated_ = 0;
  mutable int losses_ = 0;
};

}  // namespace headway::testing
