// The training loop: which epoch is best, when it stops, and what its result depends on.
#include "lib/train/training.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <limits>
#include <set>

#include "lib/base/error.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/half_trained.h"
#include "tests/train/scripted_task.h"

namespace headway::testing {
namespace {

TrainingResult train_scripted(ScriptedTask& task, const TrainingOptions& options) {
  ThreadTeam team(1);
  return train(task, ScriptedTask::parameters(), options, team, {});
}

TEST_CASE("the best epoch is the one with the highest objective, then the lowest loss") {
  const auto best_of = [](const std::vector<ScriptedTask::Epoch>& epochs) {
    ScriptedTask task(2, epochs);
    return train_scripted(task, ScriptedTask::options(static_cast<std::int64_t>(epochs.size())))
        .best_epoch;
  };
  CHECK(best_of({{0.5, 9}, {0.7, 9}, {0.6, 1}}) == 2);
  CHECK(best_of({{0.5, 3}, {0.5, 2}, {0.5, 2.5}}) == 2);
  CHECK(best_of({{0.5, 3}, {0.5, 3}, {0.5, 3}}) == 1);  // the first of equals
  CHECK(best_of({{0, 3}, {0, 4}}) == 1);
}

TEST_CASE("the best parameters are those after the best epoch") {
  ScriptedTask task(2, {{0.5, 1}, {0.9, 1}, {0.4, 1}});
  TrainingOptions options = ScriptedTask::options(3);
  const double best = train_scripted(task, options).best.flat()[0].item<double>();
  options.schedule_epochs = 3;
  options.epochs = 2;
  ScriptedTask shorter(2, {{0.5, 1}, {0.9, 1}});
  CHECK(best == train_scripted(shorter, options).best.flat()[0].item<double>());
  CHECK(best < 1);
}

TEST_CASE("the log's training loss is the mean over the steps of its epoch") {
  ScriptedTask task(3, {{0.5, 1}, {0.6, 1}});
  task.factor = [](int before) { return before + 1; };  // 1 2 3, then 4 5 6
  TrainingOptions options = ScriptedTask::options(2);
  options.lr = 0;  // the parameter stays at 1
  const Table log = train_scripted(task, options).log;
  CHECK(log.text(0, "train_loss") == "2");
  CHECK(log.text(1, "train_loss") == "5");
}

TEST_CASE("every epoch begins once, with its number, and its samples are taken in its order") {
  ScriptedTask task(4, {{0.5, 1}, {0.6, 1}, {0.7, 1}});
  const TrainingOptions options = ScriptedTask::options(3);
  train_scripted(task, options);
  using Begun = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(task.begun == Begun{{0, 2}, {1, 2}, {2, 2}});
  REQUIRE(task.taken.size() == 24);
  std::set<std::vector<std::int64_t>> orders;
  for (auto first = task.taken.begin(); first != task.taken.end(); first += 8) {
    std::vector<std::int64_t> order(first, first + 8);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  }
  CHECK(orders.size() == 3);  // each epoch has its own
  CHECK(task.begin_epoch(0, 2, RandomStream(1)) == task.begin_epoch(1, 3, RandomStream(1)));
}

TEST_CASE("a training stops once patience runs out") {
  const std::vector<ScriptedTask::Epoch> epochs = {{0.1, 1}, {0.3, 1}, {0.2, 1}, {0.3, 0.5},
                                                   {0.3, 1}, {0.3, 1}, {0.9, 1}};
  const auto stopped_after = [&](std::int64_t patience) {
    ScriptedTask task(2, epochs);
    TrainingOptions options = ScriptedTask::options(7);
    options.patience = patience;
    const TrainingResult result = train_scripted(task, options);
    CHECK(result.log.size() == static_cast<std::size_t>(result.epochs));
    CHECK(task.validated() == static_cast<std::size_t>(result.epochs));
    return std::pair(result.epochs, result.best_epoch);
  };
  CHECK(stopped_after(1) == std::pair<std::int64_t, std::int64_t>(3, 2));
  CHECK(stopped_after(2) == std::pair<std::int64_t, std::int64_t>(6, 4));
  CHECK(stopped_after(3) == std::pair<std::int64_t, std::int64_t>(7, 7));
  CHECK(stopped_after(0) == std::pair<std::int64_t, std::int64_t>(7, 7));
}

TEST_CASE("a NaN loss is an error that says where it occurred and what may help") {
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ScriptedTask task(3, {{0.1, 1}, {0.1, 1}});
    task.factor = [&](int before) { return before == 4 ? wrong : 1.0; };
    CHECK_THROWS_MATCHES(
        train_scripted(task, ScriptedTask::options(2)), Error,
        Catch::Matchers::Message(
            "the loss or its gradient is no number any more in epoch 2, step 2: a smaller "
            "learning rate ('lr') or a gradient clip ('clip') may help"));
  }
}

TEST_CASE("weights spoilt by the last step of an epoch are noticed in validation") {
  ScriptedTask task(3, {{0.1, 1}, {0.1, std::numeric_limits<double>::quiet_NaN()}});
  CHECK_THROWS_MATCHES(
      train_scripted(task, ScriptedTask::options(2)), Error,
      Catch::Matchers::Message(
          "the loss or its gradient is no number any more after epoch 2: a smaller learning rate "
          "('lr') or a gradient clip ('clip') may help"));
}

TEST_CASE("progress goes from the first step to the last, and reports the best so far") {
  ScriptedTask task(2, {{0.25, 1}, {0.5, 1}});
  std::vector<double> shares;
  std::string last;
  TrainingWatch watch;
  watch.progress = [&](double share, const std::string& words) {
    shares.push_back(share);
    last = words;
  };
  ThreadTeam team(1);
  train(task, ScriptedTask::parameters(), ScriptedTask::options(2), team, watch);
  CHECK(shares == std::vector<double>{0.25, 0.5, 0.75, 1});
  CHECK(last.starts_with("epoch 2 of 2, loss "));
  CHECK(last.find("best 25.00 %") != std::string::npos);
}

TEST_CASE("training does not change the initial parameters") {
  ScriptedTask task(2, {{0.5, 1}});
  const Parameters start = ScriptedTask::parameters();
  ThreadTeam team(1);
  const TrainingResult result = train(task, start, ScriptedTask::options(1), team, {});
  CHECK(start.flat()[0].item<float>() == 1);
  CHECK(result.best.flat()[0].item<float>() < 1);
}

// A small model of a kind, with dropout and offsets, on a small uneven set; 3 steps per epoch.
struct SmallTraining {
  Dataset data;
  TransformerConfig config;
  TrainingOptions options = quick_options(3);

