// A training that is stopped and continued ends as one that was not.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "lib/base/error.h"
#include "lib/train/seq2seq_task.h"
#include "lib/train/training_state.h"
#include "tests/nn/tiny_models.h"
#include "tests/train/scripted_task.h"

namespace headway::testing {
namespace {

// A training of 3 epochs with 3 steps each, that can be stopped, in a folder of its own.
class Interruptible {
 public:
  Interruptible() {
    std::string pattern = (std::filesystem::temp_directory_path() / "headway-nn-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw Error("cannot make a temporary folder");
    folder_ = pattern;
    options_ = quick_options(3);
    options_.batch = 8;
    options_.shards = 2;
    options_.dropout = {.layers = 0.1, .attention = 0.1};
  }
  ~Interruptible() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  Path state_file() const { return folder_ / "state.safetensors"; }
  std::vector<std::string> log;
  double save_every = 30;
  void set_epochs(std::int64_t epochs, std::int64_t schedule) {
    options_.epochs = epochs;
    options_.schedule_epochs = schedule;
  }

  // Throws Cancelled before the step after so many, of this call.
  TrainingResult run(int steps = 1000) {
    log.clear();
    Parameters parameters(parameter_shapes(config_));
    parameters.draw(5);
    TrainingWatch watch;
    watch.cancelled = [&] { return steps-- == 0; };
    watch.log = [&](const std::string& line) { log.push_back(line); };
    watch.state_file = state_file();
    watch.save_every = save_every;
    ThreadTeam team(2);
    Seq2SeqTask task(config_, data_);
    return train(task, parameters, options_, team, watch);
  }

  void forget() { std::filesystem::remove(state_file()); }
  void write_state(std::string_view bytes) {
    RealFileSystem().write(state_file(), bytes, Durability::kCached);
  }
  std::string state() const { return RealFileSystem().read(state_file()).value(); }

 private:
  Path folder_;
  Seq2SeqConfig config_ = tiny_config();
  Seq2SeqData data_{additions(1, 20), additions(1, 30, 2), additions(1, 1)};
  TrainingOptions options_;
};

struct Outcome {
  std::string best;
  std::string log;
  std::int64_t best_epoch;

  explicit Outcome(const TrainingResult& result)
      : best(bytes_of(result.best)), log(result.log.to_csv()), best_epoch(result.best_epoch) {}
  bool operator==(const Outcome&) const = default;
};

TEST_CASE("a training stopped at any step and continued ends with the same bytes and log") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  for (const int steps : {0, 1, 2, 3, 4, 8}) {
    CAPTURE(steps);
    training.forget();
    REQUIRE_THROWS_AS(training.run(steps), Cancelled);
    CHECK(Outcome(training.run()) == undisturbed);
  }
}

TEST_CASE("a training that is stopped after every step gets to the same end") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  for (int step = 0; step < 9; ++step) {
    if (step < 8) {
      REQUIRE_THROWS_AS(training.run(1), Cancelled);
    } else {
      CHECK(Outcome(training.run(1)) == undisturbed);
    }
  }
}

TEST_CASE("a training that is killed goes on from its last saved step") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  training.save_every = 0;  // after every step
  REQUIRE_THROWS_AS(training.run(5), Cancelled);
  const std::string state = training.state();
  REQUIRE_THROWS_AS(training.run(2), Cancelled);
  training.write_state(state);  // as if those two steps had never been saved
  CHECK(Outcome(training.run()) == undisturbed);
  CHECK(training.log.front() == "continues in epoch 2, after 2 of its 3 steps");
}

TEST_CASE("a training that had ended is not trained again") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  CHECK(Outcome(training.run(0)) == undisturbed);
}

TEST_CASE("a training goes on from the end of a shorter one with the same schedule") {
  Interruptible training;
  training.set_epochs(4, 0);
  const Outcome undisturbed(training.run());
  training.forget();
  for (const std::int64_t epochs : {1, 3}) {
    training.set_epochs(epochs, 4);
    training.run();
  }
  training.set_epochs(4, 0);
  CHECK(Outcome(training.run()) == undisturbed);
  CHECK(training.log.front() == "continues in epoch 4, after 0 of its 3 steps");
}

TEST_CASE("a training that ran out of patience ends the same when more epochs are asked for") {
  const Interruptible folder;
  ThreadTeam team(1);
  TrainingWatch watch;
  watch.state_file = folder.state_file();
  const auto train_scripted = [&](ScriptedTask& task, std::int64_t epochs) {
    TrainingOptions options = ScriptedTask::options(epochs);
    options.schedule_epochs = 8;
    options.patience = 2;
    return train(task, ScriptedTask::parameters(), options, team, watch);
  };
  ScriptedTask shorter(2, {{0.5, 1}, {0.6, 1}, {0.4, 1}, {0.4, 1}});
  const TrainingResult stopped = train_scripted(shorter, 5);
  REQUIRE(stopped.epochs == 4);
  ScriptedTask longer(2, {});
  const TrainingResult continued = train_scripted(longer, 8);
  CHECK(longer.begun.empty());
  CHECK(continued.epochs == 4);
  CHECK(Outcome(continued) == Outcome(stopped));
}

TEST_CASE("a state that cannot be used is told and ignored") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  const std::string good = training.state();

  std::vector<std::string> broken = {"", "no state", std::string(1000, '\0'), good + "more"};
  for (const std::size_t length : {7, 8, 100}) broken.push_back(good.substr(0, length));
  broken.push_back(good.substr(0, good.size() - 1));
  broken.push_back(good.substr(0, good.size() / 2));
  TensorFile file = parse_safetensors(good, "state");
  const std::string state = file.metadata.at("state");
  for (const char* other : {"", "7", "{}", "{\"epoch\": \"first\"}"}) {
    file.metadata["state"] = other;
    broken.push_back(to_safetensors(file));
  }
  file.metadata.clear();
  broken.push_back(to_safetensors(file));
  file.metadata["state"] = state;
  file.arrays["mean"] = Array::of({3}, std::vector<float>(3));  // of another model
  broken.push_back(to_safetensors(file));
  file.arrays.erase("mean");
  broken.push_back(to_safetensors(file));

  for (std::size_t i = 0; i < broken.size(); ++i) {
    CAPTURE(i);
    training.write_state(broken[i]);
    CHECK(Outcome(training.run()) == undisturbed);
    CHECK(training.log.front().starts_with("the saved state cannot be used, starting over: "));
    CHECK(training.log.size() == 4);
  }
}

TEST_CASE("a state that points past the end of the training is ignored") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  TensorFile file = parse_safetensors(training.state(), "state");
  const Json good = *parse_json(file.metadata.at("state"));
  const std::vector<std::pair<const char*, int>> wrong = {
      {"epoch", -1}, {"epoch", 2}, {"epoch", 100}, {"step", -1}, {"step", 4}, {"best_epoch", 1}};
  for (const auto& [key, value] : wrong) {
    CAPTURE(key, value);
    Json changed = good;
    changed[key] = value;
    file.metadata["state"] = changed.dump();
    training.write_state(to_safetensors(file));
    CHECK(Outcome(training.run()) == undisturbed);
    CHECK(training.log.front().starts_with("the saved state cannot be used, starting over: "));
  }
}

}  // namespace
}  // namespace headway::testing
