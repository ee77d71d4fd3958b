// Training to recognise sorted sequences: the contents of an epoch, that it learns, and that a
// stopped training ends like an undisturbed one.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "lib/base/error.h"
#include "lib/extrapolation/sorting.h"
#include "lib/train/scoring.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"

namespace headway::testing {
namespace {

// Lengths 3 to 6 of 10 values.
Dataset tiny_sorting(bool fresh, std::int64_t train = 60, std::int64_t val = 40) {
  return generate_sorting({.shortest = 3, .longest = 6, .range = 10, .fresh = fresh},
                          {.train = train, .val = val, .test = 1, .test_lengths = {}});
}

TransformerConfig sorting_config(const Dataset& data, Encoding encoding) {
  TransformerConfig config = tiny_config(ModelKind::kEncoder, encoding);
  config.pooling = Pooling::kMulti;
  return shaped_for(config, data);
}

double mean_loss(const TransformerTask& task, const Checkpoint& checkpoint) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(task.size()));
  std::iota(all.begin(), all.end(), 0);
  DropoutStream none;
  const double scale = 1 / static_cast<double>(task.loss_terms(all));
  return task.loss_with(checkpoint.parameters.views(true))(all, scale, none).item<double>();
}

TEST_CASE("an epoch of sorting is the stored samples in its own order, or fresh ones") {
  ThreadTeam team(1);
  for (const bool fresh : {false, true}) {
    const Dataset data = tiny_sorting(fresh);
    const SampleSource source = sorting_source(data);
    const Checkpoint checkpoint = random_checkpoint(sorting_config(data, Encoding::kSinusoidal));
    TransformerTask task(checkpoint.config, data, source);
    CHECK(task.size() == 60);
    for (const std::int64_t epoch : {0, 3, 1, 3}) {
      CAPTURE(fresh, epoch);
      const Split samples = fresh ? source.epoch(epoch) : data.split("train");
      CHECK((samples == data.split("train")) == (!fresh || epoch == 0));
      const RandomStream random(5, {static_cast<std::uint64_t>(epoch)});
      CHECK(task.begin_epoch(epoch, 16, random) == training_order(samples, 16, random));
      const double expected = score(checkpoint.model(6), samples, team).loss();
      CHECK(std::abs(mean_loss(task, checkpoint) - expected) < 1e-5);
    }
  }
}

TEST_CASE("a tiny classifier learns to recognise sorted sequences it has never seen") {
  const Dataset data = tiny_sorting(false, 1500, 300);
  TransformerConfig config = sorting_config(data, Encoding::kRope);
  config.d_model = 16;
  config.d_ff = 32;
  Parameters parameters(parameter_shapes(config));
  parameters.draw(1);
  TrainingOptions options = quick_options(12);
  options.batch = 32;
  ThreadTeam team(1);
  TransformerTask task(config, data);
  const TrainingResult result = train(task, parameters, options, team, {});
  CHECK(result.best_validation.objective > 0.95);
  CHECK(result.log.columns() ==
        std::vector<std::string>{"epoch", "train_loss", "val_loss", "accuracy", "learning_rate"});
}

// 3 epochs of 4 steps, the last of them smaller, in its own folder.
class InterruptibleSorting {
 public:
  InterruptibleSorting(bool fresh, Encoding encoding)
      : data_(tiny_sorting(fresh)), config_(sorting_config(data_, encoding)) {
    std::string pattern = (std::filesystem::temp_directory_path() / "headway-nn-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw Error("cannot make a temporary folder");
    folder_ = pattern;
  }
  ~InterruptibleSorting() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  InterruptibleSorting(const InterruptibleSorting&) = delete;
  InterruptibleSorting& operator=(const InterruptibleSorting&) = delete;

  // Throws Cancelled after `steps` steps of this call. Returns the result of the training.
  std::string run(int steps = 1000, std::size_t team_size = 2) {
    Parameters parameters(parameter_shapes(config_));
    parameters.draw(5);
    TrainingOptions options = quick_options(3);
    options.shards = 2;
    options.dropout = {.layers = 0.1, .attention = 0.1};
    TrainingWatch watch;
    watch.cancelled = [&] { return steps-- == 0; };
    watch.state_file = folder_ / "state.safetensors";
    ThreadTeam team(team_size);
    TransformerTask task(config_, data_, sorting_source(data_));
    const TrainingResult result = train(task, parameters, options, team, watch);
    return result.log.to_csv() + std::to_string(result.best_epoch) + bytes_of(result.best);
  }
  void forget() { std::filesystem::remove(folder_ / "state.safetensors"); }

 private:
  Path folder_;
  Dataset data_;
  TransformerConfig config_;
};

TEST_CASE("a training on sorting data stopped at any step ends with the same bytes") {
  for (const auto& [fresh, encoding] :
       {std::pair(false, Encoding::kLearned), std::pair(true, Encoding::kRelative)}) {
    InterruptibleSorting training(fresh, encoding);
    const std::string undisturbed = training.run();
    for (const int steps : {0, 1, 3, 4, 5, 8, 11}) {
      CAPTURE(fresh, steps);
      training.forget();
      REQUIRE_THROWS_AS(training.run(steps), Cancelled);
      CHECK((training.run() == undisturbed));  // without the bytes in the message
    }
  }
}

TEST_CASE("a training on sorting data stopped after every step ends with the same bytes") {
  InterruptibleSorting training(true, Encoding::kAlibi);
  const std::string undisturbed = training.run();
  training.forget();
  for (int step = 0; step < 11; ++step) REQUIRE_THROWS_AS(training.run(1), Cancelled);
  CHECK((training.run(1) == undisturbed));
}

TEST_CASE("a training on sorting data depends on fresh samples, but not on the team's size") {
  InterruptibleSorting training(true, Encoding::kRope), stored(false, Encoding::kRope);
  const std::string alone = training.run(1000, 1);
  training.forget();
  CHECK((training.run(1000, 3) == alone));
  CHECK((stored.run() != alone));
}

}  // namespace
}  // namespace headway::testing