  explicit SmallTraining(ModelKind kind)
      : data(dataset_of(uneven_data(kind, 20), uneven_data(kind, 30, 2))),
        config(tiny_config(kind)) {
    config.offset = 3;
    config = shaped_for(config, data);
    options.batch = 8;
    options.shards = 2;
    options.dropout = {.layers = 0.1, .attention = 0.1};
  }
  TrainingResult run(std::size_t team_size = 1) const {
    Parameters parameters(parameter_shapes(config));
    parameters.draw(5);
    ThreadTeam team(team_size);
    TransformerTask task(config, data, {}, options.seed);
    return train(task, parameters, options, team, {});
  }
};

TEST_CASE("a training does not depend on the team's size") {
  for (const ModelKind kind : kEveryKind) {
    SmallTraining training(kind);
    training.options.shards = 3;
    const TrainingResult alone = training.run(1);
    for (const std::size_t size : {2, 3}) {
      const TrainingResult result = training.run(size);
      CHECK((bytes_of(result.best) == bytes_of(alone.best)));
      CHECK(result.log == alone.log);
    }
  }
}

TEST_CASE("without dropout the number of shards affects only rounding") {
  for (const ModelKind kind : kEveryKind) {
    SmallTraining training(kind);
    training.options.dropout = {};
    training.options.shards = 1;
    const TrainingResult one = training.run();
    for (const std::int64_t shards : {2, 3, 11}) {  // 11: more than a batch has samples
      training.options.shards = shards;
      const TrainingResult several = training.run();
      REQUIRE(several.log.size() == 3);
      for (std::size_t row = 0; row < 3; ++row) {
        for (const char* column : {"train_loss", "val_loss"}) {
          CAPTURE(name_of(kind), shards, row, column);
          CHECK(std::abs(several.log.number(row, column) - one.log.number(row, column)) < 2e-4);
        }
      }
    }
  }
}

TEST_CASE("the seed determines the order of samples, the offsets and the dropout") {
  for (const ModelKind kind : kEveryKind) {
    SmallTraining training(kind);
    const std::string first = bytes_of(training.run().best);
    CHECK((bytes_of(training.run().best) == first));
    training.options.seed = 642;
    CHECK((bytes_of(training.run().best) != first));
    training.options.seed = 641;
    training.config.offset = 2;  // with as many positions
    CHECK((bytes_of(training.run().best) != first));
  }
}

TEST_CASE("a training with a longer schedule is the beginning of the longer training") {
  SmallTraining training(ModelKind::kEncoderDecoder);
  training.options.epochs = 4;
  const TrainingResult longer = training.run();
  training.options.epochs = 2;
  training.options.schedule_epochs = 4;
  const TrainingResult shorter = training.run();
  REQUIRE(shorter.log.size() == 2);
  REQUIRE(longer.log.size() == 4);
  CHECK(shorter.log.rows()[0] == longer.log.rows()[0]);
  CHECK(shorter.log.rows()[1] == longer.log.rows()[1]);
}

TEST_CASE("a training's log has a row for each epoch, with the metrics of its task") {
  for (const ModelKind kind : kEveryKind) {
    const TrainingResult result = SmallTraining(kind).run();
    std::vector<std::string> columns = measures_of(kind);
    columns.insert(columns.begin(), {"epoch", "train_loss"});
    columns.emplace_back("learning_rate");
    CHECK(result.log.columns() == columns);
    REQUIRE(result.log.size() == 3);
    CHECK(result.log.text(2, "epoch") == "3");
    CHECK(result.log.number(2, "learning_rate") < result.log.number(0, "learning_rate"));
    CHECK(result.timing.size() == 3);
  }
}

// The validation after training a model that is a bit wider, on what it is validated on.
Validation after_training(TransformerConfig config, const Split& train_on, const Split& val,
                          TrainingOptions options) {
  const Dataset data = dataset_of(train_on, val);
  config.d_model = 16;
  config.d_ff = 32;
  config = shaped_for(config, data);
  Parameters parameters(parameter_shapes(config));
  parameters.draw(1);
  ThreadTeam team(1);
  TransformerTask task(config, data);
  return train(task, parameters, options, team, {}).best_validation;
}

TEST_CASE("a tiny model memorises a tiny set") {
  TrainingOptions options = quick_options(150);
  options.batch = 12;
  const auto check = [&](ModelKind kind, const Split& split) {
    CAPTURE(name_of(kind));
    const Validation validation = after_training(tiny_config(kind), split, split, options);
    CHECK(validation.objective == 1);
    CHECK(validation.loss < 0.05);
  };
  check(ModelKind::kEncoderDecoder, additions(2, 12));
  check(ModelKind::kDecoder, additions(2, 12));
  check(ModelKind::kDecoder, repetitions(12, Asked::kSuffix));
  check(ModelKind::kEncoder, random_sequences(12, 2, 6));
}

TEST_CASE("a tiny classifier learns to tell sequences that it has never seen") {
  TransformerConfig config = tiny_config(ModelKind::kEncoder, Encoding::kRope);
  config.pooling = Pooling::kMulti;
  TrainingOptions options = quick_options(12);
  options.batch = 32;
  CHECK(
      after_training(config, random_sequences(1500, 3, 6), random_sequences(300, 3, 6, 2), options)
          .objective > 0.95);
}

}  // namespace
}  // namespace headway::testing
