// A training that is stopped and continued ends as one that was not.
#include <ATen/ops/zeros_like.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>

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
    options = quick_options(3);
    options.batch = 8;
    options.shards = 2;
    options.dropout = {.layers = 0.1, .attention = 0.1};
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
  TrainingOptions options;
  std::uint64_t first_draw = 5;  // the seed of what it starts from
  void set_epochs(std::int64_t epochs, std::int64_t schedule) {
    options.epochs = epochs;
    options.schedule_epochs = schedule;
  }

  Parameters parameters() const {
    Parameters start(parameter_shapes(config_));
    start.draw(first_draw);
    return start;
  }
  Digest identity() const {
    return identity_of(parameters(), options, Seq2SeqTask(config_, data_).size());
  }

  // Throws Cancelled before the step after so many, of this call.
  TrainingResult run(int steps = 1000) {
    log.clear();
    TrainingWatch watch;
    watch.cancelled = [&] { return steps-- == 0; };
    watch.log = [&](const std::string& line) { log.push_back(line); };
    watch.state_file = state_file();
    watch.save_every = save_every;
    ThreadTeam team(2);
    Seq2SeqTask task(config_, data_);
    return train(task, parameters(), options, team, watch);
  }

  void forget() { std::filesystem::remove_all(state_file()); }
  void write_state(std::string_view bytes) {
    forget();  // a new file is cheap to write; to empty an old one first costs a sync
    RealFileSystem().write(state_file(), bytes, Durability::kCached);
  }
  std::string state() const { return RealFileSystem().read(state_file()).value(); }

 private:
  Path folder_;
  Seq2SeqConfig config_ = tiny_config();
  Seq2SeqData data_{additions(1, 20), additions(1, 30, 2), additions(1, 1)};
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

// What the training does with a state that it must not use: it says so, and starts from nothing.
void check_refused(Interruptible& training, const Outcome& undisturbed, const std::string& reason) {
  CHECK(Outcome(training.run()) == undisturbed);
  const std::string& said = training.log.front();
  INFO(said);
  CHECK(said.starts_with("the saved state cannot be used, starting from nothing: "));
  CHECK(said.find(reason) != std::string::npos);
  CHECK(said.find('\n') == std::string::npos);
  CHECK(training.log.size() == 1 + 3);
}

TEST_CASE("a state is not used when any of its bits has changed") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  const std::string good = training.state();
  std::uint64_t header = 0;
  std::memcpy(&header, good.data(), sizeof header);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sizeof header; ++i) places.push_back(i);
  for (std::size_t i = 0; i < 16; ++i) places.push_back(8 + header * i / 16);
  for (std::size_t i = 0; i < 32; ++i)
    places.push_back(8 + header + (good.size() - 8 - header) * i / 32);
  places.push_back(good.size() - 1);
  for (const std::size_t place : places) {
    CAPTURE(place, header, good.size());
    std::string flipped = good;
    flipped[place] = static_cast<char>(flipped[place] ^ (1 << place % 8));
    training.write_state(flipped);
    check_refused(training, undisturbed, "state.safetensors: ");
  }
}

TEST_CASE("no bit of a state's header can change unnoticed") {
  Interruptible training;
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  const std::string good = training.state();
  std::uint64_t header = 0;
  std::memcpy(&header, good.data(), sizeof header);
  const Parameters parameters = training.parameters();
  const auto buffer = [&] { return at::zeros_like(parameters.flat()); };
  const TrainingBuffers buffers = {buffer(), buffer(), buffer(), buffer()};
  const auto read = [&] {
    return read_state(training.state_file(), buffers, training.identity(), 3);
  };
  REQUIRE(read().has_value());
  buffers.parameters.zero_();
  for (std::size_t bit = 0; bit < 8 * (8 + header); ++bit) {
    CAPTURE(bit);
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    training.write_state(flipped);
    CHECK_THROWS_AS(read(), Error);
  }
  CHECK(buffers.parameters.abs().sum().item<float>() == 0);
}

TEST_CASE("a state that is torn, empty or no state is not used") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  const std::string good = training.state();
  std::vector<std::string> broken = {"", "no state", std::string(1000, '\0'), good + "more"};
  for (const std::size_t length :
       {std::size_t{7}, std::size_t{8}, std::size_t{100}, good.size() / 2, good.size() - 1}) {
    broken.push_back(good.substr(0, length));
    broken.push_back(good.substr(0, length) + std::string(good.size() - length, '\0'));
  }
  TensorFile file = parse_safetensors(good, "state");
  file.metadata.erase("sha256");
  broken.push_back(to_safetensors(file));
  file.metadata.clear();
  broken.push_back(to_safetensors(file));
  for (std::size_t i = 0; i < broken.size(); ++i) {
    CAPTURE(i);
    if (broken[i] == good) continue;  // whose last byte is zero
    training.write_state(broken[i]);
    check_refused(training, undisturbed, "state.safetensors: ");
  }
}

TEST_CASE("a folder in the place of the state does not stop a training") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  training.forget();
  std::filesystem::create_directories(training.state_file() / "deep");
  check_refused(training, undisturbed, "state.safetensors");
}

TEST_CASE("the state of another training is not used") {
  Interruptible training;
  const Outcome undisturbed(training.run());
  const std::vector<std::function<void(TrainingOptions&)>> changes = {
      [](TrainingOptions& options) { options.seed = 642; },
      [](TrainingOptions& options) { options.lr = 2e-3; },
      [](TrainingOptions& options) { options.batch = 5; },
      [](TrainingOptions& options) { options.epochs = 4; },  // and so another schedule
      [](TrainingOptions& options) { options.dropout.attention = 0; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    training.forget();
    const TrainingOptions options = training.options;
    changes[i](training.options);
    REQUIRE_THROWS_AS(training.run(4), Cancelled);
    training.options = options;
    check_refused(training, undisturbed, "it is of another training");
  }
  training.forget();
  training.first_draw = 6;
  REQUIRE_THROWS_AS(training.run(4), Cancelled);
  training.first_draw = 5;
  check_refused(training, undisturbed, "it is of another training");
}

TEST_CASE("the state of a longer training is not used by a shorter one") {
  Interruptible training;
  training.set_epochs(3, 4);
  const Outcome undisturbed(training.run());
  training.forget();
  training.set_epochs(4, 4);
  training.run();
  training.set_epochs(3, 4);
  check_refused(training, undisturbed, "it is of a longer training");
}

}  // namespace
}  // namespace headway::testing
