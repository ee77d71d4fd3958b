// Training a classifier: the contents of an epoch, that it learns, and that a stopped training ends
// like an undisturbed one.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "lib/base/error.h"
#include "lib/extrapolation/analysis/classifier_task.h"
#include "lib/train/scoring.h"
#include "tests/nn/tiny_classifiers.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

// Lengths 3 to 6 of 10 values.
SortingData tiny_sorting(bool fresh, std::int64_t train = 60, std::int64_t val = 40) {
  SortingRecipe recipe;
  recipe.shortest = 3;
  recipe.longest = 6;
  recipe.range = 10;
  recipe.fresh = fresh;
  SortingSizes sizes;
  sizes.train = train;
  sizes.val = val;
  sizes.test = 1;
  sizes.test_lengths = {};
  return generate_sorting(recipe, sizes);
}

double mean_loss(const ClassifierTask& task, const ClassifierCheckpoint& checkpoint) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(task.size()));
  std::iota(all.begin(), all.end(), 0);
  DropoutStream none;
  const double scale = 1 / static_cast<double>(task.loss_terms(all));
  return task.loss_with(checkpoint.parameters.views(true))(all, scale, none).item<double>();
}

TEST_CASE("an epoch is the stored samples in its own order, or fresh ones") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  ThreadTeam team(1);
  for (const bool fresh : {false, true}) {
    const SortingData data = tiny_sorting(fresh);
    ClassifierTask task(checkpoint.config, data);
    CHECK(task.size() == 60);
    for (const std::int64_t epoch : {0, 3, 1, 3}) {
      CAPTURE(fresh, epoch);
      const LabelledSequences samples = data.train_epoch(epoch);
      CHECK((samples == data.train) == (!fresh || epoch == 0));
      const RandomStream random(5, {static_cast<std::uint64_t>(epoch)});
      CHECK(task.begin_epoch(epoch, 16, random) == bucketed_order(samples, 16, random));
      const double expected = score(checkpoint.model(6), samples, team).loss();
      CHECK(std::abs(mean_loss(task, checkpoint) - expected) < 1e-5);
    }
  }
}

TEST_CASE("a loss created before an epoch begins has the samples of that epoch") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  const SortingData data = tiny_sorting(true);
  ClassifierTask task(checkpoint.config, data);
  const ParameterMap leaves = checkpoint.parameters.views(true);
  const ShardLoss loss_of = task.loss_with(leaves);
  const std::vector<std::int64_t> some = {4, 7, 8};
  const auto loss = [&] {
    DropoutStream none;
    return loss_of(some, 1, none).item<double>();
  };
  const double before = loss();
  task.begin_epoch(1, 16, RandomStream(1));
  CHECK(loss() != before);
  task.begin_epoch(0, 16, RandomStream(1));
  CHECK(loss() == before);
}

TEST_CASE("a classifier is validated on all of val, and selected by accuracy") {
  const ClassifierCheckpoint checkpoint = random_classifier(tiny_classifier());
  const SortingData data = tiny_sorting(false);
  const ClassifierTask task(checkpoint.config, data);
  ThreadTeam team(2);
  const Validation validation = task.validate(checkpoint.parameters, team);
  const ClassifierScores scores = score(checkpoint.model(6), data.val, team);
  REQUIRE(validation.metrics.size() == 2);
  CHECK(validation.metrics[0] == std::pair<std::string, double>("val_loss", scores.loss()));
  CHECK(validation.metrics[1] == std::pair<std::string, double>("accuracy", scores.accuracy()));
  CHECK(validation.objective == scores.accuracy());
  CHECK(validation.loss == scores.loss());
}

TEST_CASE("a tiny classifier learns to recognise sorted sequences it has never seen") {
  const SortingData data = tiny_sorting(false, 1500, 300);
  ClassifierConfig config = tiny_classifier(Encoding::kRope, Pooling::kMulti);
  config.d_model = 16;
  config.d_ff = 32;
  Parameters parameters(parameter_shapes(config));
  parameters.draw(1);
  TrainingOptions options = quick_options(12);
  options.batch = 32;
  ThreadTeam team(1);
  ClassifierTask task(config, data);
  const TrainingResult result = train(task, parameters, options, team, {});
  CHECK(result.best_validation.objective > 0.95);
  CHECK(result.log.columns() ==
        std::vector<std::string>{"epoch", "train_loss", "val_loss", "accuracy", "learning_rate"});
}

// 3 epochs of 4 steps, the last of them smaller, in its own folder.
class InterruptibleClassifier {
 public:
  InterruptibleClassifier(bool fresh, Encoding encoding)
      : config_(tiny_classifier(encoding, Pooling::kMulti)), data_(tiny_sorting(fresh)) {
    std::string pattern = (std::filesystem::temp_directory_path() / "headway-nn-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw Error("cannot make a temporary folder");
    folder_ = pattern;
  }
  ~InterruptibleClassifier() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  InterruptibleClassifier(const InterruptibleClassifier&) = delete;
  InterruptibleClassifier& operator=(const InterruptibleClassifier&) = delete;

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
    ClassifierTask task(config_, data_);
    const TrainingResult result = train(task, parameters, options, team, watch);
    return result.log.to_csv() + std::to_string(result.best_epoch) + bytes_of(result.best);
  }
  void forget() { std::filesystem::remove(folder_ / "state.safetensors"); }

 private:
  Path folder_;
  ClassifierConfig config_;
  SortingData data_;
};

TEST_CASE("a classifier's training stopped at any step ends with the same bytes") {
  for (const auto& [fresh, encoding] :
       {std::pair(false, Encoding::kLearned), std::pair(true, Encoding::kRelative)}) {
    InterruptibleClassifier training(fresh, encoding);
    const std::string undisturbed = training.run();
    for (const int steps : {0, 1, 3, 4, 5, 8, 11}) {
      CAPTURE(fresh, steps);
      training.forget();
      REQUIRE_THROWS_AS(training.run(steps), Cancelled);
      CHECK((training.run() == undisturbed));  // without the bytes in the message
    }
  }
}

TEST_CASE("a classifier's training stopped after every step ends with the same bytes") {
  InterruptibleClassifier training(true, Encoding::kAlibi);
  const std::string undisturbed = training.run();
  training.forget();
  for (int step = 0; step < 11; ++step) REQUIRE_THROWS_AS(training.run(1), Cancelled);
  CHECK((training.run(1) == undisturbed));
}

TEST_CASE("a classifier's training does not depend on the team's size, but on fresh samples") {
  InterruptibleClassifier training(true, Encoding::kRope), stored(false, Encoding::kRope);
  const std::string alone = training.run(1000, 1);
  training.forget();
  CHECK((training.run(1000, 3) == alone));
  CHECK((stored.run() != alone));
}

}  // namespace
}  // namespace headway::testing
